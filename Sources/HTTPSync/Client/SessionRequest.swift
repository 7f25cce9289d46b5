import Dispatch
import Foundation
import SyncPersistence

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request over a session, which the cancellation of its task ends.
///
/// On Linux, to cancel waits for the queue of the session. That queue may be about to resume the task that is being
/// cancelled, and would wait for it: so the cancellation runs on a queue of its own. `URLSession.data(for:)` hangs there.
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
        DispatchQueue.global().async { [running] in running.current.task?.cancel() }
    }
}
