#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A clock of any type, with times as durations since its creation.
struct CoordinatorClock: Sendable {
    /// Returns the time since the start of the clock.
    private let elapsed: @Sendable () -> Duration
    /// Waits until a time of the clock.
    private let sleep: @Sendable (Duration) async throws -> Void
    /// Returns the date of the wall clock, which is shown and never used to wait.
    private let date: @Sendable () -> Date

    /// Creates a clock from one of any type.
    ///
    /// - Parameters:
    ///   - clock: Measures delays.
    ///   - date: Returns the date, which is only shown.
    init<C: Clock<Duration>>(_ clock: C, date: @escaping @Sendable () -> Date) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
        self.date = date
    }

    /// The present time.
    var now: Moment { Moment(elapsed: elapsed(), date: date()) }

    /// Waits until a time.
    func sleep(until time: Duration) async throws { try await sleep(time) }
}

/// A time, by the clock and as a date.
package struct Moment: Hashable, Sendable {
    /// The time since the creation of the clock.
    package let elapsed: Duration

    /// The same time by the wall clock, for people; it may jump if the user sets the clock.
    package let date: Date

    /// Creates a moment, on the clock and as a date.
    package init(elapsed: Duration, date: Date) {
        self.elapsed = elapsed
        self.date = date
    }

    /// Returns the date of another time.
    func date(of time: Duration) -> Date {
        let (seconds, attoseconds) = (time - elapsed).components
        return date.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
    }
}
