import Foundation
import SQLitePersistence
package import SyncPersistence

#if canImport(PostgreSQLPersistence)
    import PostgreSQLPersistence
#endif

/// Opens the stores of accounts in a database.
package struct StoreBackend: Sendable {
    /// Opens the store with a name, and creates it if there is none.
    let open: @Sendable (_ name: String) async throws -> any PersistenceAdapter

    /// Waits for the commits of all processes to a store, and calls the function after each; nil if the database does
    /// not announce them.
    let announcements: (@Sendable (any PersistenceAdapter, @escaping @Sendable () -> Void) async -> Void)?

    /// Throws if the database does not answer soon; nil if that shows when a store is read.
    let ping: (@Sendable () async throws -> Void)?

    /// Whether there is a store with a name, or whether opening a new one stores nothing.
    let exists: @Sendable (_ name: String) -> Bool

    /// Closes the connections that the stores share.
    let close: @Sendable () async -> Void

    /// The name of a store that has no records, which no account has.
    static let probe = "_probe"

    /// Creates a backend of functions.
    package init(
        open: @escaping @Sendable (_ name: String) async throws -> any PersistenceAdapter,
        announcements: (@Sendable (any PersistenceAdapter, @escaping @Sendable () -> Void) async -> Void)?,
        ping: (@Sendable () async throws -> Void)? = nil,
        exists: @escaping @Sendable (_ name: String) -> Bool = { _ in true },
        close: @escaping @Sendable () async -> Void
    ) {
        (self.open, self.announcements, self.ping) = (open, announcements, ping)
        (self.exists, self.close) = (exists, close)
    }

    init(_ database: Database, _ schema: Schema, connections: Int) throws(SettingsError) {
        switch database {
        case .sqliteFile(let path):
            try Self.createFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
            open = { _ in try await SQLiteAdapter.open(at: path, schema: schema) }
            announcements = nil
            ping = nil
            exists = { _ in true }
            close = {}
        case .sqliteFolder(let folder):
            try Self.createFolder(folder)
            open = { name in
                var options = SQLiteAdapter.Options()
                // An account has few devices, and a process may have many accounts.
                options.readerCount = 2
                options.cacheSize = 2_000
                return try await SQLiteAdapter.open(at: "\(folder)\(name).sqlite", schema: schema, options: options)
            }
            announcements = nil
            ping = nil
            exists = { FileManager.default.fileExists(atPath: "\(folder)\($0).sqlite") }
            close = {}
        case .postgreSQL(let connection):
            #if canImport(PostgreSQLPersistence)
                var options = PostgreSQLPool.Options()
                options.readerCount = connections - connections / 2
                options.writerCount = connections / 2
                let pool: PostgreSQLPool
                do {
                    pool = try PostgreSQLPool(connection, options: options)
                } catch {
                    // The error may have the password.
                    throw SettingsError("the connection string of PostgreSQL is malformed")
                }
                let tables = SharedTables(pool, schema)
                open = { try await tables.store(of: $0) }
                announcements = { store, changed in
                    guard let store = store as? PostgreSQLAdapter,
                        var known = try? await store.read({ try $0.sequence })
                    else { return }
                    // The first number may be that of the commit that was read, or already that of a later one.
                    for await sequence in store.sequences() where sequence != known {
                        known = sequence
                        changed()
                    }
                }
                ping = { try await pool.ping() }
                exists = { _ in true }
                close = { await pool.close() }
            #else
                throw SettingsError("PostgreSQL is supported on Linux alone")
            #endif
        }
    }

    private static func createFolder(_ path: String) throws(SettingsError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw SettingsError("the folder '\(path)' cannot be created: \(error.localizedDescription)")
        }
    }
}

#if canImport(PostgreSQLPersistence)
    /// The tables of all accounts, which are opened when the first store is.
    private actor SharedTables {
        private let pool: PostgreSQLPool
        private let schema: Schema
        private var opening: Task<PostgreSQLAccounts, any Error>?

        /// The namespace of the tables.
        private static let namespace = "sync"

        init(_ pool: PostgreSQLPool, _ schema: Schema) { (self.pool, self.schema) = (pool, schema) }

        /// Returns the store of an account.
        func store(of account: String) async throws -> PostgreSQLAdapter {
            let task =
                opening
                ?? Task { [pool, schema] in
                    try await PostgreSQLAccounts.open(on: pool, namespace: Self.namespace, schema: schema)
                }
            opening = task
            do {
                return try await task.value.store(of: account)
            } catch {
                // The next call tries again.
                if opening == task { opening = nil }
                throw error
            }
        }
    }
#endif
