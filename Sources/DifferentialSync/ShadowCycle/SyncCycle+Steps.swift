extension SyncCycle {
    /// Returns the step that pulls.
    @inlinable
    mutating func pull() -> Step {
        let since = pullsEverything ? nil : version
        state = .pulling(since: since)
        return .pull(since: since)
    }

    /// Returns the step after a refused push.
    @usableFromInline
    mutating func nextRound() -> Step {
        rounds += 1
        return rounds == maximumRounds ? finish(.gaveUp(rounds: rounds)) : pull()
    }

    /// Returns the step that pushes the next changes, or ends the cycle if there are none.
    @inlinable
    mutating func pushNext(_ client: inout JournaledCollection<Element, Key>) -> Step {
        if let step = push(&client) { return step }
        fillQueue(from: client)
        if queue.isEmpty { return finish(.synced) }
        // These edits were made during the cycle.
        if editRounds == maximumRounds { return finish(.gaveUp(rounds: maximumRounds)) }
        editRounds += 1
        return push(&client) ?? finish(.synced)
    }

    /// Returns the step that pushes the next changes of the queue, or nil if there are none.
    @inlinable
    mutating func push(_ client: inout JournaledCollection<Element, Key>) -> Step? {
        var changes: [Change<Element>] = []
        var weight = 0
        while queuePosition < queue.count && changes.count < limit.count {
            if let change = client.slots.resolvedChange(forKey: queue[queuePosition]) {
                let added = limit.weight(of: change)
                if !changes.isEmpty && added > Swift.max(0, limit.weight) - weight { break }
                weight += added
                changes.append(change)
            }
            queuePosition += 1
        }
        guard let diff = Diff(changes) else { return nil }
        let id = nextPushID(of: client)
        client.agreement.pushNames.add(pushID, count: pushCount)
        let push = Push(id: id, changes: diff, expected: client.version)
        client.agreement.pendingPush = push
        state = .pushing(pushID: id, isSentAgain: false)
        return .push(push)
    }

    /// Queues the keys of all changes to push, without those of elements that could not be decoded.
    @inlinable
    mutating func fillQueue(from client: JournaledCollection<Element, Key>) {
        let keys = client.outgoingKeys
        queue = unreadableKeys.isEmpty ? keys : keys.filter { !unreadableKeys.contains($0) }
        queuePosition = 0
    }

    /// Sets the keys of the elements that could not be decoded.
    @usableFromInline
    mutating func setUnreadable(_ keys: Set<Key>, _ client: inout JournaledCollection<Element, Key>) {
        unreadableKeys = keys
        client.agreement.pullsEverything = !keys.isEmpty
    }

    /// Ends the cycle, and returns its outcome.
    @usableFromInline
    mutating func finish(_ ending: SyncOutcome.Ending) -> Step {
        state = .finished
        trace.finish(ending, total: counts)
        return .finished(SyncOutcome(ending, counts: counts, version: version, trace: trace))
    }

    /// Adds a message, its answer and its changes to the trace.
    @usableFromInline
    mutating func record(_ message: SyncTrace.Message, _ answer: SyncTrace.Answer) {
        trace.record(message, answer, total: counts)
    }
}

// A store, which runs a cycle on a part of a collection, uses these.
extension SyncCycle {
    /// The keys of the changes that remain to be pushed in this round, in order.
    ///
    /// The next push holds the first of them, and needs these elements alone.
    package var upcomingKeys: ArraySlice<Key> { queue[queuePosition...] }

    /// Continues after the end of the cycle, because the store has changed further records.
    ///
    /// They are pushed too.
    package mutating func resumed(_ client: inout JournaledCollection<Element, Key>) -> Step { pushNext(&client) }

    /// Continues without the latest push, because none of its changes can be sent.
    package mutating func skipped(_ client: inout JournaledCollection<Element, Key>) -> Step {
        client.agreement.pendingPush = nil
        return pushNext(&client)
    }
}

extension SyncCycle {
    /// Merges all elements of the remote, except those that could not be decoded.
    @inlinable
    mutating func mergeEverything(
        _ elements: [Element], _ version: RemoteVersion?, _ unreadable: Set<Key>,
        _ client: inout JournaledCollection<Element, Key>
    ) throws {
        if accountChange == .replace {
            // The local changes are dropped, so every difference is a change of the remote.
            let states = try client.reader.states(everything: elements, shadow: Array(client), duplicates: duplicates)
                .filter { !unreadable.contains($0.key) }
            let decisions = try client.merge(states, base: { client[$0] }, resolve: policy.resolve)
            client.slots.voidJournal()
            apply(decisions, &client)
        } else if accountChange == .merge || client.version == nil {
            let states = try client.reader.states(everything: elements, shadow: [], duplicates: duplicates)
                .filter { !unreadable.contains($0.key) }
            let decisions = try client.merge(states, base: { _ in nil }, resolve: policy.resolve)
            client.slots.voidShadow()
            apply(decisions, &client)
        } else {
            var states = try client.reader.states(everything: elements, shadow: client.shadow, duplicates: duplicates)
            let unresolved = client.slots.unresolvedStates(without: states).map { ($0.key, client.shadow(for: $0.key)) }
            states += unresolved.map { (key: $0, element: $1) }
            states.removeAll { unreadable.contains($0.key) }
            var absent: [Key] = []
            if client.version?.epoch != version?.epoch {
                absent = states.filter { $0.element == nil }.map(\.key)
                states.removeAll { $0.element == nil }
            }
            let decisions = try client.merge(states, base: { client.shadow(for: $0) }, resolve: policy.resolve)
            // In a new epoch an absent record was not deleted. It is a local addition.
            for key in absent { client.slots.setShadow(nil, forKey: key) }
            apply(decisions, &client)
        }
    }

    /// Applies decisions to the collection, and counts them.
    @inlinable
    mutating func apply(
        _ decisions: [JournaledCollection<Element, Key>.KeyedDecision],
        _ client: inout JournaledCollection<Element, Key>
    ) {
        var sameness = client.slots.sameness
        for (_, decision) in decisions where !decision.isOpen {
            if decision.resolution != nil { counts.resolved += 1 }
            if sameness.areSame(decision.local, decision.merged) { continue }
            switch (decision.local, decision.merged) {
            case (nil, _): counts.pulled.added += 1
            case (_, nil): counts.pulled.deleted += 1
            default: counts.pulled.replaced += 1
            }
        }
        client.apply(decisions)
    }

    /// Accepts a push that the remote has applied: the shadow becomes the pushed elements, or the remote's amended
    /// ones.
    @inlinable
    mutating func accept(
        _ push: Push<Element>, _ version: RemoteVersion, _ amended: [Element],
        _ client: inout JournaledCollection<Element, Key>
    ) throws {
        let changes = try client.reader.changes(of: push.changes, named: "pendingPush")
        let states = try client.reader.states(changed: amended, deleted: [], duplicates: duplicates)
        var decisions: [JournaledCollection<Element, Key>.KeyedDecision] = []
        if !states.isEmpty {
            var sent: [Key: Element?] = [:]
            for change in changes {
                let key = client.reader.keyOf(change.element)
                if client.slots.entry(forKey: key)?.isUnresolved != true { sent[key] = .some(change.new) }
            }
            decisions = try client.merge(states, base: { key in sent[key] ?? client.shadow(for: key) }) { conflict in
                let isSent = conflict.remote.map { sent[client.reader.keyOf($0)] != nil } ?? false
                return try isSent ? resolution(ofEditSincePush: conflict) : policy.resolve(conflict)
            }
        }
        client.setShadow(changes)
        apply(decisions, &client)
        counts.pushed += push.changes.counts
        agree(with: &client, at: version)
    }

    /// Returns the resolution for an element that was edited since it was pushed, and that the remote amended.
    ///
    /// The amended form was made from the pushed element, so the edit is newer. The policy may merge the two, but
    /// cannot drop the edit.
    @inlinable
    func resolution(ofEditSincePush conflict: Conflict<Element>) throws -> Resolution<Element> {
        if conflict.local == nil { return .local }
        if case .merged(let element) = try policy.resolve(conflict) { return .merged(element) }
        return .local
    }

    /// Sets the version of the remote that belongs to the shadow.
    ///
    /// No push is in doubt then.
    @inlinable
    mutating func agree(with client: inout JournaledCollection<Element, Key>, at version: RemoteVersion?) {
        client.agreement.version = version
        client.agreement.pendingPush = nil
        if accountChange != nil { client.agreement.account = account }
        self.version = version
        counts.open = client.slots.conflictCount
    }
}

extension SyncCycle {
    /// Returns the push that waits for its answer.
    @inlinable
    func pendingPush(
        _ pushID: String, of client: JournaledCollection<Element, Key>
    ) throws(CycleError) -> Push<Element> {
        try requireAgreement(with: client, on: pushID)
        guard let push = client.pendingPush else { throw CycleError.overtaken }
        return push
    }

    /// Throws if anything but edits has changed the collection since the cycle's last step.
    @inlinable
    func requireAgreement(
        with client: JournaledCollection<Element, Key>, on pushID: String?
    ) throws(CycleError) {
        if client.version == version && (client.pendingPush?.id == pushID || accountChange != nil) { return }
        throw CycleError.overtaken
    }

    /// Throws if the cycle's name is that of an earlier push of the collection, or of the known commit.
    @inlinable
    func requireUnused(in client: JournaledCollection<Element, Key>) throws(CycleError) {
        try requireUnused(client.version?.commit)
        if client.agreement.pushNames.contains(pushID) { throw CycleError.usedName(pushID) }
    }

    /// Throws if the cycle's name is that of a commit that was made before its first push.
    @usableFromInline
    func requireUnused(_ commit: String?) throws(CycleError) {
        if commit == pushID && pushCount == 0 { throw CycleError.usedName(pushID) }
    }

    /// Returns the name of the next push, which no earlier one has.
    @inlinable
    mutating func nextPushID(of client: JournaledCollection<Element, Key>) -> String {
        while true {
            pushCount += 1
            let id = PushNames.name(pushID, pushCount)
            if id != client.version?.commit && !client.agreement.pushNames.contains(id) { return id }
        }
    }

    /// Requires that rounds and pushes have limits of at least one.
    @usableFromInline
    func requireLimits() throws(CycleError) {
        if maximumRounds < 1 {
            throw CycleError(
                .invalidLimit, "a cycle has at least one round, not \(maximumRounds): give 'maximumRounds' 1 or more")
        }
        if limit.count < 1 {
            throw CycleError(
                .invalidLimit, "a push holds at least one change, not \(limit.count): give 'limit' a count of 1 or more"
            )
        }
    }

    /// Returns the error for a report that does not belong to the state.
    @usableFromInline
    func unexpected(_ report: String) -> CycleError {
        let doing =
            switch state {
            case .idle: "not begun"
            case .confirming: "waiting for the status of a push"
            case .pulling(let since): since == nil ? "waiting for a pull of everything" : "waiting for a pull"
            case .pushing: "waiting for the answer to a push"
            case .finished: "finished"
            }
        return CycleError(
            .unexpectedReport,
            "'\(report)' is not expected: the cycle is \(doing). Report the answer to its latest step, and only once")
    }
}
