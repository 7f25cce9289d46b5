import SyncPersistence

/// The parameters of a sync.
struct SyncRequest: Sendable {
    let entity: String
    let filter: Filter?
    let parent: RecordID?
    let operations: SyncOperations
    let options: SyncOptions

    init(
        _ entity: String, _ filter: Filter? = nil, _ parent: RecordID? = nil, _ operations: SyncOperations = .all,
        _ options: SyncOptions = SyncOptions()
    ) {
        self.entity = entity
        self.filter = filter
        self.parent = parent
        self.operations = operations
        self.options = options
    }

    init(_ root: SyncRoot, _ options: SyncOptions) {
        self.init(root.entity, root.filter, root.parent, root.operations, options)
    }
}

/// A flag that the caller of a sync sets to cancel it.
struct Cancellation: Sendable {
    private let isCancelled = Locked(false)

    func cancel() { isCancelled.exchange(with: true) }

    /// Checks that the sync was not cancelled.
    ///
    /// - Throws: `CancellationError` if the sync was cancelled.
    func check() throws {
        if isCancelled.current { throw CancellationError() }
    }
}
