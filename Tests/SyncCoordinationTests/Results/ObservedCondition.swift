import Observation

/// Waits until a condition on observed properties holds.
@MainActor func until(_ condition: () -> Bool) async {
    while true {
        let (changes, signal) = AsyncStream<Void>.makeStream()
        // Registers before it suspends, so that no change is missed.
        let isTrue = withObservationTracking(condition) { signal.yield() }
        if isTrue { return }
        for await _ in changes { break }
    }
}
