public import SyncPersistence

/// The stores of any number of accounts in shared tables.
///
/// ```swift
/// let accounts = try await PostgreSQLAccounts.open(on: pool, namespace: "sync", schema: schema)
/// let store = try accounts.store(of: "ada")
/// try await store.commit(changes)
/// ```
///
/// A table has the records of all accounts, with the account in the first column of each index. A store reads and writes the
/// records of its account alone. Writers of different accounts run at the same time.
///
/// Use it for many accounts with one schema. The statements of a connection serve all accounts, while tables of their own, as
/// those of ``PostgreSQLAdapter/open(on:namespace:schema:migration:)``, need statements of their own. A store opens without
/// a round trip, and a new account takes no new tables. A change of the schema changes all accounts in one transaction.
public final class PostgreSQLAccounts: Sendable {
    /// The adapter of the shared tables, which has no account.
    private let tables: PostgreSQLAdapter

    private init(_ tables: PostgreSQLAdapter) { self.tables = tables }

    /// Opens the shared tables, and creates them if there are none.
    ///
    /// - Parameters:
    ///   - pool: The connections, which the stores of all accounts share.
    ///   - namespace: The name of the PostgreSQL schema for the tables. It is created if there is none.
    ///   - schema: The schema of all accounts.
    ///   - migration: The steps that may drop, convert or fill data if the tables have another schema.
    /// - Throws: `PersistenceError` as ``PostgreSQLAdapter/open(on:namespace:schema:migration:)``, and if the
    ///   namespace has the tables of a single store.
    public static func open(
        on pool: PostgreSQLPool, namespace: String, schema: Schema, migration: [MigrationStep] = []
    ) async throws -> PostgreSQLAccounts {
        let namespace = try Namespace(namespace, isShared: true)
        return PostgreSQLAccounts(
            try await PostgreSQLAdapter.open(on: pool, namespace, schema, migration, ownsPool: false))
    }

    /// Returns the store of an account, which has no records at first.
    ///
    /// Have one adapter for an account in a process. It shares its observers and the order of its writes.
    ///
    /// - Parameter account: The account, of 1 to 200 bytes.
    /// - Throws: `PersistenceError` for another name.
    public func store(of account: String) throws -> PostgreSQLAdapter { try tables.adapter(of: account) }
}
