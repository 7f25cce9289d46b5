/// A count of the events of the last minute, by seconds.
struct MinuteCounter {
    private var counts = [Int](repeating: 0, count: 60)
    private var second = 0

    /// Counts events at a time, in seconds.
    mutating func add(_ count: Int, at time: Double) {
        advance(to: time)
        counts[second % 60] += count
    }

    /// Returns the number of events in the minute before a time.
    mutating func total(at time: Double) -> Int {
        advance(to: time)
        return counts.reduce(0, +)
    }

    /// Forgets what is older than a minute.
    ///
    /// A clock that was set back counts as standing still.
    private mutating func advance(to time: Double) {
        let now = Int(max(0, min(time, 1e15)))
        if now <= second { return }
        for old in (second + 1)...min(now, second + 60) { counts[old % 60] = 0 }
        second = now
    }
}
