public import SyncPersistence

/// The stores in files of one run of a simulation, which has a folder of its own.
///
/// A store of SQLite consists of the file and those beside it, named `-wal` and `-shm`: a copy has all of them.
public struct SimulatedFiles: Sendable {
    /// Opens the store with a name, and creates it if there is none.
    let open: @Sendable (_ name: String, _ schema: Schema) async throws -> any PersistenceAdapter

    /// Replaces the store with the second name by a copy of the store with the first name.
    ///
    /// Neither store is open.
    let copy: @Sendable (_ name: String, _ copy: String) async throws -> Void

    /// Removes all stores, of which none is open.
    let remove: @Sendable () async throws -> Void

    /// Creates the stores of a run.
    ///
    /// - Parameters:
    ///   - open: Opens the store with a name, and creates it if there is none.
    ///   - copy: Replaces the store with the second name by a copy of the store with the first name.
    ///   - remove: Removes all stores.
    public init(
        open: @escaping @Sendable (_ name: String, _ schema: Schema) async throws -> any PersistenceAdapter,
        copy: @escaping @Sendable (_ name: String, _ copy: String) async throws -> Void,
        remove: @escaping @Sendable () async throws -> Void
    ) {
        self.open = open
        self.copy = copy
        self.remove = remove
    }
}

/// The store of a device or a service in a file.
///
/// The simulation works with its content as a value, which is read from the file after each transaction.
struct SimulatedFile: Sendable {
    /// The folder of the run.
    private let files: SimulatedFiles
    /// The name of the store within the folder.
    private let name: String
    /// The open store.
    private(set) var store: any PersistenceAdapter

    /// What the name of the store's copy ends with.
    private static let copySuffix = ".copy"

    /// Opens a store, or creates it.
    init(_ files: SimulatedFiles, name: String, _ schema: Schema) async throws {
        (self.files, self.name) = (files, name)
        store = try await files.open(name, schema)
    }

    /// Closes the store at the end of a run.
    func close() async { await store.close() }

    /// Closes the store, and opens it again.
    ///
    /// Whatever the adapter has only in memory is lost by that.
    mutating func reopen() async throws {
        let schema = store.schema
        await store.close()
        store = try await files.open(name, schema)
    }

    /// Copies the file.
    mutating func backUp() async throws { try await copy(to: name + Self.copySuffix) }

    /// Replaces the file by its last copy, which has a schema.
    mutating func restore(_ schema: Schema) async throws {
        await store.close()
        try await files.copy(name + Self.copySuffix, name)
        store = try await files.open(name, schema)
    }

    /// Returns a store in a copy of the file.
    mutating func clone(name copy: String) async throws -> SimulatedFile {
        try await self.copy(to: copy)
        return try await SimulatedFile(files, name: copy, store.schema)
    }

    /// Copies the store while it is closed, and opens it again.
    private mutating func copy(to copy: String) async throws {
        let schema = store.schema
        await store.close()
        try await files.copy(name, copy)
        store = try await files.open(name, schema)
    }
}
