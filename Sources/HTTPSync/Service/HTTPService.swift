import Foundation
public import StoreSync

/// The answering end over HTTP: returns a response for each request, as values.
///
/// ```swift
/// let http = HTTPService { request in
///     guard let account = await accounts.account(of: request.bearerToken) else { throw RemoteError.unauthorized }
///     return SyncService(try await stores.store(of: account), account: account)
/// }
/// let response = await http.response(to: request)
/// ```
///
/// The service has no socket. Any server mounts it: <doc:ServingDevices> has the lines. It also has no state: any
/// number of processes answer the same devices.
public struct HTTPService: Sendable {
    private let maximumBody: Int
    private let wait: Duration
    private let clock: any Clock<Duration>
    private let report: @Sendable (any Error, HTTPServiceRequest) -> Void
    private let remote: @Sendable (HTTPServiceRequest) async throws -> any Remote

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - maximumBody: The most bytes in the body of a request.
    ///   - wait: How long a request for notifications waits for a change.
    ///   - clock: Measures the wait.
    ///   - report: Called with each error that is not a `RemoteError`, for the log. Its text is not sent to the device.
    ///   - remote: Verifies the authorization of a request, and returns the remote of its account. It is called before
    ///     the body is read. It throws `RemoteError.unauthorized` for a request that it does not accept.
    public init(
        maximumBody: Int = 16 << 20, wait: Duration = .seconds(25), clock: any Clock<Duration> = ContinuousClock(),
        report: @escaping @Sendable (any Error, HTTPServiceRequest) -> Void = { _, _ in },
        remote: @escaping @Sendable (HTTPServiceRequest) async throws -> any Remote
    ) {
        self.maximumBody = maximumBody
        self.wait = wait
        self.clock = clock
        self.report = report
        self.remote = remote
    }

    /// Returns the response to a request, whatever the request is.
    ///
    /// - Parameter request: The request, with its complete body. The server must stop reading a body that is larger
    ///   than its own limit, or that arrives too slowly.
    /// - Returns: The response, with status 200 or the JSON of an error.
    public func response(to request: HTTPServiceRequest) async -> HTTPServiceResponse {
        guard let route = HTTPRoute(path: request.path) else {
            return .failure(
                .unknownPath, "The service has no such path. The address of an HTTPRemote ends before /sync/v1.")
        }
        guard request.method == route.method else {
            return .failure(.wrongMethod, "The path needs the method \(route.method).", ["Allow": route.method])
        }
        if request.body.count > maximumBody {
            return .failure(.tooLarge, "A body has at most \(maximumBody) bytes.")
        }
        if route.method == "POST", !request.isJSON {
            return .failure(.wrongType, "The content type must be application/json.")
        }
        if request.isEncoded {
            return .failure(.wrongType, "Compressed bodies are not read: send the body without a content coding.")
        }
        do {
            return try await .success(answer(route, request))
        } catch let error as RemoteError {
            return .failure(error)
        } catch let error as MessageError {
            return .failure(.malformed, error.description)
        } catch is CancellationError {
            return .failure(.later())
        } catch {
            report(error, request)
            return .failure(.failed, "The service has failed.")
        }
    }

    private func answer(_ route: HTTPRoute, _ request: HTTPServiceRequest) async throws -> Data {
        let remote = try await remote(request)
        switch route {
        case .handshake: return try await remote.handshake(HandshakeRequest(data: request.body)).data
        case .pull: return try await remote.pull(PullRequest(data: request.body)).data
        case .push: return try await remote.push(PushRequest(data: request.body)).data
        case .notifications:
            var notice = try await waitForChange(remote.notifications())
            // Without the position, a device that has made the change itself would begin a cycle, as would an idle one.
            if notice.cursor == nil, notice.hasChanged {
                // A change is reported even if the position cannot be read.
                notice.cursor = try? await remote.position()
            } else if notice.cursor == nil {
                notice.cursor = try await remote.position()
            }
            return notice.data
        }
    }

    /// Returns whether an element arrives before the wait is over, and which.
    private func waitForChange(_ notifications: AsyncStream<SyncCursor?>) async throws -> ChangeNotice {
        let notice = try await withTimeout(wait, clock) {
            for await cursor in notifications { return ChangeNotice(hasChanged: true, cursor: cursor) }
            // A remote without notifications must not be asked again and again.
            try await clock.sleep(for: wait)
            return ChangeNotice(hasChanged: false)
        }
        return notice ?? ChangeNotice(hasChanged: false)
    }
}

extension HTTPServiceRequest {
    /// Whether the content type is that of JSON, with or without parameters.
    fileprivate var isJSON: Bool {
        let type = headers["content-type"]?.prefix { $0 != ";" }.lowercased()
        return type?.split(separator: " ") == ["application/json"]
    }

    /// Whether the body has a content coding, such as gzip, which the server has not taken off.
    fileprivate var isEncoded: Bool {
        !["", "identity"].contains(headers["content-encoding"]?.lowercased() ?? "")
    }
}

extension HTTPServiceResponse {
    /// Returns the response for an error that the device handles.
    static func failure(_ error: RemoteError) -> HTTPServiceResponse {
        func retryAfter(_ seconds: Int?) -> [String: String] { seconds.map { ["Retry-After": "\(max($0, 0))"] } ?? [:] }
        switch error {
        case .later(let seconds): return .failure(.later, "Try again later.", retryAfter(seconds))
        case .throttled(let seconds): return .failure(.throttled, "Too many requests.", retryAfter(seconds))
        case .unauthorized:
            return .failure(.unauthorized, "The authorization is not accepted.", ["WWW-Authenticate": "Bearer"])
        case .incompatible(let message): return .failure(.incompatible, message)
        case .handshakeNeeded(let message): return .failure(.handshakeNeeded, message)
        case .gone(let message): return .failure(.gone, message)
        }
    }
}
