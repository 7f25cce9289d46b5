public import DifferentialSync

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A cycle of synchronization of a stored collection that survives the end of the process at any time.
///
/// It is a `SyncCycle` that stores each step in one transaction before it returns. Each step contains the next request.
/// The caller sends it, and reports the answer:
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
/// ``PersistentCollection/synchronize(with:pushID:onAccountChange:maximumRounds:limit:policy:progress:tracing:)`` does just that.
///
/// - A push is stored before it is sent: its name and the keys of its records. If a record is edited before the answer,
///   its sent version is stored too. The next cycle first queries the status of the push. So nothing is applied twice,
///   and no deleted element is inserted again.
/// - A pull is stored at once, with the remote's version. Local changes are sent in pushes of bounded size.
/// - If two cycles run on one collection at once, in one process or several, the first that continues wins. The other
///   one throws ``PersistenceError`` with the code ``PersistenceError/Code/cycleOvertaken``.
/// - A cycle reads and writes only elements that have changed on either side. It reads all elements only at first
///   contact, or after the remote was reset.
/// - An element that cannot be read does not block others: it is kept unchanged, and the outcome lists it. This applies
///   to stored elements, and to those that a pull lists as unreadable.
/// - A record that has become one of another entity of its hierarchy waits until the collection of the former entity
///   has sent the deletion. A cycle of the present entity's collection leaves it out, does everything else, and lists it
///   in ``CycleOutcome/waitingForOthers``.
///
/// It is a value. If a method throws, the store is unchanged, and the cycle still waits for the same report.
public struct DurableCycle<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// The next action of the caller.
    public enum Step: Sendable, Equatable {
        /// Query the status of the push with this name, and report it by ``DurableCycle/confirmed(_:)``.
        case confirm(pushID: String)
        /// Pull the changes since the version, or everything if it is nil, and report them by
        /// ``DurableCycle/pulled(_:)``.
        case pull(since: RemoteVersion?)
        /// Send the push, which has been stored, and report the answer by ``DurableCycle/pushed(_:)``.
        case push(Push<Element>)
        /// No action: the cycle has ended.
        case finished(CycleOutcome)
    }

    /// The collection that is synchronized.
    private let collection: PersistentCollection<Element, Key>
    /// The coding, the account and the limits of the cycle.
    private let settings: CycleSettings<Element, Key>
    /// Receives the progress; nil for none.
    private let progress: (@Sendable (CycleProgress) -> Void)?

    /// The state machine, by the keys of the records; nil before the cycle has begun.
    private var cycle: SyncCycle<Record, Value>?

    /// The messages so far: the requests and their results.
    public private(set) var trace = SyncTrace()

    /// The turn that the cycle has last read or stored; nil before it has begun.
    private var turn: Int?

    /// The keys of records that cannot be pushed.
    private var unreadable: Set<Value> = []

    /// Creates a cycle that has not begun.
    ///
    /// - Parameters:
    ///   - collection: The collection to synchronize.
    ///   - pushID: A name for this cycle, unique among the cycles of all devices; by default a new UUID. The names of
    ///     its pushes are derived from it.
    ///   - account: The account of the remote.
    ///   - onAccountChange: The reaction if the collection belongs to another account. A collection with records and
    ///     without an account belongs to that of the store's other collections.
    ///   - maximumRounds: The number of refused pushes after which the cycle gives up. At least 1.
    ///   - limit: The maximum size of one push.
    ///   - recognizesPushes: Whether the remote accepts a repeated push, and returns the version that the first copy
    ///     made. If not, the cycle queries the status of each refused push before it pulls. If it is true for a remote
    ///     that refuses repeated pushes, edits of other devices are overwritten without a report, and records that
    ///     they have deleted come back.
    ///   - policy: Resolves conflicts.
    ///   - progress: Called while a step is stored.
    public init(
        _ collection: PersistentCollection<Element, Key>, pushID: String = UUID().uuidString, account: String,
        onAccountChange: AccountChange = .refuse, maximumRounds: Int = 5, limit: PushLimit<Record> = .records(),
        recognizesPushes: Bool = false, policy: ConflictPolicy<Element>,
        progress: (@Sendable (CycleProgress) -> Void)? = nil
    ) {
        self.collection = collection
        self.progress = progress
        settings = CycleSettings(
            coding: collection.coding, pushID: pushID, account: account, onAccountChange: onAccountChange,
            maximumRounds: maximumRounds, limit: limit, recognizesPushes: recognizesPushes, policy: policy)
    }
}

extension DurableCycle {
    /// Begins the cycle.
    ///
    /// If an earlier cycle has left a push in doubt, the first request queries its status.
    ///
    /// A collection without an account belongs to the cycle's account from now on, before anything is sent.
    ///
    /// - Throws: `CycleError` if the cycle has begun already, if its name has been used before, if the collection
    ///   belongs to another account, or if the cycle has no rounds or an empty push limit. ``PersistenceError`` if the
    ///   store cannot be read or written.
    /// - Complexity: O(number of local changes)
    public mutating func begin() async throws -> Step {
        let opening = collection.opening
        return try await perform { try $0.begin(hasPulled: opening.hasPulled) }
    }

    /// Reports the status of the push whose answer was lost, or that was refused.
    ///
    /// - Throws: `CycleError` if the cycle does not wait for a status; otherwise as ``pushed(_:)``.
    /// - Complexity: O(size of the push)
    public mutating func confirmed(_ status: PushStatus<Element>) async throws -> Step {
        try await perform { try $0.confirmed(status) }
    }

    /// Stores the reported state of the remote.
    ///
    /// If the task is cancelled meanwhile, nothing is stored, and the next cycle pulls the state again.
    ///
    /// - Throws: `CycleError` if the cycle is not waiting for a pull; `KeyError` if the remote has two elements with
    ///   one key, or the policy returns an element with another key; ``PersistenceError`` if another cycle has
    ///   continued meanwhile, for an element that cannot be stored, or if the store cannot be written;
    ///   `CancellationError`; otherwise the errors of the policy.
    /// - Complexity: O(number of changes on both sides) for a pull of changes; O(*n*) for one of everything, which
    ///   reads only differing records, except at first contact
    public mutating func pulled(_ pull: Pull<Element, Key>) async throws -> Step {
        let arriving = try ArrivingPull(pull, collection.coding)
        let opening = collection.opening
        let step = try await perform { try $0.pulled(arriving, hasPulled: opening.hasPulled) }
        opening.recordPull()
        return step
    }

    /// Reports the answer to the push.
    ///
    /// - Throws: `CycleError` if the cycle is not waiting for the answer to a push; ``PersistenceError`` if another
    ///   cycle has continued meanwhile, or if the store cannot be written; otherwise the errors of the policy, which
    ///   resolves conflicts of amended elements with edits made since the push.
    /// - Complexity: O(size of the push), and O(number of local changes) after the last push
    public mutating func pushed(_ answer: PushAnswer<Element>) async throws -> Step {
        try await perform { try $0.pushed(answer) }
    }

    /// Reports that the latest request has failed, or that its answer could not be read.
    ///
    /// The remote may still have applied a push. The push stays stored, and the next cycle queries its status.
    ///
    /// - Throws: `CycleError` if there was no request to the remote; ``PersistenceError`` if the store cannot be read.
    public mutating func failed() async throws -> Step {
        var cycle = cycle ?? settings.cycle()
        guard case .finished(let outcome) = try cycle.failed() else { preconditionFailure("a failure ends a cycle") }
        self.cycle = cycle
        let (coding, unreadable) = (settings.coding, unreadable.union(cycle.unreadableKeys))
        let durable = try await collection.store.read { transaction in
            try transaction.outcome(
                outcome, coding, unreadable: unreadable,
                deletedLinks: CycleState(of: coding.entity, in: transaction).deletedLinks)
        }
        trace = durable.trace
        return .finished(durable)
    }

    /// Runs a step in one transaction.
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
        if case .finished(let outcome) = after.step { trace = outcome.trace } else { trace = after.cycle.trace }
        return after.step
    }
}
