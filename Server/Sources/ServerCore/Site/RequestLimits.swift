import Synchronization

/// Limits the requests of each account in a minute.
///
/// An account may make its requests of a minute at once. They are replenished evenly.
final class RequestLimits: Sendable {
    private struct Bucket {
        var rest: Double
        var time: Double
    }

    private let perMinute: Double
    private let buckets = Mutex<[AccountName: Bucket]>([:])

    /// The number of buckets above which full ones are removed.
    private static let bucketLimit = 10_000

    /// - Parameter perMinute: The most requests; 0 for no limit.
    init(perMinute: Int) { self.perMinute = Double(perMinute) }

    /// Counts a request at a time in seconds; returns how many seconds to wait if there were too many.
    func pause(for account: AccountName, at time: Double) -> Int? {
        if perMinute == 0 { return nil }
        return buckets.withLock { buckets in
            if buckets.count > Self.bucketLimit {
                buckets = buckets.filter { self.rest(of: $0.value, at: time) < perMinute }
            }
            let rest = buckets[account].map { self.rest(of: $0, at: time) } ?? perMinute
            buckets[account] = Bucket(rest: max(rest - 1, 0), time: time)
            if rest >= 1 { return nil }
            buckets[account]?.rest = rest
            return max(1, Int(((1 - rest) * 60 / perMinute).rounded(.up)))
        }
    }

    private func rest(of bucket: Bucket, at time: Double) -> Double {
        min(perMinute, bucket.rest + max(0, time - bucket.time) * perMinute / 60)
    }
}
