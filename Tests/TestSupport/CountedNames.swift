package import SyncPersistence

extension Locked where Value: FixedWidthInteger {
    /// Counts up, and returns the new count.
    package func next() -> Value {
        withLock { count in
            count += 1
            return count
        }
    }
}

/// Returns a function that returns names with a number: "device 1", "device 2" and so on.
public func countedNames(_ prefix: String) -> @Sendable () -> String {
    let count = Locked(0)
    return { "\(prefix) \(count.next())" }
}
