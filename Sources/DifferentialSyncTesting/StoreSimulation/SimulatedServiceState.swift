import SyncPersistence

/// The service of a simulation.
package struct SimulatedServiceState: Sendable {
    /// What the service has stored.
    package internal(set) var disk: SimulatedDisk

    /// How many of the next requests are throttled.
    var throttledCount = 0

    /// Whether changes are refused.
    var refuses = false

    /// How many names the service and the relay have made.
    var nameCount = 0

    /// Creates a service without copies and faults.
    init(_ content: InMemoryContent) { disk = SimulatedDisk(content) }
}

extension SimulatedServiceState {
    /// Throttles the next request if a number of them must be, and returns whether it does.
    mutating func throttleNext() -> Bool {
        if throttledCount == 0 { return false }
        throttledCount -= 1
        return true
    }

    /// Ends everything that keeps requests from being answered.
    mutating func endFaults() {
        disk.failure = nil
        throttledCount = 0
        refuses = false
    }

    /// Hashes what is stored, and what keeps the service from answering.
    func hash(into hasher: inout Hasher) {
        disk.hash(into: &hasher)
        hasher.combine(throttledCount)
        hasher.combine(refuses)
        hasher.combine(nameCount)
    }
}
