import Dispatch
package import SyncPersistence

/// Runs something asynchronous to its end.
package func blocking<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let semaphore = DispatchSemaphore(value: 0)
    let box = ResultBox<Result>()
    Task.detached {
        do {
            box.result = .success(try await body())
        } catch {
            box.result = .failure(error)
        }
        semaphore.signal()
    }
    semaphore.wait()
    return try box.result!.get()
}

extension PersistenceAdapter {
    /// Makes changes, and waits for that.
    @discardableResult
    package func commitNow(_ changes: ChangeSet) -> Commit {
        unfailing { try blocking { try await commit(changes) } }
    }
}

// because the semaphore orders the one write before the one read.
private final class ResultBox<Value>: @unchecked Sendable {
    var result: Swift.Result<Value, any Error>?
}
