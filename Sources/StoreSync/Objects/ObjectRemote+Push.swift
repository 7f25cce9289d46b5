import SyncPersistence

extension ObjectRemote {
    /// Makes a device's changes, or repeats the stored response to the same push.
    ///
    /// - Throws: ``RemoteError``; the errors of the object store. An error while the head is replaced may come after
    ///   the changes were made: the same push finds its response then.
    /// - Complexity: O(number of mutations + number of changes after the base)
    public func push(_ request: PushRequest) async throws -> PushResponse {
        for _ in 0..<Self.maximumTries {
            guard let response = try await withHead({ try await attempt(request, $0, $1) }) else { continue }
            await compactIfNeeded()
            return response
        }
        throw RemoteError.later()
    }

    /// Tries a push on a head; nil if another device has replaced the head.
    private func attempt(
        _ request: PushRequest, _ head: ObjectHead, _ tag: String
    ) async throws -> PushResponse? {
        if let stored = try head.response(to: request) { return stored }
        try request.base.check(epoch: head.epoch, sequence: head.sequence)
        try request.base.check(horizon: head.horizon)
        let others = try await reader.changes(of: head, after: request.base.sequence)
        let states = try await reader.states(of: PushCheck.neededStates(of: request, others), in: head)
        let race = PushRace(
            request, try await reader.entries(in: others, after: request.base.sequence, besides: request.device))
        var check = PushCheck(request, others, states, race, head.sequence)
        check.run()
        var next = head
        let response = PushResponse(name: request.name, outcomes: check.outcomes)
        next.responses[request.device] = response
        if let first = check.changes.first, let last = check.changes.last {
            // Only a head that replaces the one of this revision can name the segment.
            let name = "segment-\(head.revision)-\(makeName())"
            guard try await write(name, ObjectSegment(changes: check.changes).data, ifTag: nil) != nil else {
                return nil
            }
            next.segments.append(
                ObjectHead.Segment(
                    name: name, first: first.sequence, last: last.sequence, count: check.changes.count,
                    size: check.changes.reduce(0) { $0 + $1.entry.messageSize }))
            next.sequence = last.sequence
        }
        return try await replace(tag, with: next) == nil ? nil : response
    }
}

extension ObjectHead {
    /// Returns the stored response to a push; nil if the push is the device's next one.
    ///
    /// - Throws: ``RemoteError/handshakeNeeded(_:)`` for any other push.
    fileprivate func response(to request: PushRequest) throws(RemoteError) -> PushResponse? {
        let stored = responses[request.device]
        if let stored, stored.name.number == request.name.number {
            if stored.name == request.name { return stored }
            throw .handshakeNeeded("another push with the number was answered")
        }
        let last = stored?.name.number ?? 0
        guard request.name.number > last, request.name.number - 1 == last else {
            throw .handshakeNeeded("the device's last known push has the number \(last)")
        }
        return nil
    }
}

/// The check of each mutation of a push against what others have changed after its base.
struct PushCheck {
    private let request: PushRequest
    private let others: RecentChanges
    private let states: [RecordID: PullResponse.State]
    private let race: PushRace
    /// The records of earlier mutations; a second mutation of one is refused.
    private var seen: Set<RecordID> = []
    private var sequence: Int64

    /// Whether a deletion of the push was not accepted.
    ///
    /// Its record may refer to those that later mutations of the push delete, so these are not accepted either.
    private var hasStoppedDeletion = false

    /// The keys of the push's new records that are in conflict.
    ///
    /// Another record may have such a key, because each device counts the keys of an entity without a primary key by
    /// itself. So later mutations of the push that may refer to the key are in conflict too.
    private var keysInConflict: Set<Value> = []

    /// The outcome of each mutation that was checked, in the order of the push.
    private(set) var outcomes: [PushResponse.Outcome] = []

    /// The changes that the push makes.
    private(set) var changes: [ObjectSegment.Change] = []

    /// Creates the check.
    ///
    /// - Parameters:
    ///   - request: The push.
    ///   - others: The last change of each record after the base.
    ///   - states: The current states of the records that need them.
    ///   - race: What references have in common with changes of others after the base.
    ///   - sequence: The number of the last change.
    init(
        _ request: PushRequest, _ others: RecentChanges, _ states: [RecordID: PullResponse.State], _ race: PushRace,
        _ sequence: Int64
    ) {
        (self.request, self.others, self.states) = (request, others, states)
        (self.race, self.sequence) = (race, sequence)
    }

    /// Returns the records whose states the check needs: those that are updated, and those that were changed recently.
    static func neededStates(of request: PushRequest, _ others: RecentChanges) -> Set<RecordID> {
        Set(
            request.mutations.filter { mutation in
                if case .update = mutation.change { return true }
                return others[mutation.id] != nil
            }.map(\.id))
    }

    /// Checks all mutations.
    mutating func run() {
        for mutation in request.mutations {
            let outcome = check(mutation)
            if mutation.change == .delete, outcome != .accepted() { hasStoppedDeletion = true }
            if case .insert = mutation.change, outcome == .conflict { keysInConflict.insert(mutation.id.key) }
            outcomes.append(outcome)
        }
    }

    /// Returns the outcome of a mutation, and adds its change if it is accepted.
    private mutating func check(_ mutation: Mutation) -> PushResponse.Outcome {
        guard seen.insert(mutation.id).inserted else { return .duplicate }
        let last = others[mutation.id]
        let isChanged = last.map { $0.sequence > request.base.sequence && $0.writer != request.device } ?? false
        switch (mutation.change, states[mutation.id]) {
        case (.insert(let values), .present(let known)) where values == known: return .accepted()
        case (.delete, .deleted): return .accepted()
        case _ where isChanged: return .conflict
        case (.delete, _) where hasStoppedDeletion: return .conflict
        case _ where race.concerns(mutation) || mayNeedRecordInConflict(mutation): return .conflict
        case (.insert(let values), _): return accept(mutation.id, .present(values))
        case (.update(let values), .present(let old)):
            var new = old
            for member in values.members { new[member.name] = member.value }
            return new == old ? .accepted() : accept(mutation.id, .present(new))
        case (.update, _):
            return .refused(
                code: "missing", reason: "the record to change does not exist: release it to send it as a new one")
        case (.delete, _): return accept(mutation.id, .deleted)
        }
    }

    /// Whether a mutation has one of the keys in conflict as a value, besides the key of its own record.
    private func mayNeedRecordInConflict(_ mutation: Mutation) -> Bool {
        if keysInConflict.isEmpty { return false }
        switch mutation.change {
        case .insert(let new):
            let found = new.values.filter(keysInConflict.contains)
            return found.count > (found.contains(mutation.id.key) ? 1 : 0)
        case .update(let new): return new.values.contains(where: keysInConflict.contains)
        case .delete: return false
        }
    }

    private mutating func accept(_ id: RecordID, _ state: PullResponse.State) -> PushResponse.Outcome {
        sequence += 1
        changes.append(
            ObjectSegment.Change(
                sequence: sequence, writer: request.device, entry: PullResponse.Entry(id, state)))
        return .accepted()
    }
}

/// Finds mutations of a push that may refer to records of changes that others have made after its base, or the
/// reverse.
///
/// The remote knows no schema, so any value may be a reference. For example, device 1 deletes folder 7, and device 2
/// stores a note with the value 7. The second push is a conflict then. The device pulls first, knows both changes, and
/// resolves them by its policy.
struct PushRace {
    /// The keys of the records that others have deleted.
    private var deleted: Set<Value> = []

    /// The values of the records that others have inserted or changed.
    private var values: Set<Value> = []

    /// Creates the comparison with the changes of others after the base of a push.
    ///
    /// - Complexity: O(number of values in these changes)
    init(_ request: PushRequest, _ others: [PullResponse.Entry]) {
        let deletes = request.mutations.contains { $0.change == .delete }
        for entry in others {
            guard case .present(let new) = entry.state else {
                deleted.insert(entry.id.key)
                continue
            }
            if deletes { values.formUnion(new.values) }
        }
    }

    /// Whether a mutation has a value that equals a key of `deleted`, or deletes a record whose key is one of `values`.
    func concerns(_ mutation: Mutation) -> Bool {
        switch mutation.change {
        case .insert(let new), .update(let new): !deleted.isEmpty && new.values.contains(where: deleted.contains)
        case .delete: values.contains(mutation.id.key)
        }
    }
}
