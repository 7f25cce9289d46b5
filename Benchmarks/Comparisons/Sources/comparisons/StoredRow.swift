import GRDB

/// A row of a table with a primary key `id`, as an app keeps it with GRDB.
protocol StoredRow: FetchableRecord, PersistableRecord {
    associatedtype ID: DatabaseValueConvertible & Hashable

    /// The columns, from the key on.
    static var columns: [String] { get }

    var id: ID { get }

    /// What is in the columns.
    var values: [(any DatabaseValueConvertible)?] { get }

    /// Whether the columns hold the same.
    func isStored(as other: Self) -> Bool
}

extension StoredRow {
    static var databaseSelection: [any SQLSelectable] { columns.map { Column($0) } }

    func encode(to container: inout PersistenceContainer) {
        for (column, value) in zip(Self.columns, values) { container[column] = value }
    }
}

extension StoredRow {
    static var selection: String { "SELECT \(columns.joined(separator: ", ")) FROM \(databaseTableName)" }

    static var insertion: String {
        "INSERT INTO \(databaseTableName) (\(columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
    }

    /// It takes the values in the order of the insertion.
    static var update: String {
        let assignments = zip(columns, places).dropFirst().map { "\($0) = \($1)" }.joined(separator: ", ")
        return "UPDATE \(databaseTableName) SET \(assignments) WHERE id = ?1"
    }

    static var deletion: String { "DELETE FROM \(databaseTableName) WHERE id = ?" }

    private static var places: [String] { columns.indices.map { "?\($0 + 1)" } }
}
