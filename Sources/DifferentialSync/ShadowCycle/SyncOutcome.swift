/// The end of a cycle, with the numbers of its changes.
public struct SyncOutcome: Hashable, Sendable, Codable {
    /// The way in which a cycle ends.
    public enum Ending: Hashable, Sendable, Codable {
        /// Client and remote agree, except for open conflicts: everything was pulled, and nothing is left to push.
        case synced
        /// The remote refused a push in each of these rounds, or the collection was edited during each of them.
        ///
        /// No push is in doubt. Changes that were not pushed are still local changes.
        case gaveUp(rounds: Int)
        /// A pull failed. No push is in doubt.
        case failed
        /// The push with this name was not answered. The next cycle first asks the remote whether it applied the push.
        case inDoubt(pushID: String)
    }

    /// The way in which the cycle has ended.
    public let ending: Ending

    /// The numbers of pulled and pushed changes and of resolved conflicts in all rounds, and of open conflicts at the
    /// end.
    public let counts: SyncCounts

    /// The version of the remote with which the client last agreed; nil if there is none.
    public let version: RemoteVersion?

    /// The messages of the cycle.
    public let trace: SyncTrace

    /// Creates an outcome of the given parts.
    public init(
        _ ending: Ending, counts: SyncCounts = SyncCounts(), version: RemoteVersion? = nil,
        trace: SyncTrace = SyncTrace()
    ) {
        self.ending = ending
        self.counts = counts
        self.version = version
        self.trace = trace
    }

    /// Whether client and remote agree, except for open conflicts.
    public var isSynced: Bool { ending == .synced }
}
