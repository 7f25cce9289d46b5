import SyncPersistence

/// The pushes of a cycle, and the local changes that they leave out.
struct PushSeries: Sendable {
    /// Whether the local change of a record may be sent now.
    private let isReady: @Sendable (Record, ReadTransaction) throws -> Bool

    /// The changes that the remote has not accepted in this cycle.
    private var postponed: Set<RecordID> = []

    /// The changes that the remote has blocked in this cycle, because others that they need were not accepted.
    private(set) var blocked: Set<RecordID> = []

    /// The refused and unready records that the last plan has left out.
    private var withheld: Set<RecordID> = []

    /// The deletions that follow the last push, by the root of their hierarchy; see ``PushPlan/deletionOrders``.
    private var deletionOrders: [String: [RecordID]] = [:]

    /// About how many changes of the store follow the last push.
    private(set) var unsentCount = 0

    init(isReady: @escaping @Sendable (Record, ReadTransaction) throws -> Bool) { self.isReady = isReady }

    /// Returns the next push, which is empty if nothing can be sent, and the unready records that it leaves out, in a
    /// stable order.
    ///
    /// Records that are too large for any push are added to the quarantine, and the push is planned again without
    /// them.
    mutating func plan(_ turn: CycleTurn, _ limits: SyncLimits) throws -> (PushPlan, unready: [RecordID]) {
        let transaction = turn.transaction
        var quarantine = try Quarantine(in: transaction)
        let unreadable = try UnreadableRecords(in: transaction)
        while true {
            var plan = try PushPlan(in: transaction, turn.shapes, limits, deletionOrders: deletionOrders)
            var unready: Set<RecordID> = []
            withheld = []
            try plan.fill(holding: unreadable.records()) { id, record in
                if try postponed.contains(id) || unreadable.contains(id) { return true }
                if try quarantine.contains(id, record, limit: limits.bytes) {
                    withheld.insert(id)
                } else if let record, try !isReady(record, transaction) {
                    unready.insert(id)
                } else {
                    return false
                }
                return true
            }
            withheld.formUnion(unready)
            for (id, size) in plan.oversized {
                let reason = "the record has about \(size) bytes, and the service accepts \(limits.bytes)"
                try quarantine.add(
                    RefusedRecord(id: id, code: "tooLarge", reason: reason), transaction.record(id),
                    limit: limits.bytes)
            }
            deletionOrders = plan.deletionOrders
            if !plan.mutations.isEmpty || plan.oversized.isEmpty {
                return (plan, unready.sorted(by: RecordID.areInIncreasingOrder))
            }
        }
    }

    /// Estimates how many changes follow a push.
    ///
    /// They are counted once for all pushes of the cycle.
    mutating func countUnsent(after plan: PushPlan, _ turn: CycleTurn) throws {
        if !plan.isFull {
            unsentCount = 0
        } else {
            let count =
                try unsentCount > 0
                ? unsentCount
                : turn.shapes.roots.reduce(0) { try $0 + turn.transaction.journalEntries(of: $1).count }
            unsentCount = max(count - plan.mutations.count, 0)
        }
    }

    /// Leaves out of the next pushes the changes that the remote has postponed or blocked.
    mutating func take(_ answers: PushAnswers) {
        // Changes that were not accepted may keep back deletions that the known order contains.
        if !answers.areAllAccepted { deletionOrders = [:] }
        postponed.formUnion(answers.postponed + answers.blocked)
        blocked.formUnion(answers.blocked)
    }

    /// Leaves further changes out of the next pushes.
    mutating func postpone(_ ids: [RecordID]) { postponed.formUnion(ids) }

    /// Lets the next plan find the order of deletions again, because pages may have changed it.
    mutating func forgetDeletionOrders() { deletionOrders = [:] }

    /// Forgets what the remote has postponed in a scope that the cycle leaves, except for ``blocked``.
    ///
    /// If the cycle may not go back again, it tries the blocked changes in the new scope.
    mutating func leaveScope() { (postponed, withheld) = ([], []) }
}

extension PushSeries {
    /// Whether the next cycle may send a postponed change although nothing has changed.
    ///
    /// Refused and unready changes that the last plan has left out do not count. The same holds for the next two
    /// members.
    var hasPostponed: Bool { !postponed.isSubset(of: withheld) }

    /// Whether the remote has postponed a change for another reason than that it needs others.
    var hasUnblockedPostponed: Bool { !postponed.subtracting(blocked).isSubset(of: withheld) }

    /// Returns the changes that the next cycle sends again, after an empty push.
    func pending(after plan: PushPlan) -> [RecordID] {
        plan.blocked.union(postponed).subtracting(withheld).sorted(by: RecordID.areInIncreasingOrder)
    }

    /// Whether records that a new scope lacks were changed while its pages arrived.
    ///
    /// The new scope does not accept these changes. Changes of entities that it lacks wait, and are not among them.
    ///
    /// - Parameter pending: The changes that the former scope has not accepted.
    /// - Complexity: O(number of local changes)
    func hasChangeOutsideScope(besides pending: [RecordID], _ turn: CycleTurn, _ limits: SyncLimits) throws -> Bool {
        let (transaction, shapes) = (turn.transaction, turn.shapes)
        let (seen, held) = (SeenRecords(in: transaction), Set(pending))
        let quarantine = try Quarantine(in: transaction)
        var isMissing = false
        for root in shapes.roots where !isMissing {
            try transaction.journalEntries(of: root).forEachChange { entry, record in
                let id = entry.rootID(root)
                guard let base = entry.base, shapes.includes(base.shape), !entry.isUnresolved, record != base,
                    !held.contains(id),
                    try !seen.contains(id.key, of: root),
                    try !quarantine.contains(id, record, limit: limits.bytes)
                else { return true }
                isMissing = try record.map { try isReady($0, transaction) } ?? true
                return !isMissing
            }
        }
        return isMissing
    }
}
