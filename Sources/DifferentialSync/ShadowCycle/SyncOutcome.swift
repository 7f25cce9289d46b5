/// How a cycle has ended, and how much it has done.
public struct SyncOutcome: Hashable, Sendable, Codable {
    /// The way in which a cycle ends.
    public enum Ending: Hashable, Sendable, Codable {
        /// Client and remote agree, except for conflicts left open: everything was pulled, and nothing is left to push.
        case synced
        /// The remote refused a push in each of these rounds, or the collection was edited during each of them.
        ///
        /// Nothing is in doubt. What was not pushed is still a local change.
        case gaveUp(rounds: Int)
        /// A pull failed. Nothing is in doubt.
        case failed
        /// No answer to the push with this name has arrived. The next cycle begins with the question what became of it.
        case inDoubt(pushID: String)
    }

    /// The way in which the cycle has ended.
    public let ending: Ending

    /// What was pulled, pushed and settled in all rounds, and how many conflicts are open at the end.
    public let counts: SyncCounts

    /// The version of the remote with which the client last agreed; nil if there is none.
    public let version: RemoteVersion?

    /// The messages of the cycle.
    public let trace: SyncTrace

    /// An outcome of the given parts.
    public init(
        _ ending: Ending, counts: SyncCounts = SyncCounts(), version: RemoteVersion? = nil,
        trace: SyncTrace = SyncTrace()
    ) {
        self.ending = ending
        self.counts = counts
        self.version = version
        self.trace = trace
    }

    /// Whether client and remote agree, except for conflicts left open.
    public var isSynced: Bool { ending == .synced }
}

extension SyncCounts {
    /// Adds what was pushed.
    @usableFromInline
    mutating func addPushed(_ counts: ChangeCounts) {
        pushed.added += counts.added
        pushed.deleted += counts.deleted
        pushed.replaced += counts.replaced
    }

    /// Adds what a merge has changed here and settled.
    @usableFromInline
    mutating func addPulled(_ counts: ChangeCounts, settled: Int) {
        pulled.added += counts.added
        pulled.deleted += counts.deleted
        pulled.replaced += counts.replaced
        self.settled += settled
    }
}
