public import DifferentialSync

/// A cycle of synchronization of a stored collection: a `SyncCycle` of which each step is stored in one transaction
/// before the caller learns of it, so that it survives the end of the program at any instant.
///
/// It says what to do next; the caller does it, and reports what came of it:
///
/// ```swift
/// var cycle = DurableCycle(notes, pushID: id, policy: .newest(by: \.modified))
/// var step = try await cycle.begin()
/// while true {
///     do {
///         switch step {
///         case .confirm(let push):
///             step = try await cycle.confirmed(try await server.status(of: push.id))
///         case .pull(let version):
///             step = try await cycle.pulled(try await server.pull(since: version))
///         case .push(let push):
///             switch try await server.push(push) {
///             case .accepted(let version): step = try await cycle.pushed(version)
///             case .refused: step = try await cycle.refused()
///             }
///         case .finished(let outcome):
///             return outcome
///         }
///     } catch is ConnectionError {
///         step = try cycle.failed()
///     }
/// }
/// ```
///
/// ``PersistentCollection/synchronize(with:pushID:maximumRounds:policy:)`` does just that.
///
/// - A push is stored before it is sent. Whatever happens then, the next cycle of the collection first asks the remote
///   what became of it, so that nothing is applied twice, and nothing that was deleted meanwhile comes back.
/// - Elements, shadow and the remote's version change together, at the end. What was edited meanwhile stays, for the
///   next cycle.
/// - Of two cycles that run on one collection at once, in one process or several, the first that goes on wins; the other
///   one throws ``PersistenceError`` with the code ``PersistenceError/Code/cycleOvertaken``.
/// - A cycle reads and writes what has changed on either side. Only a first contact, or one after the remote was reset,
///   reads all elements.
///
/// It is a value. If a method throws, nothing has changed in the store, and the cycle still waits for the same report.
public struct DurableCycle<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// What the caller is to do next.
    ///
    /// What is finished has been stored.
    public typealias Step = SyncCycle<Element, Key>.Step

    /// How a cycle has ended.
    public typealias Outcome = SyncCycle<Element, Key>.Outcome

    private let collection: PersistentCollection<Element, Key>

    /// The state machine, by the keys of the records.
    private var cycle: SyncCycle<Element, Value>

    /// The turn that the cycle has last seen or taken; nil before it has begun.
    private var turn: Int?

    /// The version since which changes were to be pulled.
    private var pulledSince: RemoteVersion?

    /// A cycle that has not begun.
    ///
    /// - Parameters:
    ///   - collection: The collection to be synchronized.
    ///   - pushID: A name for this cycle's push that no other one has, of any device.
    ///   - maximumRounds: How often to pull, merge and push before giving up. At least 1.
    ///   - policy: What settles conflicts.
    public init(
        _ collection: PersistentCollection<Element, Key>, pushID: String, maximumRounds: Int = 5,
        policy: ConflictPolicy<Element>
    ) {
        self.collection = collection
        cycle = SyncCycle(pushID: pushID, maximumRounds: maximumRounds, policy: policy)
    }
}

extension DurableCycle {
    /// Begins the cycle, or takes up what an earlier one has left: a push in doubt is asked about first.
    ///
    /// - Throws: `CycleError` if the cycle has begun already; ``PersistenceError`` if the store cannot be read or
    ///   written, or if an earlier push was stored by another type.
    /// - Complexity: O(number of local changes)
    public mutating func begin() async throws -> Step {
        let coding = collection.coding
        return try await perform { cycle, state, transaction in
            var client = try CollectionWindow(coding, in: transaction).collection
            client.version = state.version
            client.pendingPush = try state.pendingPush
            return try cycle.begin(client)
        }
    }

    /// The remote has said what it knows of the push whose answer was lost.
    ///
    /// - Throws: `CycleError` if nothing was asked; ``PersistenceError`` if another cycle has gone on meanwhile, or if
    ///   the store cannot be written.
    public mutating func confirmed(_ status: PushStatus) async throws -> Step {
        try await perform { cycle, _, _ in try cycle.confirmed(status) }
    }

    /// The remote's state has arrived.
    ///
    /// - Throws: `CycleError` if nothing was to be pulled; `KeyError` if the remote has two elements with one key, or
    ///   for an answer of the policy with another key; ``PersistenceError`` if another cycle has gone on meanwhile, for
    ///   an element that cannot be kept, or if the store cannot be written; else what the policy throws.
    /// - Complexity: O(number of changes on both sides) for a pull of changes. For one of everything O(*n*), of which
    ///   only what differs is read, but at first contact.
    public mutating func pulled(_ pull: Pull<Element, Key>) async throws -> Step {
        let arriving = try ArrivingPull(pull, collection.coding)
        let since = pulledSince
        return try await perform { cycle, state, transaction in
            let (pull, window) = try arriving.window(since: since, version: state.version, in: transaction)
            var client = window.collection
            client.version = state.version
            return try cycle.pulled(pull, client: client)
        }
    }

    /// The remote has taken the push, and has this version now.
    ///
    /// - Throws: `CycleError` if nothing was to be pushed; ``PersistenceError`` if another cycle has gone on meanwhile,
    ///   or if the store cannot be written.
    public mutating func pushed(_ version: RemoteVersion) async throws -> Step {
        try await perform { cycle, _, _ in try cycle.pushed(version) }
    }

    /// The remote has refused the push, because it is not in the state that the push expects.
    ///
    /// - Throws: As ``pushed(_:)``.
    public mutating func refused() async throws -> Step {
        try await perform(forgetsPush: true) { cycle, _, _ in try cycle.refused() }
    }

    /// What was asked of the remote has failed, or its answer could not be read.
    ///
    /// A push may have arrived all the same: it stays stored, and the next cycle asks about it.
    ///
    /// - Throws: `CycleError` if nothing was asked of the remote.
    public mutating func failed() throws(CycleError) -> Step {
        try cycle.failed().keyed()
    }
}

extension DurableCycle {
    private typealias KeyedCycle = SyncCycle<Element, Value>

    /// Tells the state machine of an event, and stores what follows, in one transaction.
    private mutating func perform(
        forgetsPush: Bool = false,
        _ event:
            @escaping @Sendable (inout KeyedCycle, CycleState<Element, Key>, WriteTransaction) throws ->
            KeyedCycle.Step
    ) async throws -> Step {
        let (before, turn, coding) = (cycle, turn, collection.coding)
        let after = try await collection.store.write { transaction in
            var cycle = before
            var state = try CycleState(coding, in: transaction)
            try state.requireTurn(turn)
            let step = try event(&cycle, state, transaction)
            var changes = ChangeSet(origin: .agreed)
            switch step {
            case .push(let push): try state.keep(push, in: &changes)
            case .finished(.synced(let merge, let version, let voidsShadow)):
                let keys = try coding.keys(of: merge)
                let window =
                    try voidsShadow
                    ? CollectionWindow(everythingOf: coding, in: transaction, keys: keys)
                    : CollectionWindow(coding, in: transaction, keys: keys)
                var client = window.collection
                client.accept(.synced(merge, version, voidsShadow: voidsShadow))
                try window.note(client, in: &changes, shape: transaction.shape(coding.entity))
                try state.finish(at: version, in: &changes)
            case .pull, .finished: if forgetsPush { state.forgetPush(&changes) }
            case .confirm: break
            }
            try transaction.apply(changes)
            return (cycle: cycle, step: step, turn: state.turn)
        }.result
        cycle = after.cycle
        self.turn = after.turn
        if case .pull(let version) = after.step { pulledSince = version }
        return after.step.keyed()
    }
}

extension RecordCoding {
    /// The keys of the records that a merge speaks of.
    fileprivate func keys(of merge: ThreeWayMerge<Element>) throws -> [Value] {
        try merge.decisions.compactMap { decision in
            try (decision.merged ?? decision.local ?? decision.remote ?? decision.base).map(keyValue)
        }
    }
}

extension SyncCycle.Step {
    /// The same step by another kind of key, of which it holds none.
    fileprivate func keyed<Other: Hashable>() -> SyncCycle<Element, Other>.Step {
        switch self {
        case .confirm(let push): .confirm(push)
        case .pull(let version): .pull(since: version)
        case .push(let push): .push(push)
        case .finished(.synced(let merge, let version, let voidsShadow)):
            .finished(.synced(merge, version, voidsShadow: voidsShadow))
        case .finished(.gaveUp(let rounds)): .finished(.gaveUp(rounds: rounds))
        case .finished(.failed): .finished(.failed)
        case .finished(.inDoubt(let push)): .finished(.inDoubt(push))
        }
    }
}
