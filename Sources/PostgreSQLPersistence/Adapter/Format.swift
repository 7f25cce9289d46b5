import SyncPersistence

/// The description of a store in its table `sync.layout`.
enum Format {
    /// The version of the format: of the tables that the library keeps besides those of the schema.
    static let version: Int64 = 1

    /// Returns the statement that reads how often the schema of a store has changed.
    static func versionQuery(in namespace: Namespace) -> String {
        "SELECT value FROM \(namespace.qualified(Table.layoutName)) WHERE name = 'version'"
    }

    /// Returns the error for a store whose tables were removed.
    static func missing(_ namespace: Namespace) -> PersistenceError {
        PersistenceError(
            .schemaChange,
            "the namespace '\(namespace.name)' has no store any more: restore it from a copy, or open it again")
    }
}
