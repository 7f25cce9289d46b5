public import Foundation
public import StoreSync
import SyncPersistence

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A remote behind HTTP: sends the messages of a device to an ``HTTPService``.
///
/// ```swift
/// let remote = HTTPRemote(url) { refused in
///     refused == nil ? await session.token : try await session.refreshedToken()
/// }
/// try await store.synchronize(with: remote)
/// ```
///
/// URLSession asks for compressed responses, and reads them. The limit of their size applies to what they contain. Requests
/// are sent uncompressed, unless the app passes a ``Compression``.
///
/// A request that gets no answer, or an answer with another status than 200, throws a `RemoteError`:
///
/// | status | error |
/// | --- | --- |
/// | 401 after a refreshed token, 403 | `RemoteError.unauthorized` |
/// | 409 | `RemoteError.handshakeNeeded` |
/// | 410 | `RemoteError.gone` |
/// | 429 | `RemoteError.throttled`, with the seconds of `Retry-After` |
/// | 408, 425, 500 to 599, none | `RemoteError.later`, with the seconds of `Retry-After` |
/// | any other, and a body that is not the message | `RemoteError.incompatible` |
///
/// A proxy may answer a push by 413, because its own limit is lower than that of the service. The push throws
/// `RemoteError.later`, and the next ones are smaller until some were accepted. If a single record was too large, it is refused for
/// an hour, and so are larger ones. This holds for a remote and its copies: keep one, since another begins with large pushes.
public struct HTTPRemote: Remote {
    /// Returns the token to send as `Authorization: Bearer …`, or nil for none.
    ///
    /// The argument is nil at first. After status 401 the function is called once more, with the refused token. If it
    /// returns another token, then the request is sent again, else the request fails as `RemoteError.unauthorized`.
    /// Two requests at once may both be refused: compare the refused token with the current one.
    public typealias TokenSource = @Sendable (_ refused: String?) async throws -> String?

    /// Sends a request, and returns the body and the head of the response.
    public typealias Transport = @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

    /// Compresses the body of a request to gzip's format; returns nil if the request is to be sent uncompressed.
    ///
    /// Foundation has no such function on Linux: use one of zlib or of the Compression framework.
    public typealias Compression = @Sendable (_ body: Data) -> Data?

    /// The fewest bytes of a body that is compressed; smaller ones fit into a packet as they are.
    private static let leastCompressedBody = 1_024

    private let url: URL
    private let compress: Compression
    private let timeout: Duration
    private let maximumBody: Int
    private let limits: Locked<LoweredLimits>
    private let clock: any Clock<Duration>
    private let date: @Sendable () -> Date
    private let transport: Transport
    private let token: TokenSource

    /// Creates a remote.
    ///
    /// - Parameters:
    ///   - url: The address of the server, to which `sync/v1/…` is appended.
    ///   - token: Returns the bearer token.
    ///   - compress: Compresses the bodies of requests of 1 kB and more. The server must read gzip's format, as
    ///     `sync-server` does; others answer with status 415.
    ///   - timeout: The longest time of a request. It must be longer than the service waits for a notification.
    ///   - maximumBody: The most bytes in the body of a response.
    ///   - pushBytes: The most bytes of attribute values in a push with several records, even if the service accepts
    ///     more. A push that is not sent within the timeout would be sent again without end.
    ///   - clock: Measures the timeout, and the pauses between requests for notifications.
    ///   - date: Returns the current date, for a `Retry-After` that is a date, and for how long a record counts as too large.
    ///   - transport: Sends the requests. It must end soon after its task is cancelled.
    public init(
        _ url: URL, token: @escaping TokenSource = { _ in nil }, compress: @escaping Compression = { _ in nil },
        timeout: Duration = .seconds(60),
        maximumBody: Int = 64 << 20, pushBytes: Int = 1_000_000, clock: any Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        transport: @escaping Transport = HTTPRemote.standardTransport
    ) {
        self.url = url
        self.compress = compress
        self.timeout = timeout
        self.maximumBody = maximumBody
        limits = Locked(LoweredLimits(pushBytes: pushBytes))
        self.clock = clock
        self.date = date
        self.transport = transport
        self.token = token
    }

    /// Introduces the device.
    ///
    /// - Throws: `RemoteError`, `CancellationError`.
    public func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        var response: HandshakeResponse = try await send(request.data, to: .handshake)
        let limits = limits.current
        response.limits.pushBytes = min(response.limits.pushBytes, limits.pushBytes)
        response.limits.bytes = min(response.limits.bytes, limits.recordBytes(at: date()))
        return response
    }

    /// Returns a page of what others have changed.
    ///
    /// - Throws: `RemoteError`, `CancellationError`.
    public func pull(_ request: PullRequest) async throws -> PullResponse {
        try await send(request.data, to: .pull)
    }

    /// Makes the device's changes, or repeats the stored response to the same push.
    ///
    /// - Throws: `RemoteError`, `CancellationError`.
    public func push(_ request: PushRequest) async throws -> PushResponse {
        let data = request.data
        do {
            let response: PushResponse = try await send(data, to: .push)
            limits.withLock { $0.accept() }
            return response
        } catch let error as TooLargeBody {
            let now = date()
            let isLowered = limits.withLock { $0.refuse(request, bodySize: data.count, at: now) }
            throw isLowered ? RemoteError.later() : error.error
        }
    }

    /// Returns an element after each answered request for notifications: the end of the history, or nil.
    ///
    /// An answer also arrives when the service has waited in vain. Its position shows whether there was a change between
    /// two requests. Failed requests are repeated after growing pauses of up to a minute, and so are those whose answer
    /// cannot be read, such as the page of a proxy. The stream ends if the authorization is refused, or if the status shows
    /// that both ends are incompatible.
    public func notifications() -> AsyncStream<SyncCursor?> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                var pause = 1
                // A cancelled sleep ends the loop, as does an error that does not pass by itself.
                repeat {
                    do {
                        let answer = try await body(of: .notifications, sending: nil)
                        continuation.yield(try ChangeNotice(data: answer).cursor)
                        pause = 1
                    } catch is MessageError {
                        pause = min(2 * pause, 60)
                    } catch RemoteError.later(let seconds), RemoteError.throttled(let seconds) {
                        pause = max(seconds ?? 0, min(2 * pause, 60))
                    } catch {
                        break
                    }
                } while (try? await clock.sleep(for: .seconds(pause))) != nil
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension HTTPRemote {
    private func send<Response: SyncMessage>(_ data: Data, to route: HTTPRoute) async throws -> Response {
        let body = try await body(of: route, sending: data)
        do {
            return try Response(data: body)
        } catch {
            throw RemoteError.incompatible("the response to \(route) is not the message: \(error)")
        }
    }

    /// Returns the body of a response with status 200; refreshes the token once.
    private func body(of route: HTTPRoute, sending data: Data?) async throws -> Data {
        let current = try await token(replacing: nil)
        let response = try await answer(to: request(route, data, current))
        guard response.1.statusCode == 401, let current else { return try checked(response, of: route) }
        guard let refreshed = try await token(replacing: current), refreshed != current else {
            throw RemoteError.unauthorized
        }
        return try checked(await answer(to: request(route, data, refreshed)), of: route)
    }

    private func token(replacing refused: String?) async throws -> String? {
        do {
            return try await token(refused)
        } catch {
            throw try failure(error)
        }
    }

    /// Returns the address of a path of the service; nil if there is none.
    private func address(of route: HTTPRoute) -> URL? {
        let base = url.absoluteString
        return URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + route.rawValue)
    }

    private func request(_ route: HTTPRoute, _ body: Data?, _ token: String?) throws -> URLRequest {
        guard ["http", "https"].contains(url.scheme?.lowercased()), let url = address(of: route) else {
            throw RemoteError.incompatible("the address of the service is not one of HTTP")
        }
        var request = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: timeout / .seconds(1))
        request.httpMethod = route.method
        if let body, body.count >= Self.leastCompressedBody, let compressed = compress(body) {
            request.httpBody = compressed
            request.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
        } else {
            request.httpBody = body
        }
        request.httpShouldHandleCookies = false
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let token {
            // Anything else could end the header and begin another one.
            guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw RemoteError.unauthorized }
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        return request
    }

    private func answer(to request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let transport = transport
        do {
            let answer = try await Self.$bodyLimit.withValue(maximumBody) {
                try await withTimeout(timeout, clock) { try await transport(request) }
            }
            guard let answer else { throw RemoteError.later() }
            return answer
        } catch {
            throw try failure(error)
        }
    }

    /// Returns the error to throw for an error below HTTP.
    private func failure(_ error: any Error) throws -> any Error {
        if error is CancellationError || Task.isCancelled { throw CancellationError() }
        return error is RemoteError ? error : RemoteError.later()
    }

    private func checked(_ response: (Data, HTTPURLResponse), of route: HTTPRoute) throws -> Data {
        let (data, head) = response
        if data.count > maximumBody { throw RemoteError.tooLarge(maximumBody) }
        if head.statusCode == 200 { return data }
        let error = RemoteError(head, data, of: address(of: route)?.path ?? route.rawValue, date())
        if head.statusCode == 413, route == .push { throw TooLargeBody(error: error) }
        throw error
    }

    /// A push that was refused for the size of its body, with the error of its response.
    private struct TooLargeBody: Error {
        let error: RemoteError
    }
}

extension HTTPRemote {
    /// The most bytes in the body of a response to a request of the current task.
    @TaskLocal static var bodyLimit = Int.max

    /// A transport that follows no redirection, so that the token reaches no other server, and that stores no cookies.
    ///
    /// It cancels a request as soon as the body of the response is larger than the remote accepts, also if the body was
    /// compressed.
    public static let standardTransport: Transport = {
        let configuration = URLSessionConfiguration.ephemeral
        // On Linux, only tasks of a session without a cache can be cancelled; see SessionRequest.
        configuration.urlCache = nil
        return transport(
            over: URLSession(configuration: configuration, delegate: SessionReceiver(), delegateQueue: nil))
    }()

    /// Returns a transport over a session of the app.
    ///
    /// On Linux, set the `urlCache` of its configuration to nil: the requests of a session with a cache cannot be cancelled
    /// safely there. A cancelled call returns at once, and its request goes on until its response has arrived.
    ///
    /// The session's delegate decides about redirections. Let it refuse them: on Linux, a session without a delegate
    /// sends the token to any server to which it is redirected. Such a session collects each body as a whole, and the remote
    /// refuses a large one afterwards.
    public static func transport(over session: URLSession) -> Transport {
        { request in
            let (data, response) = try await SessionRequest(request, over: session).response()
            guard let response = response as? HTTPURLResponse else {
                throw RemoteError.incompatible("the address of the service is not one of HTTP")
            }
            return (data, response)
        }
    }
}
