/// The messages of one cycle, in order, with the remote's answer to each and the changes that it made.
///
/// A ``SyncCycle`` records it, and its ``SyncOutcome`` holds it. As text it is one line for a log:
///
/// ```swift
/// let line = "\(outcome.trace)"  // push refused, pull, push accepted · pulled 1 added; pushed 1 replaced
/// ```
///
/// With a remote that does not recognize pushes, `push not applied` follows `push refused`.
///
/// It holds the names of pushes and the versions of the remote. It holds no elements, no keys and no times.
public struct SyncTrace: Hashable, Sendable, Codable {
    /// The messages so far.
    public private(set) var events: [Event] = []

    /// The way in which the cycle ended; nil before.
    public private(set) var ending: SyncOutcome.Ending?

    /// The changes of all messages.
    ///
    /// Open conflicts are counted at the end of the cycle, and are 0 before.
    public private(set) var counts = SyncCounts()

    /// Creates a trace without messages.
    public init() {}

    /// One message to the remote, and its answer.
    public struct Event: Hashable, Sendable, Codable {
        /// The message to the remote.
        public let message: Message

        /// The remote's answer.
        public let answer: Answer

        /// The local changes that the answer made.
        public let pulled: ChangeCounts

        /// The changes of the remote.
        public let pushed: ChangeCounts

        /// The number of conflicts that the policy resolved when the answer was merged.
        public let resolved: Int
    }

    /// A message of a cycle to the remote.
    public enum Message: Hashable, Sendable, Codable {
        /// The request for the status of the push with this name.
        case confirm(pushID: String)
        /// The request for the changes since the version, or for all elements if it is nil.
        case pull(since: RemoteVersion?)
        /// The push with this name.
        case push(pushID: String)
    }

    /// An answer of a remote, without its elements.
    public enum Answer: Hashable, Sendable, Codable {
        /// Status of a push: the remote has applied it.
        case applied
        /// Status of a push: the remote has not applied it.
        case notApplied
        /// Status of a push: the remote does not know.
        case unknown
        /// Answer to a pull: the remote has no collection.
        case nothing
        /// Answer to a pull: all elements.
        case everything
        /// Answer to a pull: the changes since the version.
        case changes
        /// Answer to a pull: changes in another epoch. The cycle ignores them and pulls everything.
        case otherEpoch
        /// Answer to a push: the remote has applied it.
        case accepted
        /// Answer to a push: the remote is in another state than the push expects.
        case refused
        /// No answer arrived, or it could not be read.
        case missing
    }
}

extension SyncTrace {
    /// Adds a message.
    ///
    /// - Parameters:
    ///   - message: The message to the remote.
    ///   - answer: The remote's answer.
    ///   - total: All changes of the cycle so far.
    mutating func record(_ message: Message, _ answer: Answer, total: SyncCounts) {
        events.append(
            Event(
                message: message, answer: answer, pulled: total.pulled - counts.pulled,
                pushed: total.pushed - counts.pushed, resolved: total.resolved - counts.resolved))
        counts = total
        counts.open = 0
        ending = nil
    }

    /// Records the end of the cycle.
    ///
    /// A store calls this again with its own end and numbers.
    package mutating func finish(_ ending: SyncOutcome.Ending, total: SyncCounts) {
        self.ending = ending
        counts = total
    }
}
