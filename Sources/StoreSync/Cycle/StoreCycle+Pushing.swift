import SyncPersistence

/// The steps of a cycle that send local changes.
extension StoreCycle {
    /// Returns the step that sends the next push, or ends the cycle if there is nothing to send.
    ///
    /// - Parameter known: The stored state.
    mutating func pushNext(
        _ state: inout DeviceState, _ known: DeviceState, in transaction: WriteTransaction
    ) throws -> Step {
        guard let remote, let cursor = state.cursor else { throw CycleError.outOfStep }
        let plan = try self.plan(remote, in: transaction)
        guard !plan.mutations.isEmpty else {
            let pending = plan.blocked.union(postponed).subtracting(withheld)
            outcome.pending = pending.sorted(by: RecordID.areInIncreasingOrder)
            outcome.hasPostponed = !postponed.isSubset(of: withheld)
            if state != known { try store(&state, in: transaction) }
            return try finish(in: transaction)
        }
        try countUnsent(after: plan, in: transaction)
        state.lastPush = PushName(number: (state.lastPush?.number ?? 0) + 1, name: makeName())
        state.base = cursor
        try transaction.keepInFlight(plan.ids, sending: plan.reduced)
        try store(&state, in: transaction)
        return try push(state, plan.mutations)
    }

    /// Estimates how many changes follow a push.
    ///
    /// They are counted once for all pushes of the cycle.
    private mutating func countUnsent(after plan: PushPlan, in transaction: WriteTransaction) throws {
        if !plan.isFull {
            unsentCount = 0
        } else {
            let count =
                try unsentCount > 0
                ? unsentCount
                : shapes(of: transaction).roots.reduce(0) { try $0 + transaction.journalEntries(of: $1).count }
            unsentCount = max(count - plan.mutations.count, 0)
        }
    }

    /// Stores the outcomes of a push, and returns those that concern the rest of the cycle.
    @discardableResult
    mutating func take(
        _ response: PushResponse, _ state: inout DeviceState, in transaction: WriteTransaction
    ) throws -> PushAnswers {
        guard let name = state.lastPush, response.name == name else {
            throw RemoteError.incompatible("the response is that of another push")
        }
        try KeptAttributes(in: transaction, shapes(of: transaction))?.removeDeletions(of: response)
        var answer = try PushAnswers(
            in: transaction, shapes(of: transaction), policies.all, device: state.device, isScoped: currentScope != nil)
        try answer.apply(response)
        if let base = state.base, let sequence = response.knownSequence, sequence > base.sequence {
            outcome.known = SyncCursor(epoch: base.epoch, sequence: sequence)
        }
        state.base = nil
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
    mutating func plan(_ remote: HandshakeResponse, in transaction: WriteTransaction) throws -> PushPlan {
        var quarantine = try Quarantine(in: transaction)
        let unreadable = try UnreadableRecords(in: transaction)
        while true {
            var plan = try PushPlan(
                in: transaction, shapes(of: transaction), remote.limits, deletionOrders: deletionOrders)
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

    /// Returns the push under way once more, with the same name and the same mutations.
    ///
    /// - Returns: The push; nil if the service never accepts it, because it has lowered its limits meanwhile, or lacks an
    ///   entity or a slot of a sent value. Its answer would acknowledge values that it has not received.
    mutating func resend(
        _ state: inout DeviceState, _ known: DeviceState, in transaction: WriteTransaction
    ) throws -> Step? {
        let shapes = shapes(of: transaction)
        let kept = try KeptAttributes(in: transaction, shapes)
        var mutations: [Mutation] = []
        for sent in try transaction.recordsInFlight() {
            let base = try transaction.journalEntry(sent.id).map(\.base) ?? transaction.record(sent.id)
            let version = try transaction.sentVersion(of: sent)
            guard shapes.includes(root: sent.id.entity),
                [base, version].allSatisfy({ $0.map { shapes.includes($0.shape) } ?? true })
            else { return nil }
            guard let version else {
                mutations.append(Mutation(sent.id, .delete))
                continue
            }
            if shapes.withRemoteSlots(version, since: base) != version { return nil }
            let mutation = Mutation(sent.id, from: base, to: version, SentSlots(of: version.shape, shapes))
            mutations.append(try kept?.completed(mutation) ?? mutation)
        }
        if let remote, !remote.limits.admit(mutations) { return nil }
        if state != known { try store(&state, in: transaction) }
        return try push(state, mutations)
    }

    private mutating func push(_ state: DeviceState, _ mutations: [Mutation]) throws -> Step {
        guard let name = state.lastPush, let base = state.base else { throw CycleError.outOfStep }
        phase = .pushing
        return .push(PushRequest(device: state.device, name: name, base: base, mutations: mutations))
    }
}

extension CycleError {
    /// The error for a report that the cycle does not wait for.
    static var outOfStep: CycleError {
        CycleError(.unexpectedReport, "the cycle does not wait for this report: report each response once, in turn")
    }
}
