import Dispatch

/// Passes the commits of a store to its observers, all of them to each in order.
///
/// It is for authors of adapters. For a slow observer, commits wait in an unbounded buffer.
public struct CommitFeed: Sendable {
    private let observers = Observers()

    /// Creates a feed without observers.
    public init() {}

    /// Passes a commit to all observers.
    ///
    /// Call it in the order of the commits.
    public func publish(_ commit: Commit) {
        if commit.isEmpty { return }
        observers.publish(commit)
    }

    /// Returns the commits from now on; an ended stream after ``finish()``.
    public func commits() -> AsyncStream<Commit> {
        AsyncStream(bufferingPolicy: .unbounded) { observers.add($0) }
    }

    /// Ends the streams of all observers, and those of later observers at once.
    ///
    /// Later commits are dropped.
    public func finish() { observers.finish() }
}

// because: all access to the dictionary goes through the serial queue.
private final class Observers: @unchecked Sendable {
    private let queue = DispatchQueue(label: "DifferentialSync.CommitFeed")
    private var continuations: [Int: AsyncStream<Commit>.Continuation] = [:]
    private var count = 0
    private var isFinished = false

    func add(_ continuation: AsyncStream<Commit>.Continuation) {
        let number: Int? = queue.sync {
            if isFinished { return nil }
            count += 1
            continuations[count] = continuation
            return count
        }
        guard let number else { return continuation.finish() }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
    }

    private func remove(_ number: Int) {
        // Not at once: a stream may end while a commit is being published.
        queue.async { self.continuations[number] = nil }
    }

    func publish(_ commit: Commit) {
        queue.sync { for continuation in continuations.values { continuation.yield(commit) } }
    }

    func finish() {
        let last = queue.sync {
            isFinished = true
            defer { continuations = [:] }
            return Array(continuations.values)
        }
        for continuation in last { continuation.finish() }
    }
}
