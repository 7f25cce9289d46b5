import SyncPersistence

/// The steps of a cycle that send local changes.
extension StoreCycle {
    /// Returns the step that sends the next push, or ends the cycle if there is nothing to send.
    mutating func pushNext(_ turn: inout CycleTurn) throws -> Step {
        guard let remote, let cursor = turn.state.cursor else { throw CycleError.outOfStep }
        let (plan, unready) = try pushes.plan(turn, remote.limits)
        outcome.unready = unready
        guard !plan.mutations.isEmpty else {
            outcome.pending = pushes.pending(after: plan)
            outcome.hasPostponed = pushes.hasPostponed
            try turn.saveIfChanged()
            return try finish(turn)
        }
        try pushes.countUnsent(after: plan, turn)
        turn.state.lastPush = PushName(number: (turn.state.lastPush?.number ?? 0) + 1, name: makeName())
        turn.state.base = cursor
        try turn.transaction.keepInFlight(plan.ids, sending: plan.reduced)
        try turn.save()
        return try push(plan.mutations, turn)
    }

    /// Stores the outcomes of a push, and returns those that concern the rest of the cycle.
    @discardableResult
    mutating func take(_ response: PushResponse, _ turn: inout CycleTurn) throws -> PushAnswers {
        guard let name = turn.state.lastPush, response.name == name else {
            throw RemoteError.incompatible("the response is that of another push")
        }
        try KeptAttributes(in: turn.transaction, turn.shapes)?.removeDeletions(of: response)
        var answer = try PushAnswers(turn, policies.all, isScoped: route.isScoped)
        try answer.apply(response)
        if let base = turn.state.base, let sequence = response.knownSequence, sequence > base.sequence {
            outcome.known = SyncCursor(epoch: base.epoch, sequence: sequence)
        }
        turn.state.base = nil
        pushes.take(answer)
        outcome.conflicts += answer.conflicts
        outcome.trace.count(pushed: answer.acceptedCount)
        outcome.retryAfter = answer.retryAfter ?? outcome.retryAfter
        return answer
    }

    /// Returns the step that sends a push that has been stored.
    mutating func push(_ mutations: [Mutation], _ turn: CycleTurn) throws -> Step {
        assert(turn.isSaved)
        guard let name = turn.state.lastPush, let base = turn.state.base else { throw CycleError.outOfStep }
        phase = .pushing
        return .push(PushRequest(device: turn.state.device, name: name, base: base, mutations: mutations))
    }
}

extension CycleTurn {
    /// Returns the mutations of the push under way once more, which are the same as before.
    ///
    /// - Returns: Nil if the service never accepts the push, because it has lowered its limits meanwhile, or lacks an
    ///   entity or a slot of a sent value. Its answer would acknowledge values that it has not received.
    func mutationsUnderWay(within limits: SyncLimits) throws -> [Mutation]? {
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
        return limits.admit(mutations) ? mutations : nil
    }
}

extension CycleError {
    /// The error for a report that the cycle does not wait for.
    static var outOfStep: CycleError {
        CycleError(.unexpectedReport, "the cycle does not wait for this report: report each response once, in turn")
    }
}
