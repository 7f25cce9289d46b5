import SyncPersistence

/// The description of a store in its table `sync.layout`.
enum Format {
    /// The version of the format: of the tables that the library keeps besides those of the schema.
    static let version: Int64 = 1

    /// Returns the statements that read how often the schema of a store has changed.
    ///
    /// They set the account first, if there is one. Then comes a lock that a change of the schema waits for. Neither takes a snapshot. So a transaction that
    /// they begin sees the tables and the version of one schema, until it ends.
    static func versionQuery(in namespace: Namespace) -> String {
        let table = namespace.qualified(Table.layoutName)
        return namespace.accountSetting
            + "LOCK TABLE \(table) IN ACCESS SHARE MODE; SELECT value FROM \(table) WHERE name = 'version'"
    }

    /// Returns the error for a store whose tables were removed.
    static func missing(_ namespace: Namespace) -> PersistenceError {
        PersistenceError(
            .schemaChange,
            "the namespace '\(namespace.name)' has no store any more: restore it from a copy, or open it again")
    }
}
