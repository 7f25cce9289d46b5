/// A cycle of synchronization as a value: a state machine for callers whose pull and push are asynchronous.
///
/// It says what to do next; the caller does it, and reports what came of it:
///
/// ```swift
/// func sync(_ notes: inout JournaledCollection<Note, Int>, with server: Server, pushID: String) async throws {
///     var cycle = SyncCycle<Note, Int>(pushID: pushID, policy: .newest(by: \.modified))
///     var step = try cycle.begin(notes)
///     while true {
///         do {
///             switch step {
///             case .confirm(let push):
///                 step = try cycle.confirmed(try await server.status(of: push.id))
///             case .pull(let version):
///                 step = try cycle.pulled(try await server.pull(since: version), client: notes)
///             case .push(let push):
///                 notes.pendingPush = push
///                 try await store(notes)
///                 switch try await server.push(push) {
///                 case .accepted(let version): step = try cycle.pushed(version)
///                 case .refused: step = try cycle.refused()
///                 }
///             case .finished(let outcome):
///                 notes.accept(outcome)
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
/// - A push is taken only on the version that it expects (compare and set). A refused one is merged again with what is
///   there now, a bounded number of times.
/// - A changed epoch voids the shadow: the cycle is a first contact, in which nothing is deleted.
/// - Client and shadow change only by the collection's `accept(_:)`, at the end. What was edited meanwhile stays, for
///   the next cycle.
/// - A push whose answer was lost is asked about before anything else (`confirm`), so that what it added and somebody
///   else has deleted since does not come back.
///
/// It follows the commit ids and epochs of AWSWrapper, and Fraser's rule that only an acknowledged edit leaves the
/// outbox (N. Fraser, *Differential Synchronization*, 2009).
public struct SyncCycle<Element: Equatable, Key: Hashable> {
    /// What the caller is to do next.
    public enum Step {
        /// Ask the remote whether it took this push, and report by ``SyncCycle/confirmed(_:)``.
        case confirm(Push<Element>)
        /// Pull what has changed since the version, or everything where it is nil, and report by
        /// ``SyncCycle/pulled(_:client:)``.
        case pull(since: RemoteVersion?)
        /// Push, and report by ``SyncCycle/pushed(_:)``, ``SyncCycle/refused()`` or ``SyncCycle/failed()``. A caller
        /// that is to survive its own end stores the push first.
        case push(Push<Element>)
        /// Hand the outcome to the collection. There is nothing more to do.
        case finished(Outcome)
    }

    /// How a cycle has ended.
    public enum Outcome {
        /// Client and remote agree, but for conflicts left open.
        case synced(ThreeWayMerge<Element>, RemoteVersion?, voidsShadow: Bool)
        /// The remote kept changing: every push was refused. Nothing has changed.
        case gaveUp(rounds: Int)
        /// A pull or question failed. Nothing has changed.
        case failed
        /// A push was sent and not answered. Nothing has changed here; the next cycle asks what became of it.
        case inDoubt(Push<Element>)
    }

    @usableFromInline
    enum State {
        case idle
        case confirming(Push<Element>, wasSentAgain: Bool)
        case pulling
        case pushing(Push<Element>, isSentAgain: Bool)
        case finished
    }

    @usableFromInline var state = State.idle
    @usableFromInline var round = 0
    @usableFromInline var knownVersion: RemoteVersion?
    @usableFromInline let pushID: String
    @usableFromInline let maximumRounds: Int
    @usableFromInline let policy: ConflictPolicy<Element>

    /// A cycle that has not begun.
    ///
    /// - Parameters:
    ///   - pushID: A name for this cycle's push that no other one has, of any device.
    ///   - maximumRounds: How often to pull, merge and push before giving up. At least 1.
    ///   - policy: What settles conflicts.
    public init(pushID: String, maximumRounds: Int = 5, policy: ConflictPolicy<Element>) {
        precondition(maximumRounds > 0, "a cycle has at least one round, not \(maximumRounds)")
        self.pushID = pushID
        self.maximumRounds = maximumRounds
        self.policy = policy
    }
}

extension SyncCycle {
    /// Begins the cycle.
    ///
    /// A push whose answer was lost is asked about first. Else, where the collection has local changes and knows the
    /// remote's version, the push comes first: if nobody else has changed the remote, the cycle takes one round trip.
    ///
    /// - Parameter client: The collection to be synchronized.
    /// - Throws: ``CycleError`` if the cycle has begun already.
    /// - Complexity: O(number of local changes)
    @inlinable
    public mutating func begin(_ client: JournaledCollection<Element, Key>) throws -> Step {
        guard case .idle = state else { throw CycleError(event: "begin", state: stateName) }
        knownVersion = client.version
        if let push = client.pendingPush {
            state = .confirming(push, wasSentAgain: false)
            return .confirm(push)
        }
        if let version = client.version, !client.hasUnsettled {
            let merge = try ThreeWayMerge(
                local: client.localChanges, remote: [], primaryKey: client.keyOf, resolve: policy.resolve)
            if let changes = merge.toRemote {
                return push(changes, expecting: version, merge: merge, voidsShadow: false)
            }
        }
        return pull()
    }

    /// The remote has said what it knows of the push whose answer was lost.
    ///
    /// One that it has not taken is sent again as it was, under its own name: however many copies of it are still
    /// travelling, at most one is taken.
    ///
    /// - Throws: ``CycleError`` if nothing was asked.
    public mutating func confirmed(_ status: PushStatus) throws(CycleError) -> Step {
        guard case .confirming(let push, let wasSentAgain) = state else {
            throw CycleError(event: "confirmed", state: stateName)
        }
        switch status {
        case .applied(let version):
            return finish(.synced(push.merge, version, voidsShadow: push.voidsShadow))
        case .notApplied where !wasSentAgain:
            state = .pushing(push, isSentAgain: true)
            return .push(push)
        case .notApplied, .unknown:
            // Refused and not taken: the remote has left the state that the push expects, and nothing brings it back.
            return pull()
        }
    }

    /// The remote's state has arrived.
    ///
    /// - Parameters:
    ///   - pull: What was pulled.
    ///   - client: The collection as it is now.
    /// - Throws: ``CycleError`` if nothing was to be pulled; ``KeyError`` if the remote has two elements with one key,
    ///   or for an answer of the policy with another key; else what the policy throws. The cycle still
    ///   waits for a pull.
    /// - Complexity: O(number of changes) for a pull of changes, O(*n*) for one of everything
    @inlinable
    public mutating func pulled(
        _ pull: Pull<Element, Key>, client: JournaledCollection<Element, Key>
    ) throws -> Step {
        guard case .pulling = state else { throw CycleError(event: "pulled", state: stateName) }
        switch pull {
        case .nothing:
            let merge = try ThreeWayMerge(
                local: client.map { .add($0) }, remote: [], primaryKey: client.keyOf, resolve: policy.resolve)
            return push(merge, expecting: nil, voidsShadow: true)
        case .everything(let elements, let version):
            let voidsShadow = client.version?.epoch != version.epoch
            let merge = try ThreeWayMerge(
                local: voidsShadow ? client.map { .add($0) } : client.localChanges,
                remote: client.remoteChanges(everything: elements, voidsShadow: voidsShadow),
                primaryKey: client.keyOf, resolve: policy.resolve)
            return push(merge, expecting: version, voidsShadow: voidsShadow)
        case .changes(let changed, let deleted, let version):
            guard let known = knownVersion else { throw CycleError(event: "pulled(.changes)", state: stateName) }
            guard known.epoch == version.epoch else {
                knownVersion = nil
                return .pull(since: nil)
            }
            let merge = try ThreeWayMerge(
                local: client.localChanges, remote: client.remoteChanges(changed: changed, deleted: deleted),
                primaryKey: client.keyOf, resolve: policy.resolve)
            return push(merge, expecting: version, voidsShadow: false)
        }
    }

    /// The remote has taken the push, and has this version now.
    ///
    /// - Throws: ``CycleError`` if nothing was to be pushed.
    public mutating func pushed(_ version: RemoteVersion) throws(CycleError) -> Step {
        guard case .pushing(let push, _) = state else { throw CycleError(event: "pushed", state: stateName) }
        return finish(.synced(push.merge, version, voidsShadow: push.voidsShadow))
    }

    /// The remote has refused the push, because it is not in the state that the push expects.
    ///
    /// - Throws: ``CycleError`` if nothing was to be pushed.
    public mutating func refused() throws(CycleError) -> Step {
        guard case .pushing(let push, let isSentAgain) = state else {
            throw CycleError(event: "refused", state: stateName)
        }
        if isSentAgain {
            // Perhaps it is the push's first copy, arrived at last, that has changed the remote.
            state = .confirming(push, wasSentAgain: true)
            return .confirm(push)
        }
        return round == maximumRounds ? finish(.gaveUp(rounds: round)) : pull()
    }

    /// What was asked of the remote has failed, or its answer could not be read.
    ///
    /// A push may have arrived all the same: it is in doubt until the next cycle has asked.
    ///
    /// - Throws: ``CycleError`` if nothing was asked of the remote.
    public mutating func failed() throws(CycleError) -> Step {
        switch state {
        case .confirming, .pulling: return finish(.failed)
        case .pushing(let push, _): return finish(.inDoubt(push))
        case .idle, .finished: throw CycleError(event: "failed", state: stateName)
        }
    }
}

extension SyncCycle {
    @usableFromInline
    mutating func pull() -> Step {
        round += 1
        state = .pulling
        return .pull(since: knownVersion)
    }

    /// Pushes what the remote lacks, or ends the cycle if it lacks nothing.
    @inlinable
    mutating func push(
        _ merge: ThreeWayMerge<Element>, expecting version: RemoteVersion?, voidsShadow: Bool
    ) -> Step {
        guard let changes = merge.toRemote else { return finish(.synced(merge, version, voidsShadow: voidsShadow)) }
        return push(changes, expecting: version, merge: merge, voidsShadow: voidsShadow)
    }

    @inlinable
    mutating func push(
        _ changes: Diff<Element>, expecting version: RemoteVersion?, merge: ThreeWayMerge<Element>, voidsShadow: Bool
    ) -> Step {
        let push = Push(id: pushID, changes: changes, expected: version, merge: merge, voidsShadow: voidsShadow)
        state = .pushing(push, isSentAgain: false)
        return .push(push)
    }

    @usableFromInline
    mutating func finish(_ outcome: Outcome) -> Step {
        state = .finished
        return .finished(outcome)
    }

    @usableFromInline
    var stateName: String {
        switch state {
        case .idle: "not begun"
        case .confirming: "waiting for the status of a push"
        case .pulling: knownVersion == nil ? "waiting for a pull of everything" : "waiting for a pull"
        case .pushing: "waiting for the answer to a push"
        case .finished: "finished"
        }
    }
}

/// An event that a ``SyncCycle`` was not waiting for.
///
/// The cycle is as it was.
public struct CycleError: Error, Hashable, CustomStringConvertible {
    /// The event: the name of the method that was called.
    public let event: String

    /// What the cycle was doing, such as `waiting for a pull`.
    public let state: String

    @usableFromInline
    init(event: String, state: String) {
        self.event = event
        self.state = state
    }

    /// What was not expected, and what was.
    public var description: String {
        "'\(event)' does not fit here: the cycle is \(state). Report the answer to its latest step, and only once"
    }
}

extension SyncCycle: Sendable where Element: Sendable, Key: Sendable {}
extension SyncCycle.State: Sendable where Element: Sendable, Key: Sendable {}
extension SyncCycle.Step: Sendable where Element: Sendable, Key: Sendable {}
extension SyncCycle.Outcome: Sendable where Element: Sendable, Key: Sendable {}
