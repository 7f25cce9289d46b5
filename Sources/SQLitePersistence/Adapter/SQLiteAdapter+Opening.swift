public import SyncPersistence

extension SQLiteAdapter {
    /// How a store is opened.
    public struct Options: Sendable {
        /// Whether the store is only read: each write throws a `PersistenceError`.
        ///
        /// The file must exist, and fit the schema without a change. Its folder must be writable, because all who have the
        /// file open share the files beside it.
        public var isReadOnly = false

        /// How long to wait for another process's lock.
        public var busyTimeout = Duration.seconds(5)

        /// Whether a commit is safe from a loss of power when it returns.
        ///
        /// If not, a loss of power may take the last commits away, but leaves none half done. A crash of the program
        /// takes none away in either case.
        public var isDurable = true

        /// How many reads can run at the same time.
        public var readerCount = 4

        /// How much of the file each connection keeps in memory, in KiB.
        public var cacheSize = 16_000

        /// The options that are best for an app.
        public init() {}
    }

    /// Opens a store in a file, which is made if there is none.
    ///
    /// What the schema has and the file does not is added to the file: entities, attributes, relationships and indexes.
    /// What was renamed is found by its `renamedFrom`. What would lose data needs a step of the migration:
    ///
    /// ```swift
    /// let store = try await SQLiteAdapter.open(
    ///     at: path, schema: newer, migration: [.drop("Book", "shelf"), .convert("Book", "pages")])
    /// ```
    ///
    /// All of it is one transaction: a process that ends meanwhile leaves the file as it was. A file that fits the schema is
    /// not written, so it can be opened while another process writes.
    ///
    /// - Parameters:
    ///   - path: The path of the file. SQLite keeps two more beside it, named `-wal` and `-shm`.
    ///   - schema: The schema.
    ///   - migration: What may be dropped, converted or filled where the file has another schema; nothing unless given.
    ///   - options: How it is opened.
    /// - Throws: `PersistenceError` if the file cannot be opened, is no database of this library, or of a later version, or
    ///   if what it holds would be lost by a change of the schema, or a step cannot be taken. The file is as it was then.
    /// - Complexity: O(size of the schema), for a file of any size; where an index is added, it is built. A step reads and
    ///   writes all records of the entity's hierarchy, one after the other.
    public static func open(
        at path: String, schema: Schema, migration: [MigrationStep] = [], options: Options = Options()
    ) async throws -> SQLiteAdapter {
        try await open(.file(path), schema, migration, options)
    }

    /// Makes a store in memory, which is gone with its adapter.
    public static func inMemory(schema: Schema) async throws -> SQLiteAdapter {
        try await open(.memory, schema, [], Options())
    }

    private static func open(
        _ location: Connection.Location, _ schema: Schema, _ migration: [MigrationStep], _ options: Options
    ) async throws -> SQLiteAdapter {
        var configuration = Connection.Configuration()
        configuration.busyTimeout = options.busyTimeout
        configuration.durability = options.isDurable ? .full : .normal
        configuration.cacheSize = options.cacheSize
        if options.isReadOnly { configuration.access = .readOnly }
        do {
            let pool = try ConnectionPool(
                location, configuration, readerCount: max(1, options.readerCount),
                verify: { try $0.verifyOwner() }, prepare: { try $0.registerComparisons() })
            do {
                let layout = try await pool.layout(after: .open(schema, by: migration), isReadOnly: options.isReadOnly)
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
    /// Returns the layout of the file after a change of its schema, which waits for other writers only if it is one.
    ///
    /// - Parameter known: Called with the layout before the next write begins.
    func layout(
        after change: LayoutChange, isReadOnly: Bool,
        known: @escaping @Sendable (KnownLayout) -> Void = { _ in }
    ) async throws -> KnownLayout {
        if let layout = try await read({ try $0.layout(unlessChangedBy: change) }) {
            known(layout)
            return layout
        }
        if isReadOnly {
            throw PersistenceError(
                .readOnly,
                "the file does not have all that the schema has, and is opened for reading only: open it once with "
                    + "'isReadOnly' false, which adds what is missing")
        }
        return try await write({ try $0.migrate(by: change) }, committed: known)
    }
}
