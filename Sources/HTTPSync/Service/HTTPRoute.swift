/// A path that the service answers.
package enum HTTPRoute: String, CaseIterable, Sendable {
    case handshake = "/sync/v1/handshake"
    case pull = "/sync/v1/pull"
    case push = "/sync/v1/push"
    case notifications = "/sync/v1/notifications"

    /// The only method of the path.
    package var method: String { self == .notifications ? "GET" : "POST" }

    /// The route of a request's path; nil if there is none.
    ///
    /// Paths are compared as they were sent: an escaped or relative path is none of the service's.
    init?(path: String) {
        self.init(rawValue: String(path.prefix { $0 != "?" }))
    }
}

/// A failure of the service, with the code in its JSON.
///
/// The guide *Serving devices* explains each of them.
package enum HTTPProblem: String, CaseIterable, Sendable {
    case malformed, incompatible, unauthorized, unknownPath, wrongMethod, handshakeNeeded, gone, tooLarge, wrongType
    case throttled, failed, later

    /// The status of the response.
    package var status: Int {
        switch self {
        case .malformed, .incompatible: 400
        case .unauthorized: 401
        case .unknownPath: 404
        case .wrongMethod: 405
        case .handshakeNeeded: 409
        case .gone: 410
        case .tooLarge: 413
        case .wrongType: 415
        case .throttled: 429
        case .failed: 500
        case .later: 503
        }
    }
}
