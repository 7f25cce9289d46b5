/// The counts and the times of requests by route.
struct RequestCounters {
    /// A path that the server has; all others count as one.
    enum Route: String, CaseIterable {
        case handshake = "/sync/v1/handshake"
        case pull = "/sync/v1/pull"
        case push = "/sync/v1/push"
        case notifications = "/sync/v1/notifications"
        case live = "/health/live"
        case ready = "/health/ready"
        case metrics = "/metrics"
        case operations = "/operations"
        case devices = "/operations/devices"
        case other

        /// Returns the route of a path.
        ///
        /// The path is compared as it was sent.
        init(path: String) { self = Route(rawValue: String(path.prefix { $0 != "?" })) ?? .other }
    }

    /// The times of a route's requests.
    struct Times {
        /// The number of requests that took at most ``bounds`` seconds, by bound.
        var counts = [Int](repeating: 0, count: bounds.count)
        var count = 0
        var sum = 0.0

        static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    }

    private(set) var statuses: [Route: [Int: Int]] = [:]
    private(set) var times: [Route: Times] = [:]

    /// Counts an answered request.
    mutating func add(_ route: Route, status: Int, seconds: Double) {
        statuses[route, default: [:]][status, default: 0] += 1
        var times = times[route] ?? Times()
        for (index, bound) in Times.bounds.enumerated() where seconds <= bound { times.counts[index] += 1 }
        times.count += 1
        times.sum += seconds
        self.times[route] = times
    }
}
