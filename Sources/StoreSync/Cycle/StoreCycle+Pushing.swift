import SyncPersistence

/// The steps of a cycle that send local changes.
extension StoreCycle {
    /// Returns the step that sends the next push, or ends the cycle if there is nothing to send.
    mutating func pushNext(_ turn: inout CycleTurn) throws -> Step {
        guard let remote, let cursor = turn.state.cursor else { throw CycleError.outOfStep }
        let plan = try self.plan(remote, turn)
        guard !plan.mutations.isEmpty else {
            let pending = plan.blocked.union(postponed).subtracting(withheld)
            outcome.pending = pending.sorted(by: RecordID.areInIncreasingOrder)
            outcome.hasPostponed = !postponed.isSubset(of: withheld)
            try turn.saveIfChanged()
            return try finish(turn)
        }
        try countUnsent(after: plan, turn)
        turn.state.lastPush = PushName(number: (turn.state.lastPush?.number ?? 0) + 1, name: makeName())
        turn.state.base = cursor
        try turn.transaction.keepInFlight(plan.ids, sending: plan.reduced)
        try turn.save()
        return try push(plan.mutations, turn)
    }

    /// Estimates how many changes follow a push.
    ///
    /// They are counted once for all pushes of the cycle.
    private mutating func countUnsent(after plan: PushPlan, _ turn: CycleTurn) throws {
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

    /// Stores the outcomes of a push, and returns those that concern the rest of the cycle.
    @discardableResult
    mutating func take(_ response: PushResponse, _ turn: inout CycleTurn) throws -> PushAnswers {
        guard let name = turn.state.lastPush, response.name == name else {
            throw RemoteError.incompatible("the response is that of another push")
        }
        try KeptAttributes(in: turn.transaction, turn.shapes)?.removeDeletions(of: response)
        var answer = try PushAnswers(
            in: turn.transaction, turn.shapes, policies.all, device: turn.state.device, isScoped: currentScope != nil)
        try answer.apply(response)
        if let base = turn.state.base, let sequence = response.knownSequence, sequence > base.sequence {
            outcome.known = SyncCursor(epoch: base.epoch, sequence: sequence)
        }
        turn.state.base = nil
        // Changes that were not accepted may keep back deletions that the known order contains.
        if answer.acceptedCount < response.outcomes.count { deletionOrders = [:] }
        outcome.conflicts += answer.conflicts
        postponed.formUnion(answer.postponed + answer.blocked)
        blocked.formUnion(answer.blocked)
        outcome.trace.count(pushed: answer.acceptedCount)
        outcome.retryAfter = answer.retryAfter ?? outcome.retryAfter
        return answer
    }

    /// Returns the next push, which is empty if nothing can be sent.
    ///
    /// Records that are too large for any push are added to the quarantine, and the push is planned again without
    /// them.
    mutating func plan(_ remote: HandshakeResponse, _ turn: CycleTurn) throws -> PushPlan {
        let transaction = turn.transaction
        var quarantine = try Quarantine(in: transaction)
        let unreadable = try UnreadableRecords(in: transaction)
        while true {
            var plan = try PushPlan(in: transaction, turn.shapes, remote.limits, deletionOrders: deletionOrders)
            var unready: Set<RecordID> = []
            withheld = []
            try plan.fill(holding: unreadable.records()) { id, record in
                if try postponed.contains(id) || unreadable.contains(id) { return true }
                if try quarantine.contains(id, record, limit: remote.limits.bytes) {
                    withheld.insert(id)
                } else if let record, try !isReady(record, transaction) {
                    unready.insert(id)
                } else {
                    return false
                }
                return true
            }
            withheld.formUnion(unready)
            outcome.unready = unready.sorted(by: RecordID.areInIncreasingOrder)
            for (id, size) in plan.oversized {
                let reason = "the record has about \(size) bytes, and the service accepts \(remote.limits.bytes)"
                try quarantine.add(
                    RefusedRecord(id: id, code: "tooLarge", reason: reason), transaction.record(id),
                    limit: remote.limits.bytes)
            }
            deletionOrders = plan.deletionOrders
            if !plan.mutations.isEmpty || plan.oversized.isEmpty { return plan }
        }
    }

    /// Returns the step that sends a push, which is stored.
    mutating func push(_ mutations: [Mutation], _ turn: CycleTurn) throws -> Step {
        guard let name = turn.state.lastPush, let base = turn.state.base else { throw CycleError.outOfStep }
        phase = .pushing
        return .push(PushRequest(device: turn.state.device, name: name, base: base, mutations: mutations))
    }
}

extension CycleError {
    /// The error for a report that the cycle does not wait for.
    static var outOfStep: CycleError {
        CycleError(.unexpectedReport, "the cycle does not wait for this report: report each response once, in turn")
    }
}
