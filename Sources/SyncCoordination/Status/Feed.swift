import SyncPersistence

/// Passes the latest elements to each of any number of observers.
struct Feed<Element: Sendable>: Sendable {
    /// How many elements wait for a slow observer; older ones are dropped.
    private let limit: Int
    /// The streams by number, and the number of the last one.
    private let observers = Locked<(count: Int, continuations: [Int: AsyncStream<Element>.Continuation])>((0, [:]))

    /// Creates a feed without observers.
    ///
    /// - Parameter limit: How many elements wait for a slow observer at most.
    init(limit: Int) { self.limit = limit }

    /// Passes an element to all observers.
    func publish(_ element: Element) {
        for continuation in observers.current.continuations.values { continuation.yield(element) }
    }

    /// Returns the elements from now on.
    ///
    /// - Parameter first: An element that comes before them; nil for none.
    func stream(beginningWith first: Element? = nil) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            if let first { continuation.yield(first) }
            let number = observers.withLock { observers in
                observers.count += 1
                observers.continuations[observers.count] = continuation
                return observers.count
            }
            continuation.onTermination = { [observers] _ in
                observers.withLock { $0.continuations[number] = nil }
            }
        }
    }
}
