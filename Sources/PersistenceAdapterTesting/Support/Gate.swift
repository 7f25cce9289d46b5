import Dispatch

/// A gate that is opened once and stays open.
///
/// Transactions block their thread at it; checks await it.
///
/// For example, a check begins a write that waits at a gate, makes a second write meanwhile, and opens the gate. The
/// second write must then follow the first.
///
/// No wait is endless, because a broken adapter may never reach the code that opens the gate.
final class Gate: Sendable {
    /// The semaphore, which each thread that passes signals again for the next one.
    private let semaphore = DispatchSemaphore(value: 0)

    /// The longest wait for something that a correct adapter does at once.
    static let patience = DispatchTimeInterval.seconds(120)

    /// The longest wait of a transaction for another call.
    ///
    /// An adapter may correctly refuse to run the two at the same time.
    static let briefly = DispatchTimeInterval.seconds(2)

    /// Opens the gate for all waiting and later callers.
    func open() { semaphore.signal() }

    /// Blocks the thread until the gate is open, and returns false after a timeout.
    @discardableResult
    func wait(for patience: DispatchTimeInterval = Gate.briefly) -> Bool {
        guard semaphore.wait(timeout: .now() + patience) == .success else { return false }
        semaphore.signal()
        return true
    }

    /// Waits without blocking a thread of the tasks, and returns whether the gate was opened in time.
    ///
    /// A check that waited with `wait()` in a task would block one of the few threads that all tasks share, among them
    /// those of the adapter.
    func opens() async -> Bool {
        await withCheckedContinuation { continuation in
            // A separate queue has a thread even if all threads of the tasks are blocked.
            DispatchQueue(label: "DifferentialSyncTesting.Gate").async {
                continuation.resume(returning: self.wait(for: Gate.patience))
            }
        }
    }
}

/// Starts a task on this thread, and returns at its first suspension.
///
/// Calls that the task makes before that point come before the caller's next call.
///
/// Without it, the order in which two tasks reach their first call is up to the system, and a check of an order could
/// fail for a correct adapter.
///
/// - Returns: The task; nil if the system cannot start a task immediately.
func begin<Result: Sendable>(
    _ work: sending @escaping () async throws -> Result
) -> Task<Result, any Error>? {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return nil }
    return Task.immediate { try await work() }
}
