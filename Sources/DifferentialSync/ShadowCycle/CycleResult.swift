/// What a cycle of client, shadow and remote comes to.
///
/// Nothing has been stored: first ``push`` goes to the remote, and only once it has succeeded do ``client`` and
/// ``shadow`` take the place of the old ones.
public struct CycleResult<Element> {
    /// The client once the push has succeeded.
    ///
    /// Where a conflict is left open, its own version stands.
    public let client: [Element]

    /// What is to be pushed to the remote; nil if it has nothing to learn.
    public let push: Diff<Element>?

    /// The shadow once the push has succeeded.
    ///
    /// Where a conflict is left open, the old one stands, so that it comes up again in the next cycle.
    public let shadow: [Element]

    /// What was decided for each record that either side changed, conflicts and how they were settled among them.
    public let merge: ThreeWayMerge<Element>

    @usableFromInline
    init(client: [Element], push: Diff<Element>?, shadow: [Element], merge: ThreeWayMerge<Element>) {
        self.client = client
        self.push = push
        self.shadow = shadow
        self.merge = merge
    }

    /// The conflicts that are left open.
    public var open: [Conflict<Element>] { merge.open }
}

extension CycleResult: Sendable where Element: Sendable {}
extension CycleResult: Equatable where Element: Equatable {}

extension CycleResult where Element: Equatable {
    /// How much was pulled, pushed, settled and left open. O(number of changes)
    public var counts: SyncCounts { merge.counts }
}

/// How much a cycle of synchronization has done.
public struct SyncCounts: Hashable, Sendable, Codable {
    /// What changed here.
    public var pulled: ChangeCounts
    /// What changed there.
    public var pushed: ChangeCounts
    /// How many conflicts were settled.
    public var settled: Int
    /// How many conflicts were left open.
    public var open: Int

    /// Counts, all zero unless given.
    public init(
        pulled: ChangeCounts = ChangeCounts(), pushed: ChangeCounts = ChangeCounts(), settled: Int = 0, open: Int = 0
    ) {
        self.pulled = pulled
        self.pushed = pushed
        self.settled = settled
        self.open = open
    }
}

extension SyncCounts: CustomStringConvertible {
    /// Such as `pulled 2 added; pushed 1 deleted; 1 conflict settled, 0 open`.
    public var description: String {
        "pulled \(pulled); pushed \(pushed); \(settled) conflict\(settled == 1 ? "" : "s") settled, \(open) open"
    }
}

extension ThreeWayMerge where Element: Equatable {
    /// How much was pulled, pushed, settled and left open. O(number of decisions)
    public var counts: SyncCounts {
        SyncCounts(
            pulled: toLocal?.counts ?? ChangeCounts(), pushed: toRemote?.counts ?? ChangeCounts(),
            settled: settled.count, open: open.count)
    }
}
