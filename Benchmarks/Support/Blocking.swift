import Dispatch

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

// because the semaphore orders the one write before the one read.
private final class ResultBox<Value>: @unchecked Sendable {
    var result: Swift.Result<Value, any Error>?
}
