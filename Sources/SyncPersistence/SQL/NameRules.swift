/// Which names an SQL database allows, and how it compares them.
package struct NameRules: Sendable {
    /// The tables that are not those of entities.
    let reservedTables: [String]
    /// The columns that are not those of slots.
    let reservedColumns: [String]
    /// What can follow a slot's name in that of a column; `""` stands for the name alone.
    let suffixes: [String]
    /// Returns the form in which the database compares names.
    let folded: @Sendable (String) -> String
    /// Returns a name that the database allows, with space for a suffix of so many bytes.
    let allowed: @Sendable (String, _ suffix: Int) -> String

    /// Creates the rules of a database.
    ///
    /// - Parameters:
    ///   - reservedTables: The tables that are not those of entities.
    ///   - reservedColumns: The columns that are not those of slots.
    ///   - suffixes: What can follow a slot's name in that of a column.
    ///   - folded: Returns the form in which the database compares names.
    ///   - allowed: Returns a name that the database allows, with space for a suffix of so many bytes.
    package init(
        reservedTables: [String] = [], reservedColumns: [String], suffixes: [String] = [""],
        folded: @escaping @Sendable (String) -> String = { $0 },
        allowed: @escaping @Sendable (String, _ suffix: Int) -> String
    ) {
        (self.reservedTables, self.reservedColumns, self.suffixes) = (reservedTables, reservedColumns, suffixes)
        (self.folded, self.allowed) = (folded, allowed)
    }

    /// Returns the names that the columns of a slot can have.
    func forms(of name: String) -> [String] { suffixes.map { name + $0 } }

    /// Returns the wanted name, changed so that it is allowed, and with no suffix taken.
    ///
    /// If `Note` is taken, `Note` becomes `Note 2`. No database allows NUL.
    ///
    /// - Parameter taken: The folded names that are in use.
    func name(_ wanted: String, _ suffixes: [String], besides taken: Set<String>) -> String {
        let name = String(String.UnicodeScalarView(wanted.unicodeScalars.map { $0 == "\0" ? "\u{2400}" : $0 }))
        let longest = suffixes.map(\.utf8.count).max() ?? 0
        var candidate = allowed(name, longest)
        var number = 1
        while suffixes.contains(where: { taken.contains(folded(candidate + $0)) }) {
            number += 1
            candidate = allowed("\(name) \(number)", longest)
        }
        return candidate
    }
}
