/// The delays of a coordinator after failures, which grow and have a random part.
///
/// Without a random part, all devices would return at the same time after a failure of their service.
public struct RetrySchedule: Hashable, Sendable {
    /// The longest delay after the first failure.
    public var first: Duration

    /// By how much the delay grows with each further failure.
    public var factor: Double

    /// The longest delay of all.
    public var longest: Duration

    /// The part of a delay that is random, from 0 to 1.
    public var jitter: Double

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - first: The longest delay after the first failure.
    ///   - factor: By how much the delay grows with each further failure.
    ///   - longest: The longest delay of all.
    ///   - jitter: The part of a delay that is random, from 0 to 1.
    public init(first: Duration, factor: Double = 2, longest: Duration, jitter: Double = 0.5) {
        self.first = first
        self.factor = factor
        self.longest = longest
        self.jitter = jitter
    }
}

extension RetrySchedule {
    /// The longest time for which a remote can make a device wait.
    static let longestWish = 86_400

    /// Returns the delay after a number of failures in succession.
    ///
    /// - Parameters:
    ///   - failures: The number of failures, from 1 up.
    ///   - wish: The delay that the remote has requested, in seconds; nil for none. The result is never shorter.
    ///   - generator: Makes the random part.
    /// - Complexity: O(log(longest / first))
    package func delay(
        after failures: Int, wish: Int?, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        var delay = max(first, .zero)
        var count = 1
        while count < failures, factor > 1, delay > .zero, delay < longest {
            delay = delay * min(factor, 100)
            count += 1
        }
        delay = min(delay, max(longest, .zero))
        let random = (jitter > 0 ? min(jitter, 1) : 0) * Double.random(in: 0..<1, using: &generator)
        guard let wish, wish > 0 else { return delay * (1 - random) }
        // A random time later, so that devices that received the same request do not return together.
        let wished = Duration.seconds(min(wish, Self.longestWish))
        return max(wished + wished * (random / 10), delay * (1 - random))
    }
}
