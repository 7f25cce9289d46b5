import DifferentialSync
public import SyncPersistence

/// A cycle that synchronizes a whole store with a remote: all entities, with links and orders.
///
/// It is a state machine as a value, and makes no request itself. A step runs in one transaction, stores its result and
/// state together, and returns the next request. The caller sends the request, and reports the response in the next
/// transaction. A process can end at any time, because the next cycle continues with the stored state.
///
/// ```swift
/// var cycle = StoreCycle(policies: policies, makeName: { UUID().uuidString })
/// var step = try cycle.begin(in: transaction)
/// ```
///
/// ``SyncPersistence/PersistenceAdapter/synchronize(with:policies:scope:choose:isReady:progress:makeName:)`` drives it.
///
/// 1. A handshake finds out whether both ends still have the same past: the account, the epoch, and the last push.
/// 2. Pages bring what others have changed. Each is stored together with its cursor, and merged with local changes.
/// 3. Pushes send the local changes, parents before children. Only the keys of what is under way are stored with it.
///
/// If the remote reports that another writer was first, the cycle pulls and pushes again.
public struct StoreCycle: Sendable {
    /// The next action of the caller.
    public enum Step: Sendable, Hashable {
        /// Send the request, and report the response.
        case handshake(HandshakeRequest)
        /// Send the request, and report the response.
        case pull(PullRequest)
        /// Send the request, which has been stored, and report the response.
        case push(PushRequest)
        /// No action: the cycle has ended.
        case finished(StoreOutcome)
    }

    /// What the cycle waits for.
    enum Phase: Hashable, Sendable {
        case notBegun
        /// The cycle waits for the response to its handshake.
        case greeting
        /// The cycle waits for a page.
        case pulling
        /// The cycle waits for the response to a push, whose records are stored as in flight.
        case pushing
        case finished

        /// The request whose response the cycle waits for; nil if it waits for none.
        var request: StoreTrace.Request? {
            switch self {
            case .greeting: .handshake
            case .pulling: .pull
            case .pushing: .push
            case .notBegun, .finished: nil
            }
        }
    }

    let policies: SyncPolicies
    let makeName: @Sendable () -> String
    private let choose: @Sendable (RemoteMismatch) throws -> RemoteMismatch.Choice

    /// After how many rounds the cycle gives up.
    private let maximumRounds: Int

    /// How many more pages the cycle stores before it ends.
    private var remainingPages: Int

    var phase = Phase.notBegun

    /// The ``CycleTurn/number`` after the last step, by which the cycle notices others.
    private var lastNumber: Int64 = 0

    /// The remote's response to the handshake; nil before.
    private(set) var remote: HandshakeResponse?

    /// The scopes of the handshakes.
    var route: ScopeRoute

    /// The pushes, and what they leave out.
    var pushes: PushSeries

    /// How often the cycle has begun to pull.
    var rounds = 0

    /// Whether the cycle has everything that the remote had at the handshake.
    var isCurrent = false

    /// Whether the cycle has compared everything, because a fingerprint differed.
    var hasCompared = false

    /// What the cycle has done so far.
    public internal(set) var outcome = StoreOutcome()

    /// Creates a cycle that has not begun.
    ///
    /// - Parameters:
    ///   - policies: Resolve conflicts.
    ///   - scope: The name of the part of the account's records to synchronize; nil for all. The scope may change from
    ///     cycle to cycle. The changes of the former scope are then sent first. If the remote postpones one, the next
    ///     cycle continues there. If a record that the new scope lacks is changed while its pages arrive, the cycle goes
    ///     back and sends the change. Records that only the new scope has then leave the store again. An edit that was
    ///     made to one meanwhile is a conflict. A deletion of one is in ``StoreOutcome/left``.
    ///   - choose: Returns the reaction to a mismatch of both ends. If it throws, nothing is sent or stored.
    ///   - maximumRounds: How often the cycle pulls again, because others have changed the same records, and how often
    ///     it goes back to the former scope.
    ///   - maximumPages: After how many pages the cycle ends, even if the remote has more. The next cycle continues there.
    ///   - isReady: Whether a new or changed record may be sent now. If not, new records that refer to it wait with it.
    ///   - makeName: Returns another name with each call, such as a UUID, for the device and for pushes.
    public init(
        policies: SyncPolicies = SyncPolicies(), scope: String? = nil,
        choose: @escaping @Sendable (RemoteMismatch) throws -> RemoteMismatch.Choice = { $0.defaultChoice },
        maximumRounds: Int = 5, maximumPages: Int = 100_000,
        isReady: @escaping @Sendable (Record, ReadTransaction) throws -> Bool = { _, _ in true },
        makeName: @escaping @Sendable () -> String
    ) {
        self.policies = policies
        route = ScopeRoute(to: scope, maximumReturns: maximumRounds)
        self.choose = choose
        self.maximumRounds = maximumRounds
        remainingPages = maximumPages
        pushes = PushSeries(isReady: isReady)
        self.makeName = makeName
    }
}

extension StoreCycle {
    /// Begins the cycle.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read or written, or if a collection of the store has a push
    ///   of its own under way.
    public mutating func begin(in transaction: WriteTransaction) throws -> Step {
        guard phase == .notBegun else { throw CycleError.outOfStep }
        let turn = try CycleTurn(firstIn: transaction, makeName: makeName)
        if turn.state.base == nil, let foreign = try transaction.recordsInFlight().first {
            throw CycleError(
                .unexpectedReport,
                "a collection of '\(foreign.id.entity)' has a push of its own under way: end its cycle before the whole "
                    + "store is synchronized")
        }
        lastNumber = turn.number
        route.begin(turn.state)
        return greeting(turn)
    }

    /// Reports the response to the handshake.
    ///
    /// - Throws: ``RemoteError/incompatible(_:)`` for a response that cannot be; ``KeptApartError`` if that was chosen,
    ///   and the errors of `choose`; `PersistenceError` if another cycle has continued meanwhile, or if the store cannot
    ///   be read or written. Nothing is stored then: begin another cycle.
    public mutating func received(_ response: HandshakeResponse, in transaction: WriteTransaction) throws -> Step {
        guard phase == .greeting else { throw CycleError.outOfStep }
        outcome.trace.begin(.handshake)
        var turn = try CycleTurn(after: lastNumber, in: transaction, self.remote)
        defer { lastNumber = turn.number }
        guard response.version == StoreProtocol.version else {
            throw RemoteError.incompatible(
                "the service uses version \(response.version) of the protocol, and this library \(StoreProtocol.version)"
            )
        }
        guard response.limits.leaveRoom else {
            throw RemoteError.incompatible("the limits of the service leave no room for a record")
        }
        guard !response.account.isEmpty, !response.epoch.isEmpty else {
            throw RemoteError.incompatible("the service does not name the account and the epoch")
        }
        guard response.sequence >= 0, response.horizon >= 0 else {
            throw RemoteError.incompatible("the numbers of the service's history are below zero")
        }
        if let step = try changeScope(after: response, turn) { return step }
        var greeting = Greeting(response, scope: route.current, in: transaction, choose, makeName)
        try greeting.apply(to: &turn.state)
        var remote = response
        // A message with more is an error at the other end.
        remote.limits.pushRecords = min(response.limits.pushRecords, StoreProtocol.maximumRecords)
        remote.limits.pageRecords = min(response.limits.pageRecords, StoreProtocol.maximumRecords)
        self.remote = remote
        turn.takeEntities(of: response)
        try transaction.bindStore(to: response.account, without: turn.shapes.missing)
        try transaction.keepFingerprint(true)
        if let stored = greeting.answered {
            try take(stored, &turn)
        } else if turn.state.base != nil {
            if let mutations = try turn.mutationsUnderWay(within: remote.limits) {
                try turn.saveIfChanged()
                return try push(mutations, turn)
            }
            try greeting.giveUpPush(&turn.state)
        }
        try tryUnreadableAgain(turn)
        // As long as contents differ, an empty page at least brings the fingerprint.
        if turn.state.comparison == nil, turn.state.comparesAfter == nil,
            turn.state.cursor == SyncCursor(epoch: response.epoch, sequence: response.sequence)
        {
            try resolveWaiting(turn)
            return try pushNext(&turn)
        }
        try turn.saveIfChanged()
        return pull(turn)
    }

    /// Reports a page.
    ///
    /// - Throws: As ``received(_:in:)-(HandshakeResponse,_)``, and the errors of the policies.
    /// - Complexity: O(size of the page); after the last page of a comparison also O(number of records)
    public mutating func received(_ page: PullResponse, in transaction: WriteTransaction) throws -> Step {
        guard phase == .pulling, let remote else { throw CycleError.outOfStep }
        outcome.trace.begin(.pull)
        var turn = try CycleTurn(after: lastNumber, in: transaction, remote)
        defer { lastNumber = turn.number }
        guard let cursor = turn.state.cursor, page.cursor.epoch == cursor.epoch else {
            throw RemoteError.incompatible("the page is of another epoch than was asked for")
        }
        guard page.cursor.sequence >= cursor.sequence, !page.hasMore || page.cursor.sequence > cursor.sequence else {
            throw RemoteError.incompatible(
                "the cursor of a page does not move on: \(page.cursor.sequence) after \(cursor.sequence)")
        }
        guard page.entries.count <= remote.limits.pageRecords else {
            throw RemoteError.incompatible(
                "the page has \(page.entries.count) records, more than the \(remote.limits.pageRecords) of the limits")
        }
        let marksSeen = turn.state.comparison.map { $0.absence != .meansNothing } ?? false
        var pull = try PagePull(turn, policies.all, seen: marksSeen ? SeenRecords(in: transaction) : nil)
        try pull.apply(page.entries)
        turn.state.cursor = page.cursor
        outcome.trace.count(pulled: page.entries.count)
        remainingPages -= 1
        if page.hasMore {
            try turn.save()
            take(pull)
            if remainingPages > 0 { return self.pull(turn) }
            outcome.failure = .later()
            return try finish(turn)
        }
        if let comparison = turn.state.comparison {
            if try route.hasFormerScope(turn.state)
                && pushes.hasChangeOutsideScope(besides: outcome.pending, turn, remote.limits)
            {
                take(pull)
                try turn.save()
                return try goBack(to: turn.state.former?.name, turn)
            }
            let end = Comparing(in: transaction, turn.shapes, isScoped: route.isScoped)
            try end.finish(comparison, &pull)
            (turn.state.comparison, turn.state.former, turn.state.regained) = (nil, nil, [:])
        }
        take(pull)
        try resolveWaiting(turn)
        if try mustCompare(page, &turn) {
            turn.state.comparison = .init(deletionsAfter: page.cursor.sequence, absence: .isSentAgain)
            turn.state.cursor = SyncCursor(epoch: remote.epoch, sequence: 0)
            try turn.save()
            return self.pull(turn)
        }
        return try pushNext(&turn)
    }

    /// Reports the response to the push.
    ///
    /// - Throws: As ``received(_:in:)-(HandshakeResponse,_)``.
    /// - Complexity: O(size of the push)
    public mutating func received(_ response: PushResponse, in transaction: WriteTransaction) throws -> Step {
        guard phase == .pushing else { throw CycleError.outOfStep }
        outcome.trace.begin(.push)
        var turn = try CycleTurn(after: lastNumber, in: transaction, remote)
        defer { lastNumber = turn.number }
        let answers = try take(response, &turn)
        // A comparison that a handshake has begun meanwhile is pulled before the next push.
        let isComparing = turn.state.comparison != nil
        if isComparing || (answers.mustPull || !isCurrent) && rounds < maximumRounds {
            try turn.save()
            return pull(turn)
        }
        // Without a pull they would be conflicts again.
        pushes.postpone(answers.conflicting)
        return try pushNext(&turn)
    }

    /// Reports that a request has failed, or that its response could not be read.
    ///
    /// A push stays stored: the next cycle finds out what became of it.
    ///
    /// - Returns: The end of the cycle, or another handshake if the remote wants one.
    /// - Throws: As ``received(_:in:)-(HandshakeResponse,_)``.
    public mutating func failed(_ error: RemoteError, in transaction: WriteTransaction) throws -> Step {
        guard let request = phase.request else { throw CycleError.outOfStep }
        outcome.trace.begin(request, failure: error)
        let turn = try CycleTurn(after: lastNumber, in: transaction, remote)
        if case .handshakeNeeded = error, phase != .greeting, rounds < maximumRounds {
            rounds += 1
            return greeting(turn)
        }
        if error == .unauthorized, phase == .greeting, !route.isAtDestination {
            route.refuseFormer()
            return greeting(turn)
        }
        if case .later(let seconds) = error { outcome.retryAfter = seconds }
        if case .throttled(let seconds) = error { outcome.retryAfter = seconds }
        outcome.failure = error
        return try finish(turn)
    }
}

extension StoreCycle {
    /// Returns the handshake in the present scope.
    mutating func greeting(_ turn: CycleTurn) -> Step {
        assert(turn.isSaved)
        phase = .greeting
        return .handshake(
            HandshakeRequest(
                device: turn.state.device, cursor: turn.state.cursor, lastPush: turn.state.lastPush,
                entities: SyncedShapes.slotNames(of: turn.transaction.schema), scope: route.current))
    }

    private mutating func pull(_ turn: CycleTurn) -> Step {
        assert(turn.isSaved)
        if phase != .pulling { rounds += 1 }
        phase = .pulling
        pushes.forgetDeletionOrders()
        return .pull(
            PullRequest(
                device: turn.state.device,
                cursor: turn.state.cursor ?? SyncCursor(epoch: remote?.epoch ?? "", sequence: 0),
                comparison: turn.state.comparison?.deletionsAfter))
    }

    private mutating func take(_ pull: PagePull) {
        outcome.conflicts += pull.conflicts
        outcome.left += pull.left
    }

    /// Stores the records of the remote that an earlier schema did not allow, merged with local changes.
    ///
    /// - Complexity: O(number of unreadable records)
    private mutating func tryUnreadableAgain(_ turn: CycleTurn) throws {
        let entries = try UnreadableRecords(in: turn.transaction).entriesToTryAgain()
        if entries.isEmpty { return }
        var pull = try PagePull(turn, policies.all, seen: nil)
        try pull.apply(entries)
        take(pull)
    }

    /// Decides about what waits, and merges open conflicts again.
    private mutating func resolveWaiting(_ turn: CycleTurn) throws {
        try LostReferences(in: turn.transaction).makeLocalChanges()
        var waiting = WaitingRecords(in: turn.transaction, turn.shapes, policies.all)
        try waiting.resolve()
        outcome.conflicts += waiting.conflicts
        isCurrent = true
    }

    /// Ends the cycle, or continues it in its own scope after the former one.
    ///
    /// - Parameter turn: The step, which has saved its state.
    mutating func finish(_ turn: CycleTurn) throws -> Step {
        assert(turn.isSaved)
        if let step = leaveFormerScope(turn) { return step }
        phase = .finished
        let transaction = turn.transaction
        try Quarantine(in: transaction).removeSettled()
        try CountedRecords.removeSettled(in: transaction)
        if let cursor = turn.state.cursor,
            outcome.known.map({ $0.epoch != cursor.epoch || $0.sequence < cursor.sequence }) ?? true
        {
            outcome.known = cursor
        }
        outcome.unknownEntities = turn.shapes.missingEntities
        outcome.refused = try Quarantine.all(in: transaction)
        outcome.unreadable = try UnreadableRecords.all(in: transaction)
        outcome.waiting = try transaction.parkedRecords(turn.shapes)
        outcome.conflicts.removeAll(where: \.isOpen)
        outcome.conflicts += try transaction.openConflicts(turn.shapes)
        return .finished(outcome)
    }
}
