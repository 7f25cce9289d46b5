/// The requests of one cycle of a store, in order, with what each response changed.
///
/// As text it is one line for a log:
///
/// ```swift
/// let line = "\(outcome.trace)"  // handshake, 3 × pull, push · pulled 250; pushed 3
/// ```
///
/// It has no records, keys, names or times.
public struct StoreTrace: Hashable, Sendable {
    /// The requests so far; consecutive pulls are one event.
    public private(set) var events: [Event] = []

    /// One request to the remote, or consecutive pulls.
    public struct Event: Hashable, Sendable {
        /// The request.
        public let request: Request

        /// How often the request was made: 1, except for pulls.
        public fileprivate(set) var count = 1

        /// How many changes of others the pages had.
        public fileprivate(set) var pulledCount = 0

        /// How many local changes the remote has accepted.
        ///
        /// A handshake may have the response to a push whose own response was lost.
        public fileprivate(set) var pushedCount = 0

        /// Why the request has failed; nil if it was answered.
        public let failure: RemoteError?
    }

    /// The kind of a request.
    public enum Request: String, Hashable, Sendable {
        /// The request that compares both ends, and brings the response to a push whose own response was lost.
        case handshake
        /// The request for a page of what others have changed.
        case pull
        /// The request with local changes.
        case push
    }

    /// How many changes of others the pages of all events had.
    public private(set) var pulledCount = 0

    /// How many local changes the remote has accepted in all events.
    public private(set) var pushedCount = 0

    init() {}

    /// Adds a request whose response is about to be taken, or that has failed.
    mutating func begin(_ request: Request, failure: RemoteError? = nil) {
        if request == .pull, failure == nil, let last = events.last, last.request == .pull, last.failure == nil {
            events[events.count - 1].count += 1
        } else {
            events.append(Event(request: request, failure: failure))
        }
    }

    /// Counts changes of the last event.
    mutating func count(pulled: Int = 0, pushed: Int = 0) {
        guard !events.isEmpty else { return }
        events[events.count - 1].pulledCount += pulled
        events[events.count - 1].pushedCount += pushed
        pulledCount += pulled
        pushedCount += pushed
    }
}

extension StoreTrace: CustomStringConvertible {
    /// One line, such as `handshake, 3 × pull, push · pulled 250; pushed 3`.
    public var description: String {
        var parts: [String] = []
        if pulledCount > 0 { parts.append("pulled \(pulledCount)") }
        if pushedCount > 0 { parts.append("pushed \(pushedCount)") }
        if parts.isEmpty { parts.append("nothing changed") }
        let requests = events.isEmpty ? "no requests" : events.map(\.description).joined(separator: ", ")
        return "\(requests) · \(parts.joined(separator: "; "))"
    }
}

extension StoreTrace.Event: CustomStringConvertible {
    /// The request, such as `pull`, `3 × pull` or `push failed: later`.
    public var description: String {
        let name = count == 1 ? request.rawValue : "\(count) × \(request.rawValue)"
        return failure.map { "\(name) failed: \($0.summary)" } ?? name
    }
}

extension RemoteError {
    /// The kind of failure, such as `later, after 30 seconds`.
    fileprivate var summary: String {
        switch self {
        case .later(let seconds): "later\(seconds.map { ", after \($0) seconds" } ?? "")"
        case .throttled(let seconds): "too many requests\(seconds.map { ", again after \($0) seconds" } ?? "")"
        case .unauthorized: "unauthorized"
        case .incompatible(let reason): "incompatible: \(reason)"
        case .handshakeNeeded(let reason): "handshake needed: \(reason)"
        case .gone(let reason): "gone: \(reason)"
        }
    }
}
