import SyncPersistence

/// The parameters of a sync.
struct SyncRequest: Sendable {
    /// The entity of the objects.
    let entity: String
    /// The records that the payload may list; nil for all of the entity.
    let filter: Filter?
    /// The record that all objects belong to; nil for none.
    let parent: RecordID?
    /// What the sync may do: insert, update and delete.
    let operations: SyncOperations
    /// The options that the caller has specified.
    let options: SyncOptions

    init(
        _ entity: String, filter: Filter? = nil, parent: RecordID? = nil, operations: SyncOperations = .all,
        options: SyncOptions = SyncOptions()
    ) {
        self.entity = entity
        self.filter = filter
        self.parent = parent
        self.operations = operations
        self.options = options
    }

    /// Creates the request of one of several lists in a payload.
    init(_ root: SyncRoot, _ options: SyncOptions) {
        self.init(
            root.entity, filter: root.filter, parent: root.parent, operations: root.operations, options: options)
    }
}

/// A flag that the caller of a sync sets to cancel it.
struct Cancellation: Sendable {
    /// Whether the task was cancelled, which another thread sets.
    private let isCancelled = Locked(false)

    /// Makes the next check throw.
    func cancel() { isCancelled.exchange(with: true) }

    /// Checks that the sync was not cancelled.
    ///
    /// - Throws: `CancellationError` if the sync was cancelled.
    func check() throws {
        if isCancelled.current { throw CancellationError() }
    }
}
