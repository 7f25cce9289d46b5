public import SyncPersistence

extension SQLiteAdapter {
    /// Options for opening a store.
    ///
    /// ```swift
    /// var options = SQLiteAdapter.Options()
    /// options.isDurable = false  // for a cache, which can be downloaded again
    /// let cache = try await SQLiteAdapter.open(at: path, schema: schema, options: options)
    /// ```
    public struct Options: Sendable {
        /// Whether the store is read-only: each write throws a `PersistenceError`.
        ///
        /// The file must exist and fit the schema without a change. Its folder must be writable, because all processes
        /// that have the file open share the files beside it.
        public var isReadOnly = false

        /// How long to wait for another process's lock.
        ///
        /// A call that has waited in vain throws a `PersistenceError`, and can be repeated.
        public var busyTimeout = Duration.seconds(5)

        /// Whether a commit survives a loss of power once it returns.
        ///
        /// If not, a loss of power may undo the last commits, each as a whole. A crash of the program undoes none in
        /// either case.
        public var isDurable = true

        /// The number of reads that can run at the same time.
        ///
        /// Further reads wait. Each reader is a connection with a cache of its own.
        public var readerCount = 4

        /// The size of each connection's cache, in KiB.
        public var cacheSize = 16_000

        /// Creates the options that suit an app.
        public init() {}
    }

    /// Opens a store in a file, and creates the file if there is none.
    ///
    /// Entities, attributes, relationships and indexes that the file lacks are added to it. Renamed definitions are
    /// found by their `renamedFrom`. Changes that lose data need a migration step:
    ///
    /// ```swift
    /// let store = try await SQLiteAdapter.open(
    ///     at: path, schema: newer, migration: [.drop("Book", "shelf"), .convert("Book", "pages")])
    /// ```
    ///
    /// All changes are one transaction: a process that ends meanwhile leaves the file unchanged.
    ///
    /// A file that fits the schema is not written, so it can be opened while another process writes.
    ///
    /// - Parameters:
    ///   - path: The path of the file. SQLite keeps two more beside it, named `-wal` and `-shm`.
    ///   - schema: The schema.
    ///   - migration: The steps that may drop, convert or fill data if the file has another schema.
    ///   - options: The options.
    /// - Throws: `PersistenceError` if the file cannot be opened, is no database of this library or is of a later
    ///   version, if a change of the schema would lose data, or if a step fails. The file is unchanged then.
    /// - Complexity: O(size of the schema), for a file of any size. A new index is built from all records. A step reads
    ///   and writes all records of the entity's hierarchy, one after the other.
    public static func open(
        at path: String, schema: Schema, migration: [MigrationStep] = [], options: Options = Options()
    ) async throws -> SQLiteAdapter {
        try await open(.file(path), .open(schema, by: migration), options, access: .readWriteCreate)
    }

    /// Opens a store with the schema that its file has, for a tool that works with any store.
    ///
    /// ```swift
    /// var options = SQLiteAdapter.Options()
    /// options.isReadOnly = true
    /// let store = try await SQLiteAdapter.open(existing: path, options: options)
    /// ```
    ///
    /// A file of an earlier version of the format is brought to the present one. With
    /// ``Options/isReadOnly`` it is an error instead, and the file is never written.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - options: The options.
    /// - Throws: `PersistenceError` if the file is missing or empty, cannot be opened, is no database of this library,
    ///   or is of a later version. The file is unchanged then.
    /// - Complexity: O(size of the schema), for a file of any size
    public static func open(existing path: String, options: Options = Options()) async throws -> SQLiteAdapter {
        try await open(.file(path), .add([]), options, access: .readWrite)
    }

    /// Creates a store in memory, which is deleted with its adapter.
    ///
    /// It suits tests and previews. It has the same tables and queries as a file.
    ///
    /// ```swift
    /// let store = try await SQLiteAdapter.inMemory(schema: schema)
    /// ```
    ///
    /// - Throws: `PersistenceError` if the tables of the schema cannot be created.
    public static func inMemory(schema: Schema) async throws -> SQLiteAdapter {
        try await open(.memory, .open(schema), Options(), access: .readWriteCreate)
    }

    /// Opens the connections, and changes the schema of the file.
    private static func open(
        _ location: Connection.Location, _ change: LayoutChange, _ options: Options, access: Connection.Access
    ) async throws -> SQLiteAdapter {
        var configuration = Connection.Configuration()
        configuration.busyTimeout = options.busyTimeout
        configuration.durability = options.isDurable ? .full : .normal
        configuration.cacheSize = options.cacheSize
        configuration.access = options.isReadOnly ? .readOnly : access
        do {
            let pool = try ConnectionPool(
                location, configuration, readerCount: max(1, options.readerCount),
                verify: { try StoreFile($0).verifyOwner(mayBeEmpty: access == .readWriteCreate) },
                prepare: { try $0.registerComparisons() })
            do {
                let layout = try await pool.layout(after: change, isReadOnly: options.isReadOnly)
                return SQLiteAdapter(location.path, pool, layout, isReadOnly: options.isReadOnly)
            } catch {
                await pool.close()
                throw error
            }
        } catch {
            throw SQLiteError.reported(error, path: location.path)
        }
    }
}

extension ConnectionPool {
    /// Returns the layout of the file after a change of its schema.
    ///
    /// It waits for other writers only if the schema changes.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - isReadOnly: Whether the file must not be written.
    ///   - known: The layout that an open store knows, whose entities must be those of the file. It is replaced before the
    ///     next write begins.
    func layout(
        after change: LayoutChange, isReadOnly: Bool, known: Locked<KnownLayout>? = nil
    ) async throws -> KnownLayout {
        // Read before the transaction begins, so that the file's layout is no older.
        let latest = known?.current
        let unchanged = try await read { connection in
            _ = try latest?.current(on: connection)
            return try StoreFile(connection).layout(unlessChangedBy: change)
        }
        if let unchanged {
            known?.learn(unchanged)
            return unchanged
        }
        if isReadOnly { throw try await read { try StoreFile($0).readOnlyRefusal(of: change) } }
        return try await write { connection in
            _ = try known?.current.current(on: connection)
            return try StoreFile(connection).migrate(by: change)
        } committed: { layout in
            known?.learn(layout)
        }
    }
}
