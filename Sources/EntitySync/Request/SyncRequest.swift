import SyncPersistence

/// What is to be synced, and how.
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

extension SyncRoot {
    /// The root of a request for a whole payload.
    init(_ request: SyncRequest) {
        self.init(
            request.entity, filter: request.filter, parent: request.parent, operations: request.operations)
    }
}

/// Whether the task that waits for a sync has been cancelled.
struct Cancellation: Sendable {
    private let isCancelled = Locked(false)

    func cancel() { isCancelled.exchange(with: true) }

    /// - Throws: `CancellationError` if it has been.
    func check() throws {
        if isCancelled.current { throw CancellationError() }
    }
}
