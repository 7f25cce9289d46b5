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
///         case .confirm(let pushID):
///             step = try await cycle.confirmed(try await server.status(of: pushID))
///         case .pull(let version):
///             step = try await cycle.pulled(try await server.pull(since: version))
///         case .push(let push):
///             step = try await cycle.pushed(try await server.push(push))
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
    public typealias Outcome = SyncOutcome

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
        try await perform { cycle, client in try cycle.begin(&client) }
    }

    /// The remote has said what it knows of the push whose answer was lost.
    ///
    /// - Throws: `CycleError` if nothing was asked; ``PersistenceError`` if another cycle has gone on meanwhile, or if
    ///   the store cannot be written.
    public mutating func confirmed(_ status: PushStatus<Element>) async throws -> Step {
        let keys: [Value] =
            if case .applied(_, let amended) = status { try amended.map(collection.coding.keyValue) } else { [] }
        return try await perform(keys: keys) { cycle, client in try cycle.confirmed(status, &client) }
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
        return try await perform(
            window: { state, transaction in
                try arriving.window(since: since, version: state.version, in: transaction)
            },
            { cycle, client, pull in try cycle.pulled(pull, &client) })
    }

    /// The remote has answered the push.
    ///
    /// - Throws: `CycleError` if nothing was to be pushed; ``PersistenceError`` if another cycle has gone on meanwhile,
    ///   or if the store cannot be written.
    public mutating func pushed(_ answer: PushAnswer<Element>) async throws -> Step {
        let keys: [Value] =
            if case .accepted(_, let amended) = answer { try amended.map(collection.coding.keyValue) } else { [] }
        return try await perform(keys: keys) { cycle, client in try cycle.pushed(answer, &client) }
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

    private mutating func perform(
        keys: [Value] = [],
        _ event:
            @escaping @Sendable (inout KeyedCycle, inout JournaledCollection<Element, Value>) throws -> KeyedCycle.Step
    ) async throws -> Step {
        let coding = collection.coding
        return try await perform(
            window: { state, transaction in
                let pending = try state.pendingPush?.changes.changes.compactMap { $0.new ?? $0.old } ?? []
                let window = try CollectionWindow(
                    coding, in: transaction, keys: keys + pending.map(coding.keyValue))
                return (.nothing, window)
            },
            { cycle, client, _ in try event(&cycle, &client) })
    }

    /// Tells the state machine of an event, and stores what follows, in one transaction.
    private mutating func perform(
        window:
            @escaping @Sendable (CycleState<Element, Key>, WriteTransaction) throws -> (
                Pull<Element, Value>, CollectionWindow<Element, Key>
            ),
        _ event:
            @escaping @Sendable (
                inout KeyedCycle, inout JournaledCollection<Element, Value>, Pull<Element, Value>
            ) throws -> KeyedCycle.Step
    ) async throws -> Step {
        let (before, turn, coding) = (cycle, turn, collection.coding)
        let after = try await collection.store.write { transaction in
            var cycle = before
            var state = try CycleState(coding, in: transaction)
            try state.requireTurn(turn)
            let (pull, window) = try window(state, transaction)
            var stored = window.collection.stored
            stored.version = state.version
            stored.account = state.account
            stored.pendingPush = try state.pendingPush
            var client = try window.collection(restoring: stored)
            let step = try event(&cycle, &client, pull)
            var changes = ChangeSet(origin: .agreed)
            try window.note(client, in: &changes, shape: transaction.shape(coding.entity))
            let pushID = stored.pendingPush?.id
            if client.version != state.version || client.account != state.account || pushID != client.pendingPush?.id {
                try state.agree(at: client.version, account: client.account, in: &changes)
                if let push = client.pendingPush { try state.keep(push, in: &changes) }
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

extension SyncCycle.Step {
    /// The same step by another kind of key, of which it holds none.
    fileprivate func keyed<Other: Hashable>() -> SyncCycle<Element, Other>.Step {
        switch self {
        case .confirm(let pushID): .confirm(pushID: pushID)
        case .pull(let version): .pull(since: version)
        case .push(let push): .push(push)
        case .finished(let outcome): .finished(outcome)
        }
    }
}
