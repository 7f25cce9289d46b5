import Foundation
import StoreSync
import SyncPersistence

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(FoundationNetworking)
    typealias RedirectionHandler = (URLRequest?) -> Void
#else
    typealias RedirectionHandler = @Sendable (URLRequest?) -> Void
#endif

/// The delegate of a session that bounds bodies while they arrive, and refuses each redirection.
///
/// The session has taken off the content coding, so the limit also ends small bodies that expand to large ones. A completion
/// handler of the session would receive the body as a whole.
final class SessionReceiver: NSObject, URLSessionDataDelegate {
    /// The body and the head of a response, or the error instead.
    typealias Outcome = Result<(Data, URLResponse), any Error>

    /// A request whose response has not ended.
    private struct Exchange: Sendable {
        let limit: Int
        var body = Data()
        let finish: @Sendable (Outcome) -> Void
    }

    private let exchanges = Locked<[Int: Exchange]>([:])

    /// Collects the response of a task of the session.
    ///
    /// - Parameters:
    ///   - task: The task, which was not resumed yet.
    ///   - limit: The most bytes of the body.
    ///   - finish: Called once, with the outcome.
    func receive(_ task: URLSessionTask, upTo limit: Int, _ finish: @escaping @Sendable (Outcome) -> Void) {
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(limit: limit, finish: finish) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let ended: Exchange? = exchanges.withLock { exchanges in
            // Taken out, so that the body has one owner and is not copied for each part.
            guard var exchange = exchanges.removeValue(forKey: dataTask.taskIdentifier) else { return nil }
            if data.count > exchange.limit - exchange.body.count { return exchange }
            exchange.body.append(data)
            exchanges[dataTask.taskIdentifier] = exchange
            return nil
        }
        guard let ended else { return }
        // Once this call has returned, because a cancellation waits on Linux for a queue of the session.
        session.delegateQueue.addOperation { dataTask.cancel() }
        ended.finish(.failure(RemoteError.tooLarge(ended.limit)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let response = task.response, error == nil {
            exchange.finish(.success((exchange.body, response)))
        } else {
            exchange.finish(.failure(error ?? URLError(.badServerResponse)))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping RedirectionHandler
    ) {
        completionHandler(nil)
    }
}

extension RemoteError {
    /// The error of a response whose body is larger than the limit.
    static func tooLarge(_ limit: Int) -> RemoteError {
        .incompatible("the response has more than \(limit) bytes, and no more are accepted")
    }
}
