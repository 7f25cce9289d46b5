import SyncPersistence

/// What is to be synced, and how.
struct SyncRequest: Sendable {
    let entity: String
    var filter: Filter?
    var parent: RecordID?
    var operations = SyncOperations.all
    var options = SyncOptions()
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
