import Foundation
import SyncPersistence

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request over a session, which the cancellation of its task ends.
///
/// A cancellation runs on the queue of the session's delegate, on which requests also end. On Linux, a request that ends
/// at the moment of its cancellation would end the program. A cancellation on the caller's thread would wait for a queue
/// that may be about to resume the cancelled task, as `URLSession.data(for:)` does: that one hangs.
struct SessionRequest {
    private let request: URLRequest
    private let session: URLSession
    private let running = Locked(State())

    private struct State: Sendable {
        var task: URLSessionDataTask?
        var isCancelled = false
    }

    init(_ request: URLRequest, over session: URLSession) { (self.request, self.session) = (request, session) }

    /// Sends the request, and returns the body and the head of the response.
    ///
    /// - Throws: The errors of the session; `URLError` with the code `cancelled` if the task is cancelled.
    func response() async throws -> (Data, URLResponse) {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task: URLSessionDataTask
                if let receiver = session.delegate as? SessionReceiver {
                    task = session.dataTask(with: request)
                    receiver.receive(task, upTo: HTTPRemote.bodyLimit) { continuation.resume(with: $0) }
                } else {
                    task = session.dataTask(with: request) { data, response, error in
                        if let data, let response {
                            continuation.resume(returning: (data, response))
                        } else {
                            continuation.resume(throwing: error ?? URLError(.badServerResponse))
                        }
                    }
                }
                let isCancelled = running.withLock { state in
                    state.task = task
                    return state.isCancelled
                }
                task.resume()
                if isCancelled { cancel() }
            }
        } onCancel: {
            running.withLock { $0.isCancelled = true }
            cancel()
        }
    }

    private func cancel() {
        session.delegateQueue.addOperation { [running] in running.current.task?.cancel() }
    }
}
