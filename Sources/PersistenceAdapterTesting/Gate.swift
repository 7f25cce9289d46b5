import Dispatch

/// A gate that is opened once: transactions wait for it on their threads, checks without one.
///
/// Nothing waits forever, because a broken adapter may never get to where the gate is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// How long to wait for what an adapter that keeps the contract does at once.
    static let patience = DispatchTimeInterval.seconds(30)

    /// How long one transaction waits for another call, that may not be able to run at the same time.
    static let briefly = DispatchTimeInterval.seconds(2)

    func open() { semaphore.signal() }

    /// Blocks the thread until the gate is open; false if that takes too long.
    @discardableResult
    func wait(for patience: DispatchTimeInterval = Gate.briefly) -> Bool {
        guard semaphore.wait(timeout: .now() + patience) == .success else { return false }
        semaphore.signal()
        return true
    }

    /// Whether the gate is opened in time.
    func opens() async -> Bool {
        await withCheckedContinuation { continuation in
            // A queue of its own has a thread even where all threads of the tasks are blocked.
            DispatchQueue(label: "DifferentialSyncTesting.Gate").async {
                continuation.resume(returning: self.wait(for: Gate.patience))
            }
        }
    }
}

/// Begins work on this thread, and returns where it first waits: what it calls until then was called before what comes
/// next.
///
/// - Returns: The task; nil where the system cannot begin one at once.
func begin<Result: Sendable>(
    _ work: sending @escaping () async throws -> Result
) -> Task<Result, any Error>? {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return nil }
    return Task.immediate { try await work() }
}
