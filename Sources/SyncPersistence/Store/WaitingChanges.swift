/// Changes of the remote that the schema, or a local change, does not allow yet.
///
/// For example, a note arrives before its folder. The note is removed again at the end of the transaction, and the
/// journal keeps the remote's version of it. The transaction that stores the folder also stores the note.
///
/// A *displacement* is a reference that a record loses because a record of the remote takes it. For example, a desk
/// has one person, and the remote gives desk 7 to person 2. Then person 1 loses the desk. If person 1 has a local
/// change of the desk, the remote's change waits, and the displacement is undone.
final class WaitingChanges {
    /// The changes of other records that storing records of the remote has made.
    private(set) var displacements = Displacements()

    /// The record of the remote that is being stored and causes the next displacements; nil while none is stored.
    private var cause: (id: RecordID, start: Int)?

    /// The records and entries that the transaction had changed before the remote's change, to which a revert returns.
    private var earlier: [RecordID: (record: Record?, entry: JournalEntry?)] = [:]

    /// The reverted records, each under the name of its hierarchy's root.
    private var reverted: [RecordID] = []

    /// The references that records have lost to records of the remote, in the changes that are settled.
    private var lostReferences: [LostReference] = []

    private unowned let transaction: WriteTransaction
    /// Finds the records that refer to others.
    private var rules: RelationshipRules { transaction.rules }
    /// The touched records.
    private let log: ChangeLog
    /// The entries in which a remote change waits until its record can be stored.
    private let entries: TransactionJournal

    /// A step of a revert.
    private enum Step {
        /// Restores a record, after those of the remote that have taken a reference from it.
        case begin(RecordID)
        /// Restores a record, then the references that it has taken.
        case finish(RecordID)
        /// Restores a reference, after the record of the remote that has the target now.
        case restore(Displacement)
    }

    /// Creates the waiting changes of a transaction.
    init(of transaction: WriteTransaction) {
        self.transaction = transaction
        (log, entries) = (transaction.log, transaction.entries)
    }

    /// Returns the lost references, and forgets them.
    func takeLostReferences() -> [LostReference] {
        defer { lostReferences = [] }
        return lostReferences
    }

    /// Forgets everything at the end of the transaction, or after a settlement in between.
    private func reset() {
        (displacements, cause, earlier, reverted) = (Displacements(), nil, [:], [])
        transaction.deletions.reset()
        entries.endMergingEdits()
    }
}

extension WaitingChanges {
    /// Keeps the state of a record before the remote's change of it, if the transaction itself had changed it.
    ///
    /// A reference that must be restored belongs to that state.
    func willStore(_ key: DigestedKey, of state: HierarchyState) throws {
        let id = RecordID(state.root.name, key.key)
        if log.hasOtherChanges, let change = log.change(of: key, in: state), !change.isIncoming {
            var record = change.new
            for displacement in displacements.ofReferences(in: id).reversed() {
                if let present = record, displacement.mustBeUndone(in: present) {
                    record?[displacement.slot] = displacement.before
                }
            }
            earlier[id] = (record, try entries.entry(for: key, in: state))
        }
        displacements.setIsDecided(id)
    }

    /// Records that a change set states the shadow of a record.
    func setHasStatedShadow(_ id: RecordID) { displacements.setHasStatedShadow(id) }

    /// Sets the record of the remote that causes the next displacements, unless there is one; returns whether it is set.
    func beginDisplacing(_ id: RecordID) -> Bool {
        if cause != nil { return false }
        cause = (id, displacements.count)
        return true
    }

    /// Ends what ``beginDisplacing(_:)`` has begun.
    func endDisplacing() { cause = nil }

    /// Records that a reference of another record changes because a record of the remote is stored.
    func addDisplacement(_ slot: String, of record: Record, becoming value: Value) throws {
        let victim = record.rootID
        guard let cause, cause.id != victim else { return }
        let entry = try entries.entry(of: record)
        let isTaken = displacements.haveTaken(slot, from: victim, since: cause.start)
        displacements.append(
            Displacement(
                cause: cause.id, victim: victim, slot: slot, before: record[slot], after: value,
                shadow: entry.map { $0.base?[slot] ?? .null } ?? record[slot],
                isProtected: isTaken || entry?.protects(slot, of: record) ?? false, index: displacements.count))
    }
}

extension WaitingChanges {
    /// Whether records of the remote have taken a reference, set by a local change, from one of some records.
    func hasDisplacedEdits(of ids: [RecordID]) -> Bool {
        !displacements.isEmpty && ids.contains { displacements.ofReferences(in: $0).contains(where: \.isProtected) }
    }

    /// Whether the transaction must look for waiting changes of the remote, its own or earlier ones.
    ///
    /// - Complexity: O(1), with one lookup
    func mayExist() throws -> Bool {
        if log.hasIncomingChanges || transaction.deletions.needSettlement { return true }
        return try !log.touched.isEmpty && transaction.awaited.count() > 0
    }

    /// Reverts changes of the remote that violate the schema, so that the rest of the transaction reads what will be
    /// stored.
    ///
    /// It reverts a record that refers to a missing one, or would take a reference from a record with a local change.
    /// It also reverts a deletion that would delete a local change. The journal stores the remote's versions as
    /// unresolved. They are tried again by the next cycle, and by the transaction that stores what they wait for.
    ///
    /// It runs at the end of each transaction, and may run before.
    ///
    /// - Returns: The missing targets of local changes.
    @discardableResult
    func settle() throws -> [RecordID] {
        let (deletions, awaited) = (transaction.deletions, transaction.awaited)
        var missing: [RecordID] = []
        var isStable = false
        while !isStable {
            try deletions.resume()
            let hasResumed = try awaited.resume()
            missing = try rules.missingTargets()
            let hasReverted = try revertReferences(to: missing)
            let hasDeleted = try deletions.makePossible()
            isStable = try !revertDisplacing() && !hasReverted && !hasDeleted && !hasResumed
        }
        try deletions.holdBackRemaining()
        try awaited.add(reverted)
        try addLostReferences()
        reset()
        return missing
    }

    private func addLostReferences() throws {
        for displacement in displacements.open where displacement.after.isNull && !displacement.isProtected {
            guard let record = try transaction.record(displacement.victim), record[displacement.slot].isNull,
                try entries.entry(of: record) == nil
            else { continue }
            lostReferences.append(
                LostReference(id: displacement.victim, slot: displacement.slot, former: displacement.before))
        }
    }

    /// Reverts the remote's records that refer to a missing one, and those that refer to them; returns whether there
    /// are any.
    private func revertReferences(to missing: [RecordID]) throws -> Bool {
        if !log.hasIncomingChanges { return false }
        var hasReverted = false
        var pending = missing
        while let target = pending.popLast() {
            let slots = try rules.slots(referringTo: target)
            guard !slots.isEmpty, try transaction.record(target) == nil else { continue }
            let naming = try slots.flatMap { slot in
                try transaction.records(
                    Query(slot.declaredBy, where: .comparison(path: slot.name, .equal, target.key)))
            }
            var ids = naming.map(\.rootID)
            // The remote has replaced the record by one of another entity, to which the references must not lead.
            if try !naming.allSatisfy(isIncoming) {
                ids = [RecordID(try transaction.shape(target.entity).root, target.key)] + ids
            }
            for id in ids where try transaction.record(target) == nil {
                guard let targets = try revert(id) else { continue }
                pending += targets
                hasReverted = true
            }
        }
        return hasReverted
    }

    /// Reverts the remote's records that have taken a reference from a record with a local change, or from one that
    /// must have it; returns whether there are any.
    ///
    /// If such a record was deleted since, only the reference is restored.
    private func revertDisplacing() throws -> Bool {
        var hasReverted = false
        for displacement in displacements.open {
            guard let victim = try transaction.record(displacement.victim), displacement.mustBeUndone(in: victim)
            else { continue }
            let cause = displacement.cause
            let isGone = try !displacement.isSymmetric(in: victim.shape) && transaction.record(cause) == nil
            if try revert(cause) != nil || isGone && run([.restore(displacement)]).hasReverted {
                hasReverted = true
            }
        }
        return hasReverted
    }

    /// Whether the transaction has stored a record as the remote's version.
    private func isIncoming(_ record: Record) throws -> Bool {
        try log.incomingChange(of: DigestedKey(record.key), in: log.hierarchy(of: record.shape)) != nil
    }
}

extension WaitingChanges {
    /// Restores a record to its state before the remote's change, which the journal stores.
    ///
    /// Records of the remote that have taken a reference from it are restored first, so that the journal stores the
    /// version that the remote has stated. So are those that have a one-to-one target to which it returns.
    ///
    /// - Returns: Records that may now be missing targets; nil if the remote has not changed the record.
    private func revert(_ id: RecordID) throws -> [RecordID]? {
        try isIncoming(id) ? run([.begin(id)]).targets : nil
    }

    /// Makes the steps of a revert, the last one first.
    ///
    /// - Returns: Records that may now be missing targets, and whether a record has changed.
    private func run(_ steps: [Step]) throws -> (targets: [RecordID], hasReverted: Bool) {
        var (targets, hasReverted) = ([RecordID](), false)
        var (pending, reverting) = (steps, Set<RecordID>())
        while let step = pending.popLast() {
            switch step {
            case .begin(let id):
                if try isIncoming(id) { pending += try stepsToRevert(id) }
            case .finish(let id):
                if let holder = try holder(ofTargetsOf: id, besides: reverting) {
                    reverting.insert(holder)
                    pending.append(step)
                    pending += try stepsToRevert(holder)
                    continue
                }
                guard let found = try revertAlone(id) else { continue }
                targets += found
                hasReverted = true
                pending += displacements.caused(by: id).map { Step.restore($0) }
            case .restore(let displacement):
                if let holder = try holders(of: displacement).first(where: isIncoming) {
                    pending.append(step)
                    pending += try stepsToRevert(holder.rootID)
                } else if try restore(displacement) {
                    hasReverted = true
                }
            }
        }
        return (targets, hasReverted)
    }

    /// Returns the steps that restore a record, and before it the records of the remote that have taken a reference
    /// from it.
    private func stepsToRevert(_ id: RecordID) throws -> [Step] {
        let taken = displacements.ofReferences(in: id)
        guard !taken.isEmpty, let record = try transaction.record(id) else { return [.finish(id)] }
        let takers = try taken.filter { try record[$0.slot] == $0.after && isIncoming($0.cause) }
        return [.finish(id)] + takers.map { Step.begin($0.cause) }
    }

    /// Whether the transaction has stored the remote's version of a record.
    private func isIncoming(_ id: RecordID) throws -> Bool {
        let state = try log.hierarchy(of: transaction.shape(id.entity))
        return log.incomingChange(of: DigestedKey(id.key), in: state)?.new != nil
    }

    /// Returns a record of the remote that now has a one-to-one target of a record that would be restored; nil if there
    /// is none.
    ///
    /// - Parameter reverting: Records that are reverted already, or will be.
    private func holder(ofTargetsOf id: RecordID, besides reverting: Set<RecordID>) throws -> RecordID? {
        let (key, state) = (DigestedKey(id.key), try log.hierarchy(of: transaction.shape(id.entity)))
        guard let change = log.incomingChange(of: key, in: state), change.new != nil else { return nil }
        let restored = if let earlier = earlier[id] { earlier.record } else { change.old }
        guard let record = restored, record.shape.hasExclusiveReferences else { return nil }
        for relationship in record.shape.relationships {
            guard case .reference(let slot, true, _) = relationship.storage, !record[slot].isNull else { continue }
            let incoming = try rules.holders(of: record[slot], in: slot, besides: record).filter(isIncoming)
            if let id = incoming.map(\.rootID).first(where: { !reverting.contains($0) }) { return id }
        }
        return nil
    }

    /// Restores one record, without the references that it has taken, and those that were taken from it.
    private func revertAlone(_ id: RecordID) throws -> [RecordID]? {
        let (key, state) = (DigestedKey(id.key), try log.hierarchy(of: transaction.shape(id.entity)))
        guard let change = log.incomingChange(of: key, in: state), let present = change.new else { return nil }
        let known = if let entry = try entries.entry(for: key, in: state) { entry.known } else { Optional(present) }
        let earlier = try self.earlier[id] ?? (change.old, entries.formerEntry(key, of: state))
        var record = earlier.record
        var base = if let entry = earlier.entry { entry.base } else { record }
        if let old = record {
            try bringBackTargets(of: old)
            try rules.clearMissingReferences(of: old, &record, &base, isEdited: earlier.entry != nil, in: state)
        }
        let storage = transaction.storage
        if let record { _ = try storage.put(record) } else { _ = try storage.remove(key.key, in: state.root) }
        log.touch(key, of: state, old: present, new: record, origin: .agreed, isConsequence: true)
        log.clearIncoming(key, in: state)
        let entity = (record ?? base ?? known)?.entity ?? id.entity
        try holdBack(RecordID(entity, id.key), base: base, remote: known)
        reverted.append(id)
        return rules.requireNoReferences(to: present, replacedBy: record)
    }

    /// Restores the records to which a restored record must refer, if the remote has deleted them in this transaction.
    ///
    /// For example, the remote has moved a task to a project that was deleted here, and has deleted its former project.
    /// The deletion of the former one waits, as the move does.
    private func bringBackTargets(of record: Record) throws {
        var pending = [record]
        while let next = pending.popLast() {
            let state = try log.hierarchy(of: next.shape)
            for reference in state.references(of: next.shape, in: transaction.schema).enforced
            where !reference.slot.isOptional {
                let target = RecordID(reference.destination.name, next.values[reference.position])
                if let deleted = try bringBack(target) { pending.append(deleted) }
            }
        }
    }

    /// Restores a record that the remote has deleted in this transaction, without references that it cannot have now.
    ///
    /// - Returns: The record before its deletion; nil if it was not deleted.
    private func bringBack(_ id: RecordID) throws -> Record? {
        let (key, state) = (DigestedKey(id.key), try log.hierarchy(of: transaction.shape(id.entity)))
        guard let change = log.incomingChange(of: key, in: state), change.new == nil, let old = change.old else {
            return nil
        }
        var record = old
        var base = if let entry = try entries.formerEntry(key, of: state) { entry.base } else { Optional(old) }
        for reference in state.references(of: old.shape, in: transaction.schema).enforced
        where reference.slot.isOptional && !old.values[reference.position].isNull {
            let key = old.values[reference.position]
            let isThere = try transaction.record(RecordID(reference.destination.name, key)) != nil
            if try isThere && rules.holders(of: key, in: reference.slot.name, besides: old).isEmpty { continue }
            record.values[reference.position] = .null
            if let shadow = base, shadow[reference.slot.name] == key { base?[reference.slot.name] = .null }
        }
        _ = try transaction.storage.put(record)
        log.touch(key, of: state, old: nil, new: record, origin: .agreed, isConsequence: true)
        log.clearIncoming(key, in: state)
        try holdBack(record.id, base: base, remote: nil)
        return old
    }

    /// Returns the records that have the target of a reference which would be restored.
    private func holders(of displacement: Displacement) throws -> [Record] {
        guard !displacement.before.isNull, let victim = try transaction.record(displacement.victim),
            victim[displacement.slot] == displacement.after
        else { return [] }
        return try rules.holders(of: displacement.before, in: displacement.slot, besides: victim)
    }

    /// Restores the deleted target of a reference that was set locally; returns whether the reference may lead there.
    private func bringBackTarget(of displacement: Displacement, in record: Record) throws -> Bool {
        guard !displacement.before.isNull, let slot = record.shape.slot(named: displacement.slot),
            case .reference(let destination, _, true) = record.shape.slots[slot].content
        else { return true }
        let target = RecordID(destination, displacement.before)
        if try displacement.isProtected && transaction.record(target) == nil, let deleted = try bringBack(target) {
            try bringBackTargets(of: deleted)
        }
        return try transaction.record(target) != nil
    }

    /// Restores a reference that another stored record had taken; returns whether the record can have it again.
    private func restore(_ displacement: Displacement) throws -> Bool {
        guard let present = try transaction.record(displacement.victim),
            present[displacement.slot] == displacement.after, try holders(of: displacement).isEmpty,
            try bringBackTarget(of: displacement, in: present)
        else { return false }
        var record = present
        record[displacement.slot] = displacement.before
        let (key, state) = (DigestedKey(record.key), try log.hierarchy(of: record.shape))
        let entry = try entries.entry(for: key, in: state)
        var shadow = if let entry { entry.base } else { Optional(present) }
        if !displacements.isShadowStated(after: displacement), shadow?.shape.slot(named: displacement.slot) != nil {
            shadow?[displacement.slot] = displacement.shadow
        }
        _ = try transaction.storage.put(record)
        log.touch(key, of: state, old: present, new: record, origin: .local, isConsequence: true)
        try transaction.setShadow(
            JournalEntry(
                id: record.id, base: shadow, isUnresolved: entry?.isUnresolved ?? false, remote: entry?.remote))
        return true
    }

    /// Stores the remote's version of a record beside it, and lists the record if that version is new.
    func holdBack(_ id: RecordID, base: Record?, remote: Record?) throws {
        let entry = JournalEntry(id: id, base: base, isUnresolved: base != remote, remote: remote)
        try entries.holdBack(transaction.checks.checked(entry))
    }
}
