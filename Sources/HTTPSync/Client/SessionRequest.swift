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
        /// Waits for the outcome; nil before and after that.
        var continuation: CheckedContinuation<(Data, URLResponse), any Error>?
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
                    receiver.receive(task, upTo: HTTPRemote.bodyLimit, finish)
                } else {
                    task = session.dataTask(with: request) { data, response, error in
                        if let data, let response {
                            finish(.success((data, response)))
                        } else {
                            finish(.failure(error ?? URLError(.badServerResponse)))
                        }
                    }
                }
                let isCancelled = running.withLock { state in
                    (state.task, state.continuation) = (task, continuation)
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

    /// Returns the outcome to the caller, unless it has another one.
    @Sendable private func finish(_ outcome: SessionReceiver.Outcome) {
        let continuation = running.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: outcome)
    }

    private func cancel() {
        session.delegateQueue.addOperation {
            guard let task = running.current.task else { return }
            if session.canCancelTasks { task.cancel() }
            finish(.failure(URLError(.cancelled)))
        }
    }
}

extension URLSession {
    /// Whether the session's tasks can be cancelled at any time.
    ///
    /// On Linux, a task that is cancelled while it looks for a cached response can end the program. Without a
    /// cancellation it ends when its response has arrived.
    fileprivate var canCancelTasks: Bool {
        #if canImport(FoundationNetworking)
            configuration.urlCache == nil
        #else
            true
        #endif
    }
}
