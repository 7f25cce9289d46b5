import SyncPersistence

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
