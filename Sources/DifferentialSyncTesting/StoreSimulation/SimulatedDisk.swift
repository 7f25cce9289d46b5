package import SyncPersistence

/// What a device or a server of a simulation has stored, which outlives the end of its program.
package struct SimulatedDisk: Sendable {
    /// What is stored.
    package private(set) var content: InMemoryContent

    /// The store in a file, which has the content; nil for a store in memory.
    private(set) var file: SimulatedFile?

    /// The failure of the store at the next commit.
    var failure: StoreFailure?

    /// The last copy of the store.
    private(set) var backup: InMemoryContent?

    /// Whether the store was replaced by its copy.
    private(set) var isRestored = false

    /// The commits since the caller has removed the earlier ones; nil if they are not kept.
    package var commits: [Commit]?

    /// Creates a disk with a content and without a copy.
    init(_ content: InMemoryContent) { self.content = content }
}

extension SimulatedDisk {
    /// Runs a body on a store with the content, and keeps the result.
    ///
    /// - Parameters:
    ///   - isFailing: Whether a failure that is set occurs at the next commit.
    ///   - wrap: Returns the storage of a transaction that writes, which forwards to the given one.
    ///   - body: A function that reads or changes the store.
    /// - Returns: The result of the body, and the commits.
    mutating func withStore<Result>(
        failing isFailing: Bool = true,
        through wrap: @escaping @Sendable (any RecordStorage) -> any RecordStorage = { $0 },
        _ body: (SimulatedStore) async throws -> Result
    ) async rethrows -> (result: Result, commits: [Commit]) {
        let store = SimulatedStore(content, through: wrap)
        let result = try await use(store, failing: isFailing) { try await body(store) }
        return (result, store.current.commits)
    }

    /// Puts what is stored into a store, and takes it out after a body has worked on the store.
    mutating func use<Result>(
        _ store: SimulatedStore, failing isFailing: Bool, _ body: () async throws -> Result
    ) async rethrows -> Result {
        store.set(content, file?.store, isFailing ? failure : nil)
        defer {
            let current = store.current
            content = current.content
            if isFailing { failure = current.failure }
            commits?.append(contentsOf: current.commits)
        }
        return try await body()
    }
}

extension SimulatedDisk {
    /// Keeps a copy of the store and of its file.
    mutating func backUp() async throws {
        backup = content
        try await file?.backUp()
    }

    /// Replaces the store by its last copy, which exists.
    mutating func restore() async throws {
        guard let backup else { return }
        (content, isRestored) = (backup, true)
        try await file?.restore(backup.schema)
    }

    /// Keeps the store in a file from now on.
    mutating func open(_ files: SimulatedFiles, name: String, _ schema: Schema) async throws {
        file = try await SimulatedFile(files, name: name, schema)
    }

    /// Keeps the store, which has the content of another one, in a copy of its file.
    mutating func copyFile(of origin: inout SimulatedDisk, name: String) async throws {
        file = try await origin.file?.clone(name: name)
    }

    /// Opens the file again, as after the end of a program, and reads its content.
    mutating func reopen() async throws {
        try await file?.reopen()
        if let file { content = try await InMemoryContent(of: file.store) }
    }

    /// Hashes the store, its copy, its failure, and whether it was restored.
    func hash(into hasher: inout Hasher) {
        hasher.combine(content.digest(isWithoutMetadata: false))
        hasher.combine(backup?.digest(isWithoutMetadata: false))
        hasher.combine(failure)
        hasher.combine(isRestored)
    }
}
