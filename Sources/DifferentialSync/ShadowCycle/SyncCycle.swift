/// A cycle of synchronization as a value: a state machine for callers whose pull and push are asynchronous.
///
/// Each step names the next request. The caller sends it, and reports the answer:
///
/// ```swift
/// func sync(_ notes: inout JournaledCollection<Note, Int>, with server: Server, pushID: String) async throws {
///     var cycle = SyncCycle<Note, Int>(pushID: pushID, policy: .newest(by: \.modified))
///     var step = try cycle.begin(&notes)
///     while true {
///         do {
///             switch step {
///             case .confirm(let pushID):
///                 step = try cycle.confirmed(try await server.status(of: pushID), &notes)
///             case .pull(let version):
///                 step = try cycle.pulled(try await server.pull(since: version), &notes)
///             case .push(let push):
///                 try await store(notes)
///                 step = try cycle.pushed(try await server.push(push), &notes)
///             case .finished:
///                 try await store(notes)
///                 return
///             }
///         } catch is ConnectionError {
///             step = try cycle.failed()
///         }
///     }
/// }
/// ```
///
/// - Pulled changes are merged into the collection at once. The collection's local diff is then what the remote lacks.
///   It is sent in pushes of bounded size.
/// - The remote accepts a push only on the version that the push expects (compare and set). After a refused push the
///   cycle pulls and merges again, in a bounded number of rounds.
/// - If the answer to a push was lost, the next cycle first asks the remote whether it applied the push. So an added
///   record that another device has deleted since is not added again.
/// - A transport can deliver a push twice, and the answer to the second copy may be a refusal. So after a refusal the
///   cycle queries the status of the push, unless the remote accepts repeated pushes.
/// - Edits made during the cycle are kept. The cycle pushes them too, in the same number of rounds.
/// - If the remote's epoch has changed, a record that is absent there was not deleted: it is kept and pushed.
/// - The caller lists the keys of elements that it cannot decode. These elements do not change on either side: see
///   ``unreadableKeys``.
///
/// If a method throws, neither the cycle nor the collection has changed, and the cycle waits for the same report.
///
/// The design follows the commit ids and epochs of AWSWrapper, and Fraser's rule that only an acknowledged edit leaves
/// the outbox (N. Fraser, *Differential Synchronization*, 2009).
public struct SyncCycle<Element: Equatable, Key: Hashable & Sendable> {
    /// The next request or the end of the cycle.
    public typealias Step = SyncStep<Element>

    /// What the cycle waits for.
    @usableFromInline
    enum State {
        /// The cycle has not begun.
        case idle
        /// It waits for the status of a push whose response was lost, or that was refused.
        case confirming(pushID: String, wasRefused: Bool)
        /// It waits for the remote's changes since a version; nil for all elements.
        case pulling(since: RemoteVersion?)
        /// It waits for the response to a push.
        case pushing(pushID: String, isSentAgain: Bool)
        /// It has ended.
        case finished
    }

    /// What the names of the cycle's pushes begin with.
    @usableFromInline let pushID: String
    /// The account that the remote belongs to; nil if there is only one.
    @usableFromInline let account: String?
    /// What happens to local elements if the account is another one than before.
    @usableFromInline let onAccountChange: AccountChange
    /// After how many rounds the cycle gives up.
    @usableFromInline let maximumRounds: Int
    /// The greatest number and size of the elements in one push.
    @usableFromInline let limit: PushLimit<Element>
    /// Whether the remote never refuses a push that it has applied.
    @usableFromInline let recognizesPushes: Bool
    /// What happens to elements of the remote that have one key.
    @usableFromInline let duplicates: DuplicatePolicy
    /// Resolves conflicts between local and remote changes.
    @usableFromInline let policy: ConflictPolicy<Element>

    /// The state of the cycle.
    @usableFromInline var state = State.idle

    /// Whether everything must be pulled before anything is pushed.
    @usableFromInline package var pullsEverything: Bool

    /// The caller's choice if the remote belongs to another account; nil if it does not.
    @usableFromInline var accountChange: AccountChange?

    /// The number of pushes that the cycle has made.
    @usableFromInline var pushCount = 0

    /// The number of refused pushes.
    @usableFromInline var rounds = 0

    /// The number of rounds for edits that were made during the cycle.
    @usableFromInline var editRounds = 0

    /// The keys of the changes to push in this round, and the number of those that were pushed.
    @usableFromInline var queue: [Key] = []
    @usableFromInline var queuePosition = 0

    /// The version that the collection has unless another cycle has changed it.
    @usableFromInline var version: RemoteVersion?

    /// The keys of pulled elements that the caller could not decode.
    ///
    /// These elements do not change. Their local changes are not pushed, because that would overwrite the unread
    /// values. The next cycle of a ``JournaledCollection`` pulls all elements, until the caller can decode each of
    /// them.
    public package(set) var unreadableKeys: Set<Key> = []

    /// What was pulled and pushed so far.
    @usableFromInline var counts = SyncCounts()

    /// The messages that the cycle has sent so far, each with the remote's answer.
    public internal(set) var trace = SyncTrace()

    /// Creates a cycle that has not begun.
    ///
    /// - Parameters:
    ///   - pushID: A name for this cycle that no other one has, of any device. The names of its pushes are made of it:
    ///     `name`, `name.2`, `name.3`, and so on.
    ///   - account: The account of the remote; nil for a remote without accounts.
    ///   - onAccountChange: The action if the collection belongs to another account.
    ///   - maximumRounds: The number of refused pushes after which the cycle gives up. At least 1.
    ///   - limit: The greatest size of one push.
    ///   - pullsEverything: Whether to pull all elements first, such as after an update of the app whose type reads
    ///     more of the remote's elements than before.
    ///   - recognizesPushes: Whether the remote accepts a repeated push, and returns the version that the first copy
    ///     made. If not, the cycle queries the status of each refused push before it pulls. If it is true for a remote
    ///     that refuses repeated pushes, edits of other devices are overwritten without a report, and records that
    ///     they have deleted come back.
    ///   - duplicates: What to do where the remote reports two different elements with the same key. Elements that do
    ///     not count are left out, and are not deleted on the remote. A key that is reported as both changed and
    ///     deleted is an error under every policy.
    ///   - policy: Resolves conflicts.
    public init(
        pushID: String, account: String? = nil, onAccountChange: AccountChange = .refuse, maximumRounds: Int = 5,
        limit: PushLimit<Element> = .default, pullsEverything: Bool = false, recognizesPushes: Bool = false,
        duplicates: DuplicatePolicy = .refuse, policy: ConflictPolicy<Element>
    ) {
        self.pushID = pushID
        self.account = account
        self.onAccountChange = onAccountChange
        self.maximumRounds = maximumRounds
        self.limit = limit
        self.pullsEverything = pullsEverything
        self.recognizesPushes = recognizesPushes
        self.duplicates = duplicates
        self.policy = policy
    }
}

extension SyncCycle {
    /// Begins the cycle.
    ///
    /// If the answer to a push was lost, the first step asks for its status. A collection with local changes and a
    /// known version of the remote pushes first: if the remote has not changed, the cycle takes one round trip.
    ///
    /// A collection without an account belongs to the cycle's account from now on, before anything is sent.
    ///
    /// - Parameter client: The collection to synchronize.
    /// - Returns: The first request.
    /// - Throws: ``CycleError`` if the cycle has begun already, if its name has been used before, if the collection
    ///   belongs to another account, or if the cycle has no rounds or an empty push limit.
    /// - Complexity: O(number of local changes)
    @inlinable
    public mutating func begin(_ client: inout JournaledCollection<Element, Key>) throws(CycleError) -> Step {
        guard case .idle = state else { throw unexpected("begin") }
        try requireLimits()
        if let known = client.account, known != account {
            if onAccountChange == .refuse {
                throw CycleError.otherAccount(
                    "the collection belongs to another account than the remote", oneEach: "collection")
            }
            try requireUnused(in: client)
            accountChange = onAccountChange
            pullsEverything = true
            version = client.version
            return pull()
        }
        try requireUnused(in: client)
        if let account { client.agreement.account = account }
        version = client.version
        if client.agreement.pullsEverything { pullsEverything = true }
        counts.open = client.slots.conflictCount
        if let push = client.pendingPush {
            state = .confirming(pushID: push.id, wasRefused: false)
            return .confirm(pushID: push.id)
        }
        // A cycle of one round would never get beyond a push that is refused.
        if version == nil || pullsEverything || maximumRounds == 1 || client.slots.hasUnresolved { return pull() }
        fillQueue(from: client)
        return push(&client) ?? pull()
    }

    /// Reports the status of the push whose answer was lost, or that was refused.
    ///
    /// - Parameters:
    ///   - status: The remote's answer.
    ///   - client: The collection, with all edits.
    /// - Returns: The next request or the end of the cycle.
    /// - Throws: ``CycleError`` if the cycle does not wait for a status; otherwise the errors of ``pushed(_:_:)``.
    /// - Complexity: O(size of the push)
    @inlinable
    public mutating func confirmed(
        _ status: PushStatus<Element>, _ client: inout JournaledCollection<Element, Key>
    ) throws -> Step {
        guard case .confirming(let pushID, let wasRefused) = state else { throw unexpected("confirmed") }
        let push = try pendingPush(pushID, of: client)
        switch status {
        case .applied(let version, let amended):
            try accept(push, version, amended, &client)
            record(.confirm(pushID: pushID), .applied)
            return pull()
        case .notApplied where !wasRefused:
            record(.confirm(pushID: pushID), .notApplied)
            state = .pushing(pushID: pushID, isSentAgain: true)
            return .push(push)
        case .notApplied, .unknown:
            record(.confirm(pushID: pushID), status.isUnknown ? .unknown : .notApplied)
            client.agreement.pendingPush = nil
            // The remote refused and has not applied the push: it can never return to the expected state.
            return wasRefused ? nextRound() : pull()
        }
    }

    /// Reports the answer to a pull and merges it into the collection.
    ///
    /// - Parameters:
    ///   - pull: The remote's answer.
    ///   - client: The collection, with all edits.
    /// - Returns: The next request or the end of the cycle.
    /// - Throws: ``CycleError`` if the cycle does not wait for this pull; ``KeyError`` for duplicates that the cycle
    ///   refuses, or if the policy returns an element with another key; otherwise the errors of the policy.
    /// - Complexity: O(number of changes on both sides) for a pull of changes, O(*n*) for a pull of everything
    @inlinable
    public mutating func pulled(
        _ pull: Pull<Element, Key>, _ client: inout JournaledCollection<Element, Key>
    ) throws -> Step {
        guard case .pulling(let since) = state else { throw unexpected("pulled") }
        try requireAgreement(with: client, on: nil)
        let answer: SyncTrace.Answer
        let agreed: RemoteVersion?
        let unread: Set<Key>
        switch pull {
        case .nothing:
            (answer, agreed, unread) = (.nothing, nil, [])
            if accountChange == .replace {
                try mergeEverything([], nil, [], &client)
            } else {
                client.slots.voidShadow()
            }
        case .everything(let elements, let version, let unreadable):
            (answer, agreed, unread) = (.everything, version, Set(unreadable))
            try requireUnused(version.commit)
            try mergeEverything(elements, version, unread, &client)
        case .changes(let changed, let deleted, let version, let unreadable):
            guard let since else { throw CycleError.unexpectedChanges }
            if since.epoch != version.epoch {
                record(.pull(since: since), .otherEpoch)
                pullsEverything = true
                return self.pull()
            }
            try requireUnused(version.commit)
            let read = try client.reader.states(changed: changed, deleted: deleted, duplicates: duplicates)
            unread = unreadableKeys.subtracting(read.map(\.key)).union(unreadable)
            (answer, agreed) = (.changes, version)
            let states = (read + client.slots.unresolvedStates(without: read)).filter { !unread.contains($0.key) }
            apply(try client.merge(states, base: { client.shadow(for: $0) }, resolve: policy.resolve), &client)
        }
        agree(with: &client, at: agreed)
        setUnreadable(unread, &client)
        record(.pull(since: since), answer)
        (pullsEverything, accountChange) = (false, nil)
        fillQueue(from: client)
        return push(&client) ?? finish(.synced)
    }

    /// Reports the answer to the push.
    ///
    /// - Parameters:
    ///   - answer: The remote's answer.
    ///   - client: The collection, with all edits.
    /// - Returns: The next request or the end of the cycle.
    /// - Throws: ``CycleError`` if the cycle does not wait for the answer to a push; ``KeyError`` for duplicates among
    ///   the amended elements that the cycle refuses; otherwise the errors of the policy, which merges amended elements
    ///   with edits made since the push.
    /// - Complexity: O(size of the push), and O(number of local changes) after the last push
    @inlinable
    public mutating func pushed(
        _ answer: PushAnswer<Element>, _ client: inout JournaledCollection<Element, Key>
    ) throws -> Step {
        guard case .pushing(let pushID, let isSentAgain) = state else { throw unexpected("pushed") }
        let push = try pendingPush(pushID, of: client)
        switch answer {
        case .accepted(let version, let amended):
            try accept(push, version, amended, &client)
            record(.push(pushID: pushID), .accepted)
            // An earlier cycle made this push, and other devices may have pushed since.
            if isSentAgain { return pull() }
            return pushNext(&client)
        case .refused:
            record(.push(pushID: pushID), .refused)
            if isSentAgain || !recognizesPushes {
                // Another copy of the push may have arrived before, and have changed the remote.
                state = .confirming(pushID: pushID, wasRefused: true)
                return .confirm(pushID: pushID)
            }
            client.agreement.pendingPush = nil
            return nextRound()
        }
    }

    /// Reports that the latest request has failed, or that its answer could not be read.
    ///
    /// The remote may have applied a push nevertheless. The next cycle asks for its status.
    ///
    /// - Returns: The end of the cycle.
    /// - Throws: ``CycleError`` if the cycle does not wait for an answer.
    public mutating func failed() throws(CycleError) -> Step {
        switch state {
        case .confirming(let pushID, _):
            record(.confirm(pushID: pushID), .missing)
            return finish(.inDoubt(pushID: pushID))
        case .pushing(let pushID, _):
            record(.push(pushID: pushID), .missing)
            return finish(.inDoubt(pushID: pushID))
        case .pulling(let since):
            record(.pull(since: since), .missing)
            return finish(.failed)
        case .idle, .finished: throw unexpected("failed")
        }
    }
}

extension SyncCycle: Sendable where Element: Sendable {}
extension SyncCycle.State: Sendable where Element: Sendable {}
