import Dispatch

/// A value that one thread at a time can access.
// because: all access to the value goes through the serial queue.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    /// The queue on which the value is accessed.
    private let queue = DispatchQueue(label: "DifferentialSync.Locked")
    /// The protected value.
    private var value: Value

    /// Creates a lock around a value.
    package init(_ value: consuming Value) {
        self.value = value
    }

    /// Reads or changes the value.
    ///
    /// The body must not wait for another access.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try queue.sync { try body(&value) }
    }
}

extension Locked {
    /// The current value.
    package var current: Value { withLock { $0 } }

    /// Replaces the value, and returns the former one.
    @discardableResult
    package func exchange(with new: consuming Value) -> Value {
        var new = new
        withLock { swap(&$0, &new) }
        return new
    }
}
