import SyncPersistence

/// The names of the tables and columns of entities and slots.
///
/// They are the names of the schema if PostgreSQL can distinguish these. It allows no NUL, and at most 63 bytes. Once
/// chosen, a name never changes.
struct NameMap: Hashable, Sendable, Codable {
    /// The names of the tables, by the names of the hierarchies' roots.
    private(set) var tables: [String: String] = [:]

    /// The names of the columns, by the root, the entity that declares the slot, and the name of the slot.
    ///
    /// A column that cannot be read well has a suffix in addition; see `Column`.
    private(set) var columns: [String: [String: [String: [String]]]] = [:]

    /// Returns the name of a root's table.
    func table(of root: String) -> String { tables[root] ?? root }

    /// Returns the names of a slot's columns.
    func columns(of slot: SlotID, in root: String) -> [String] {
        columns[root]?[slot.declaredBy]?[slot.name] ?? []
    }

    /// Returns what is wrong with names that were read from the database; nil if they fit the schema or are not yet
    /// chosen.
    func problem(in schema: Schema) -> String? {
        for root in schema.roots {
            let slots = schema.columns(of: root).map { (columns(of: $0.id, in: root.name), $0.slot.columnTypes.count) }
            let all = slots.flatMap(\.0) + (tables[root.name].map { [$0] } ?? [])
            if all.contains(where: { $0.isEmpty || $0.utf8.contains(0) }) {
                return "'\(root.name)' has a name that is none"
            }
            if slots.contains(where: { !$0.isEmpty && $0.count != $1 }) {
                return "a property of '\(root.name)' has not as many columns as it needs"
            }
        }
        return nil
    }

    /// Chooses the missing names of a root's table and columns.
    mutating func name(_ root: Shape, in schema: Schema) {
        if tables[root.name] == nil {
            let taken = Set(tables.values).union([Table.layoutName])
            tables[root.name] = NameMap.free(root.name, [""], besides: taken, limit: maximumNameLength)
        }
        let known = (columns[root.name] ?? [:]).values.flatMap(\.values).joined()
        var taken = Set(known.flatMap(NameMap.forms) + Table.ownColumns + Table.systemColumns)
        for column in schema.columns(of: root) where columns(of: column.id, in: root.name).isEmpty {
            let count = column.slot.columnTypes.count
            let names = (1...count).map { part in
                let wanted = count == 1 ? column.slot.name : "\(column.slot.name).\(part)"
                let limit = maximumNameLength - (Column.suffixes.map(\.utf8.count).max() ?? 0)
                let name = NameMap.free(wanted, Column.suffixes, besides: taken, limit: limit)
                taken.formUnion(NameMap.forms(of: name))
                return name
            }
            columns[root.name, default: [:]][column.id.declaredBy, default: [:]][column.id.name] = names
        }
    }

    /// Moves the entry of a renamed hierarchy; its table keeps its name.
    mutating func renameRoot(_ old: String, to new: String) {
        tables[new] = tables.removeValue(forKey: old)
        columns[new] = columns.removeValue(forKey: old)
    }

    /// Moves the entry of a renamed slot; its columns keep their names.
    mutating func renameSlot(_ old: SlotID, to new: SlotID, in root: String) {
        guard let names = columns[root]?[old.declaredBy]?.removeValue(forKey: old.name) else { return }
        columns[root, default: [:]][new.declaredBy, default: [:]][new.name] = names
    }

    /// Removes the names of a hierarchy's table and columns.
    mutating func removeRoot(_ root: String) {
        tables[root] = nil
        columns[root] = nil
    }

    /// Removes the names of a slot's columns.
    mutating func removeSlot(_ slot: SlotID, in root: String) {
        columns[root]?[slot.declaredBy]?[slot.name] = nil
    }

    /// Renames a slot's columns.
    mutating func setColumns(_ names: [String], of slot: SlotID, in root: String) {
        columns[root, default: [:]][slot.declaredBy, default: [:]][slot.name] = names
    }

    /// Returns the names that the columns of a slot may have.
    private static func forms(of name: String) -> [String] { Column.suffixes.map { name + $0 } }

    /// Returns the wanted name, changed so that it is valid and not taken, with any of the suffixes.
    ///
    /// If `Note` is taken, `Note` becomes `Note 2`.
    private static func free(
        _ wanted: String, _ suffixes: [String], besides taken: Set<String>, limit: Int
    ) -> String {
        let name = String(String.UnicodeScalarView(wanted.unicodeScalars.map { $0 == "\0" ? "\u{2400}" : $0 }))
        var candidate = shortened(name, to: limit)
        var number = 1
        while suffixes.contains(where: { suffix in taken.contains { $0.hasSameScalars(as: candidate + suffix) } }) {
            number += 1
            candidate = shortened("\(name) \(number)", to: limit)
        }
        return candidate
    }
}
