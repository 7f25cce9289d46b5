import Dispatch

/// Passes the commits of a store to its observers, all of them to each in order.
///
/// It is for authors of adapters. For a slow observer, commits wait in an unbounded buffer.
public struct CommitFeed: Sendable {
    /// The observers, which all copies of the feed share.
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

    /// Passes on that there are commits up to a number, unless this feed has passed on a commit with that number.
    ///
    /// The last commit may be one of this process that is about to be published. Observers then receive it as well.
    public func publishOthers(through sequence: Int64) {
        observers.publish(
            Commit(
                sequence: sequence, unchangedCount: 0, heldBack: [], metadata: [], isOfOthers: true))
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
    /// Protects all variables, and orders commits.
    private let queue = DispatchQueue(label: "DifferentialSync.CommitFeed")
    /// The streams by their numbers.
    private var continuations: [Int: AsyncStream<Commit>.Continuation] = [:]
    /// The number of the stream that was added last.
    private var count = 0
    /// The greatest number of a published commit; nil if there was none.
    private var latest: Int64?
    /// Whether the store was closed.
    private var isFinished = false

    /// Adds a stream, or ends it at once if the feed is finished.
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

    /// Removes a stream that has ended.
    private func remove(_ number: Int) {
        // Not at once: a stream may end while a commit is being published.
        queue.async { self.continuations[number] = nil }
    }

    /// Passes a commit to all streams.
    ///
    /// A commit of another process is left out if a later one was published.
    func publish(_ commit: Commit) {
        queue.sync {
            if commit.isOfOthers, let latest, latest >= commit.sequence { return }
            latest = max(latest ?? commit.sequence, commit.sequence)
            for continuation in continuations.values { continuation.yield(commit) }
        }
    }

    /// Ends all streams, and those that are added later.
    func finish() {
        let last = queue.sync {
            isFinished = true
            defer { continuations = [:] }
            return Array(continuations.values)
        }
        for continuation in last { continuation.finish() }
    }
}
