public import DifferentialSync

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A cycle of synchronization of a stored collection: a `SyncCycle` of which each step is stored in one transaction
/// before the caller learns of it, so that it survives the end of the program at any instant.
///
/// Each step names the next request. The caller sends it, and reports the answer:
///
/// ```swift
/// var cycle = DurableCycle(notes, account: "ada", policy: .newest(by: \.modified))
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
///         step = try await cycle.failed()
///     }
/// }
/// ```
///
/// ``PersistentCollection/synchronize(with:pushID:onAccountChange:maximumRounds:limit:policy:progress:)`` does just that.
///
/// - A push is stored before it is sent: its name and the keys of its records, and of a record that is edited before the
///   answer, what was sent. The next cycle first asks the remote what became of it, so that nothing is applied twice, and
///   nothing that was deleted meanwhile comes back.
/// - What was pulled is stored at once, with the remote's version. What the remote lacks goes out in pushes of bounded
///   size.
/// - Of two cycles that run on one collection at once, in one process or several, the first that goes on wins; the other
///   one throws ``PersistenceError`` with the code ``PersistenceError/Code/cycleOvertaken``.
/// - A cycle reads and writes what has changed on either side. Only a first contact, or one after the remote was reset,
///   reads all elements.
/// - An element that cannot be read blocks no other: the outcome lists it, and it stays as it is. That holds for stored
///   elements, and for those of the remote that a pull names as unreadable.
///
/// It is a value. If a method throws, nothing has changed in the store, and the cycle still waits for the same report.
public struct DurableCycle<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// What the caller must do next.
    public enum Step: Sendable, Equatable {
        /// Ask the remote what became of the push with this name, and report by ``DurableCycle/confirmed(_:)``.
        case confirm(pushID: String)
        /// Pull what has changed since the version, or everything if it is nil, and report by
        /// ``DurableCycle/pulled(_:)``.
        case pull(since: RemoteVersion?)
        /// Send the push, and report by ``DurableCycle/pushed(_:)``. It has been stored.
        case push(Push<Element>)
        /// Nothing: the cycle has ended.
        case finished(CycleOutcome)
    }

    private let collection: PersistentCollection<Element, Key>
    private let settings: CycleSettings<Element, Key>
    private let progress: (@Sendable (CycleProgress) -> Void)?

    /// The state machine, by the keys of the records; nil before it has begun.
    private var cycle: SyncCycle<Record, Value>?

    /// The turn that the cycle has last seen or taken; nil before it has begun.
    private var turn: Int?

    /// The keys of records that cannot be pushed.
    private var unreadable: Set<Value> = []

    /// A cycle that has not begun.
    ///
    /// - Parameters:
    ///   - collection: The collection to be synchronized.
    ///   - pushID: A name for this cycle that no other one has, of any device; a new UUID unless given. The names of its
    ///     pushes are made of it.
    ///   - account: The account whose remote it is.
    ///   - onAccountChange: What to do if the collection belongs to another account. One without an account that has
    ///     records belongs to that of the store's other collections.
    ///   - maximumRounds: How many refused pushes to send before giving up. At least 1.
    ///   - limit: How much one push may hold.
    ///   - policy: Resolves conflicts.
    ///   - progress: Called while a step is stored.
    public init(
        _ collection: PersistentCollection<Element, Key>, pushID: String = UUID().uuidString, account: String,
        onAccountChange: AccountChange = .refuse, maximumRounds: Int = 5, limit: PushLimit<Record> = .records(),
        policy: ConflictPolicy<Element>, progress: (@Sendable (CycleProgress) -> Void)? = nil
    ) {
        self.collection = collection
        self.progress = progress
        settings = CycleSettings(
            coding: collection.coding, pushID: pushID, account: account, onAccountChange: onAccountChange,
            maximumRounds: maximumRounds, limit: limit, policy: policy)
    }
}

extension DurableCycle {
    /// Begins the cycle, or takes up what an earlier one has left: a push in doubt is asked about first.
    ///
    /// A collection without an account belongs to the cycle's account from now on, before anything is sent.
    ///
    /// - Throws: `CycleError` if the cycle has begun already, if its name has been used before, if the collection belongs
    ///   to another account, or if the cycle has no rounds or an empty push limit; ``PersistenceError`` if the store
    ///   cannot be read or written.
    /// - Complexity: O(number of local changes)
    public mutating func begin() async throws -> Step {
        let opening = collection.opening
        return try await perform { try $0.begin(hasPulled: opening.hasPulled) }
    }

    /// Reports what the remote knows about the push whose answer was lost.
    ///
    /// - Throws: `CycleError` if the cycle has not asked; otherwise as ``pushed(_:)``.
    /// - Complexity: O(size of the push)
    public mutating func confirmed(_ status: PushStatus<Element>) async throws -> Step {
        try await perform { try $0.confirmed(status) }
    }

    /// Reports the state of the remote: stores it.
    ///
    /// If the task is cancelled while it is stored, nothing of it is, and the next cycle pulls it again.
    ///
    /// - Throws: `CycleError` if the cycle is not waiting for a pull; `KeyError` if the remote has two elements with one
    ///   key, or the policy returns an element with another key; ``PersistenceError`` if another cycle has gone on
    ///   meanwhile, for an element that cannot be kept, or if the store cannot be written; `CancellationError`; otherwise
    ///   what the policy throws.
    /// - Complexity: O(number of changes on both sides) for a pull of changes. For one of everything O(*n*), of which
    ///   only what differs is read, except at first contact.
    public mutating func pulled(_ pull: Pull<Element, Key>) async throws -> Step {
        let arriving = try ArrivingPull(pull, collection.coding)
        let opening = collection.opening
        let step = try await perform { try $0.pulled(arriving, hasPulled: opening.hasPulled) }
        opening.notePull()
        return step
    }

    /// Reports the answer to the push.
    ///
    /// - Throws: `CycleError` if the cycle is not waiting for the answer to a push; ``PersistenceError`` if another cycle
    ///   has gone on meanwhile, or if the store cannot be written; otherwise what the policy throws, which resolves
    ///   conflicts of amended elements with edits made since the push.
    /// - Complexity: O(size of the push), and O(number of local changes) after the last push
    public mutating func pushed(_ answer: PushAnswer<Element>) async throws -> Step {
        try await perform { try $0.pushed(answer) }
    }

    /// Reports that the latest request has failed, or that its answer could not be read.
    ///
    /// The remote may have applied a push all the same: it stays stored, and the next cycle asks about it.
    ///
    /// - Throws: `CycleError` if nothing was asked of the remote; ``PersistenceError`` if the store cannot be read.
    public mutating func failed() async throws -> Step {
        var cycle = cycle ?? settings.cycle()
        guard case .finished(let outcome) = try cycle.failed() else { preconditionFailure("a failure ends a cycle") }
        self.cycle = cycle
        let (coding, unreadable) = (settings.coding, unreadable.union(cycle.unreadableKeys))
        return .finished(
            try await collection.store.read { transaction in
                try transaction.outcome(
                    outcome, coding, unreadable: unreadable,
                    deletedLinks: CycleState(of: coding.entity, in: transaction).deletedLinks)
            })
    }

    /// Takes a step in one transaction.
    private mutating func perform(
        _ body: @escaping @Sendable (inout CycleRun<Element, Key>) throws -> Step
    ) async throws -> Step {
        let (settings, cycle, turn, unreadable) = (settings, cycle, turn, unreadable)
        let (store, monitor) = (collection.store, CycleMonitor(progress: progress))
        let after = try await withTaskCancellationHandler {
            try await store.write { transaction in
                var run = try CycleRun(
                    settings, cycle, unreadable: unreadable, turn: turn, monitor: monitor, in: transaction)
                let step = try body(&run)
                return (step: step, cycle: run.cycle, turn: run.state.turn, unreadable: run.unreadable)
            }.result
        } onCancel: {
            monitor.isCancelled.exchange(with: true)
        }
        (self.cycle, self.turn, self.unreadable) = (after.cycle, after.turn, after.unreadable)
        return after.step
    }
}
