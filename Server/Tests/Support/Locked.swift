import Synchronization

/// A value behind a lock, as the cluster of the root package's tests uses one.
package final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    /// Creates a lock with a value.
    package init(_ value: Value) { self.value = Mutex(value) }

    /// Calls the body with the value.
    package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try value.withLock { value in
            var copy = value
            defer { value = copy }
            return try body(&copy)
        }
    }
}
