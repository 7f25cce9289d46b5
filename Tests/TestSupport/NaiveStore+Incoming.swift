import DifferentialSyncTesting
import SyncPersistence

// MARK: looking

extension NaiveStore {
    /// Whether a record has a remote change that waits, and no local change.
    func isWaiting(_ id: RecordID) -> Bool {
        let root = rootID(id)
        return state.open[root] != nil && state.shadow[root] == row(root)
    }

    /// Whether a record that differs from the remote has no local change, nor one that a remote change has displaced.
    func isUnedited(_ id: RecordID) -> Bool {
        let root = rootID(id)
        return isDirty(root) && state.shadow[root] == row(root) && !isDisplaced(root)
    }

    /// Whether a remote change has displaced a local change of a record.
    func isDisplaced(_ root: RecordID) -> Bool {
        incoming.openDisplacements.contains { $0.victim == root && $0.isProtected }
    }

    /// Whether a reference of a record was changed locally.
    func protects(_ slot: String, of record: Record) -> Bool {
        let root = rootID(record.id)
        if !isDirty(root) { return false }
        if isWaiting(root) { return state.open[root].flatMap(\.self) != nil }
        return state.shadow[root]?[slot] != record[slot]
    }

    /// Returns a record and all records that its deletion would delete.
    private func cascade(_ record: Record) -> [Record] {
        var (found, pending): ([Record], [Record]) = ([], [record])
        while let next = pending.popLast() {
            if found.contains(where: { rootID($0.id) == rootID(next.id) }) { continue }
            found.append(next)
            for relationship in next.shape.relationships where relationship.definition.deleteRule == .cascade {
                pending += targets(relationship, of: next)
            }
        }
        return found
    }

    /// Whether a collection synchronizes the records of a shape with a remote of its own.
    func isSynchronized(_ shape: Shape) -> Bool {
        shape.lineage.contains { state.metadata["cycle.\($0).turn"] != nil }
    }

    /// Whether the remote has deleted a record that still exists locally.
    func waitsForDeletion(_ record: Record) -> Bool {
        isWaiting(record.id) && isUnedited(record.id) && state.open[rootID(record.id)].flatMap(\.self) == nil
    }

    /// Whether a remote deletion must wait.
    ///
    /// It must if it would delete a local change, another remote's record, or what a rule protects.
    func isBlocked(_ record: Record, together: [Record], decided: Set<RecordID>) -> Bool {
        let going = Set(together.flatMap(cascade).map { rootID($0.id) })
        return cascade(record).contains { gone in
            let root = rootID(gone.id)
            if !decided.contains(root) {
                if isSynchronized(gone.shape) { return true }
                if isDirty(root), !waitsForDeletion(gone) { return true }
            }
            let isDenied = gone.shape.relationships.contains { relationship in
                let others = targets(relationship, of: gone).filter { !going.contains(rootID($0.id)) }
                switch (relationship.definition.deleteRule, relationship.storage) {
                case (.deny, _): return !others.isEmpty
                case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                    return others.contains { $0[slot] == gone.key && keeps(slot, $0) }
                default: return false
                }
            }
            return isDenied
                || gone.shape.incoming.contains { incoming in
                    all(incoming.shape) { $0[incoming.slot] == gone.key && !going.contains(rootID($0.id)) }
                        .contains { keeps(incoming.slot, $0) }
                }
        }
    }

    /// Whether a record must keep a reference to a record that would be deleted.
    private func keeps(_ slot: String, _ record: Record) -> Bool {
        if isSynchronized(record.shape) { return true }
        if record.shape.role == .links { return false }
        let isOptional = record.shape.slot(named: slot).map { record.shape.slots[$0].isOptional } ?? true
        return !isOptional || protects(slot, of: record)
    }
}

// MARK: changing

extension NaiveStore {
    /// Remembers the state of a record that the commit has changed locally before the remote's change.
    ///
    /// References that must be restored belong to that state.
    mutating func noteEarlier(_ root: RecordID) {
        guard incoming.touched.contains(root), !incoming.arrivals.contains(root) else { return }
        var noted = IncomingState.Noted(row: row(root), shadow: state.shadow[root], open: state.open[root])
        let isEdited = isDirty(root)
        for displacement in incoming.openDisplacements.reversed() where displacement.victim == root {
            if let present = noted.row, displacement.mustBeUndone(in: present) {
                noted.row?[displacement.slot] = displacement.before
            }
        }
        if !isEdited { noted.shadow = noted.row }
        incoming.earlier[root] = noted
    }

    /// Removes a waiting deletion, because the commit changes the record again.
    ///
    /// Before a local change, the journal keeps the deletion.
    mutating func supersedeDeletion(_ root: RecordID, _ origin: ChangeSet.Origin) throws {
        guard let place = incoming.deletions.firstIndex(where: { $0.id == root }) else { return }
        let deletion = incoming.deletions.remove(at: place)
        if origin == .local { keepBack(deletion) }
    }

    /// Keeps a deletion in the journal.
    private mutating func keepBack(_ deletion: IncomingState.Deletion) {
        if deletion.isNoted { return }
        guard let record = row(deletion.id) else { return }
        let entry = deletion.entry
        let known = entry.map { $0.isUnresolved ? $0.remote : $0.base } ?? nil
        keepBack(record.id, base: state.shadow[deletion.id], remote: known)
    }

    /// Sets the shadow and the remote's version, and reports the record if that is new.
    mutating func keepBack(_ id: RecordID, base: Record?, remote: Record?) {
        let root = rootID(id)
        note(root, base: base, open: base == remote ? nil : .some(remote))
        if base != remote, before.open[root] != .some(remote) || before.shadow[root] != base { heldBack.insert(id) }
    }

    /// Decides all remote changes at the end of a commit.
    ///
    /// The steps affect each other, and are repeated until nothing changes.
    mutating func settleIncoming() throws {
        var isStable = false
        while !isStable {
            resumeDeletions()
            let hasResumed = try resumeAwaiting()
            let hasPutBack = try putBackNames()
            let hasDeleted = try makeDeletions()
            isStable = try !putBackDisplacing() && !hasPutBack && !hasDeleted && !hasResumed
        }
        for deletion in incoming.deletions { keepBack(deletion) }
        for id in incoming.putBack {
            guard let remote = state.open[id].flatMap(\.self) else { continue }
            for name in names(of: remote) where row(name) == nil {
                let target = rootID(name)
                if state.awaited[target]?.contains(id) != true { state.awaited[target, default: []].append(id) }
            }
        }
    }

    /// Returns the records that a record refers to and that must exist.
    private func names(of record: Record) -> [RecordID] {
        zip(record.shape.slots, record.values).compactMap { slot, value in
            guard case .reference(let destination, _, true) = slot.content, !value.isNull else { return nil }
            return RecordID(destination, value)
        }
    }

    /// The records that references name and that do not exist, in a fixed order.
    private var missing: [RecordID] {
        var found: Set<RecordID> = []
        for record in state.rows.values.joined() {
            for (slot, value) in zip(record.shape.slots, record.values) where !value.isNull && named.contains(value) {
                guard case .reference(let destination, _, true) = slot.content else { continue }
                if row(RecordID(destination, value)) == nil { found.insert(RecordID(destination, value)) }
            }
        }
        return found.sorted {
            $0.entity == $1.entity ? Value.areInIncreasingOrder($0.key, $1.key) : $0.entity < $1.entity
        }
    }

    /// Undoes remote changes that refer to missing records.
    ///
    /// Returns whether there were any.
    private mutating func putBackNames() throws -> Bool {
        var hasPutBack = false
        var pending = missing
        while let target = pending.popLast() {
            if row(target) != nil { continue }
            let naming = state.rows.values.joined().filter { record in
                zip(record.shape.slots, record.values).contains { slot, value in
                    guard case .reference(target.entity, _, true) = slot.content else { return false }
                    return value == target.key
                }
            }.map { rootID($0.id) }
            let isAllNew = naming.allSatisfy { incoming.arrivals.contains($0) }
            for id in (isAllNew ? [] : [rootID(target)]) + naming where row(target) == nil {
                guard let back = try putBack(id) else { continue }
                pending += back
                hasPutBack = true
            }
        }
        return hasPutBack
    }

    /// Adds the deletion of a record to the candidates if it waits in the journal.
    private mutating func resume(_ record: Record) {
        let root = rootID(record.id)
        guard isSynchronized(record.shape), waitsForDeletion(record) else { return }
        if incoming.deletions.contains(where: { $0.id == root }) { return }
        incoming.deletions.append(IncomingState.Deletion(id: root, origin: .agreed, isNoted: true))
    }

    /// Adds waiting deletions of records that have lost a reference in this commit.
    private mutating func resumeDeletions() {
        var pending = before.rows.values.joined().flatMap { old in
            let new = row(RecordID(old.shape.root, old.key))
            return names(of: old).filter { !(new.map(names(of:)) ?? []).contains($0) }.map(rootID)
        }
        var seen: Set<RecordID> = []
        while let target = pending.popLast() {
            guard seen.insert(target).inserted, let record = row(target) else { continue }
            if isSynchronized(record.shape) { resume(record) } else { pending += names(of: record).map(rootID) }
        }
    }

    /// Stores remote versions that have waited for records which now exist.
    ///
    /// Returns whether there were any.
    private mutating func resumeAwaiting() throws -> Bool {
        var hasResumed = false
        for (root, rows) in state.rows {
            let known = Set((before.rows[root] ?? []).map(\.key))
            for key in rows.map(\.key) where !known.contains(key) {
                for id in state.awaited.removeValue(forKey: RecordID(root, key)) ?? [] where isUnedited(id) {
                    guard let remote = state.open[id].flatMap(\.self), isSynchronized(remote.shape),
                        zip(remote.shape.slots, remote.values).allSatisfy({ $0.admits($1) })
                    else { continue }
                    try store(remote, .agreed)
                    hasResumed = true
                }
            }
        }
        return hasResumed
    }

    /// Adds waiting deletions of records that cascade with the candidates, or refer to records that do.
    private mutating func addWaitingCompany() {
        var pending = incoming.deletions.compactMap { row($0.id) }
        var seen: Set<RecordID> = []
        while let record = pending.popLast() {
            guard seen.insert(rootID(record.id)).inserted, isDecided(record) || !isKept(record) else { continue }
            var (children, naming, denying): ([Record], [Record], [Record]) = ([], [], [])
            for relationship in record.shape.relationships {
                let others = targets(relationship, of: record)
                switch (relationship.definition.deleteRule, relationship.storage) {
                case (.cascade, .inverse):
                    children += others
                    naming += others
                case (.cascade, _): children += others
                case (.deny, _): denying += others
                case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                    naming += others.filter { $0[slot] == record.key }
                default: break
                }
            }
            for incoming in record.shape.incoming { naming += all(incoming.shape) { $0[incoming.slot] == record.key } }
            if naming.contains(where: { isSynchronized($0.shape) && !isDecided($0) && !waitsForDeletion($0) }) {
                continue
            }
            for other in children + naming + denying {
                resume(other)
                if isDecided(other) { pending.append(other) }
            }
            pending += children
        }
    }

    /// Whether the deletion of a record is a candidate.
    private func isDecided(_ record: Record) -> Bool {
        let root = rootID(record.id)
        return incoming.deletions.contains { $0.id == root }
    }

    /// Whether a record has a reason of its own to stay: another remote, or a local change.
    private func isKept(_ record: Record) -> Bool {
        isSynchronized(record.shape) || isDirty(record.id) && !waitsForDeletion(record)
    }

    /// Makes the largest set of deletions that are allowed together.
    ///
    /// Returns whether there were any.
    private mutating func makeDeletions() throws -> Bool {
        if incoming.deletions.isEmpty { return false }
        addWaitingCompany()
        var candidates = incoming.deletions
        while !candidates.isEmpty {
            let (together, decided) = (candidates.compactMap { row($0.id) }, Set(candidates.map(\.id)))
            let free = candidates.filter { deletion in
                row(deletion.id).map { !isBlocked($0, together: together, decided: decided) } ?? true
            }
            if free.count == candidates.count { break }
            candidates = free
        }
        for deletion in candidates {
            incoming.deletions.removeAll { $0.id == deletion.id }
            if let record = row(deletion.id) { try remove(record, deletion.origin) } else { settle(deletion.id) }
            if let entry = deletion.entry { try setShadow(entry) }
        }
        return !candidates.isEmpty
    }
}
