import Dispatch

/// A value that one thread at a time reads or changes.
// because: the value is reached from within `withLock` alone, where the queue runs one body at a time.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    private let queue = DispatchQueue(label: "DifferentialSync.Locked")

    init(_ value: Value) { self.value = value }

    /// Runs the body, which is to be short, and is not to lock the same value.
    func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try queue.sync { try body(&value) }
    }
}
