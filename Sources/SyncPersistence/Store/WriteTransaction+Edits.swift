package import DifferentialSync

/// A local change of a record that met a change of the remote, and what they were merged to.
package struct MergedEdit {
    package let id: RecordID

    /// The versions that clash: the remote's without what it does not state.
    package let conflict: Conflict<Record>

    /// The names of the fields that both sides changed to different values; none if one side has deleted the record.
    package let fields: [String]

    /// Whether both sides stay as they are.
    package let isOpen: Bool
}

/// What a remote states of a record that was inserted here, or deleted there before.
package struct StatedSlots {
    /// The slots of which the remote states something.
    package var slots: Set<Int>

    package init(_ slots: Set<Int> = []) { self.slots = slots }
}

/// Local changes and changes of the remote that have met, merged field by field.
extension WriteTransaction {
    /// Merges what the remote is known to hold of records with what was changed here.
    ///
    /// The shadow becomes what the remote holds, so what is left is what only this side has changed. A record that then
    /// equals what the remote holds has no local change any more. Changes that wait for other records are left alone.
    ///
    /// - Parameters:
    ///   - ids: The records, under the names of their hierarchies' roots.
    ///   - stated: What the remote states of records, where that is less than the whole.
    ///   - policy: What resolves clashes.
    ///   - delete: Deletes a record without a local change.
    /// - Returns: The clashes.
    /// - Throws: What the policy throws, `KeyError` if it answers with another key, ``PersistenceError`` if it answers with
    ///   a record that the schema does not allow.
    /// - Complexity: O(number of records), each with lookups
    package func mergeEdits(
        _ ids: [RecordID], stated: [RecordID: StatedSlots], policy: ConflictPolicy<Record>,
        delete: (RecordID) throws -> Void
    ) throws -> [MergedEdit] {
        try changing {
            incoming.mergesEdits = false
            var fields: [ObjectIdentifier: [MergeField<Record>]] = [:]
            var clashes: [MergedEdit] = []
            var merged: Set<RecordID> = []
            var deletions: [RecordID] = []
            for id in ids {
                let shape = try shape(id.entity)
                let (key, state) = (DigestedKey(id.key), try hierarchy(of: shape))
                guard let entry = try entry(for: key, in: state), entry.isUnsettled else {
                    // What came first was taken back by what came later.
                    merged.insert(id)
                    continue
                }
                let local = try record(key, of: shape, in: state)
                if entry.isWaiting(with: local) { continue }
                let versions = EditVersions(entry, local: local, stated: stated[id])
                var known: [MergeField<Record>] = []
                if let shape = versions.commonShape {
                    known = fields[ObjectIdentifier(shape)] ?? Record.mergeFields(of: shape, in: schema)
                    fields[ObjectIdentifier(shape)] = known
                }
                let (decision, clash) = try versions.merge(known, policy)
                if let clash { clashes.append(clash) }
                if clash?.isOpen == true { continue }
                merged.insert(id)
                if try !settle(key, of: state, as: decision, versions) { deletions.append(id) }
            }
            if !merged.isEmpty {
                heldBack = try heldBack.filter { !merged.contains(RecordID(try shape($0.entity).root, $0.key)) }
            }
            for id in deletions { try delete(id) }
            return clashes
        }
    }

    /// Forgets that a record was deleted here, if the remote is known to have deleted it too.
    package func settleDeletion(of key: Value, in shape: Shape) throws {
        let (key, state) = (DigestedKey(key), try hierarchy(of: shape))
        guard let entry = try entry(for: key, in: state), entry.known == nil else { return }
        if try record(key, of: shape, in: state) == nil { try settle(key, of: state) }
    }

    /// Leaves local changes that meet those of the remote to ``mergeEdits(_:stated:policy:delete:)``.
    package func beginMergingEdits() { incoming.mergesEdits = true }

    /// Makes a record what a merge has decided, and the shadow what the remote holds.
    ///
    /// - Returns: Whether that is done; the record is to be deleted otherwise, and has no local change.
    private func settle(
        _ key: DigestedKey, of state: HierarchyState, as merged: Record?, _ versions: EditVersions
    ) throws -> Bool {
        let (local, shadow) = (versions.local, versions.shadow)
        let id = RecordID((merged ?? shadow ?? local)?.entity ?? state.root.name, key.key)
        if let merged {
            if let local, local == merged {
                try note(JournalEntry(id: id, base: shadow))
            } else {
                try store(merged: merged, key, in: state, shadow: shadow)
            }
            return true
        }
        if let shadow {
            try note(JournalEntry(id: id, base: shadow))
            if let local { try delete(local.id, origin: .local) }
            return true
        }
        try note(JournalEntry(id: id, base: local))
        return local == nil
    }

    /// Stores a merged record as what has come from the remote, but for what was changed here.
    private func store(merged: Record, _ key: DigestedKey, in state: HierarchyState, shadow: Record?) throws {
        var merged = merged
        try adopt(&merged)
        try check(merged)
        try noteEarlier(key, of: state)
        let id = RecordID(state.root.name, key.key)
        if !incoming.displacements.isEmpty { incoming.decided[id] = incoming.displacements.count }
        let old = try storage.put(merged)
        try saveSent(old, key.key, in: state)
        if let old, old.shape != merged.shape { requireNoNames(of: old, leftBy: merged) }
        touch(key, of: state, old: old, new: merged, origin: .remote, isConsequence: false)
        try note(JournalEntry(id: merged.id, base: shadow))
        if let position = position(of: key, in: state) { touched[position].origin = .remote }
        if old == nil { try tombstones.remove(id, from: self) }
        let former = merged.shape.hasReferences ? old : nil
        if merged.shape.hasReferences { try followReferences(from: former, to: merged, in: state, origin: .remote) }
    }
}

/// The versions of a record that has a local change and one of the remote.
private struct EditVersions {
    let id: RecordID
    let base: Record?
    let local: Record?
    /// What the remote states.
    let remote: Record?
    /// What the shadow is to be.
    let shadow: Record?

    init(_ entry: JournalEntry, local: Record?, stated: StatedSlots?) {
        id = entry.id
        base = entry.base
        self.local = local
        var (remote, shadow) = (entry.remote, entry.remote)
        if let stated, let local, let held = entry.remote, held.shape == local.shape,
            base.map({ $0.shape == held.shape }) ?? true
        {
            for slot in held.shape.slots.indices
            where !stated.slots.contains(slot) && !held.shape.keySlots.contains(slot)
                && held.values[slot] == held.shape.slots[slot].defaultValue
            {
                remote?.values[slot] = (base ?? local).values[slot]
                if let base { shadow?.values[slot] = base.values[slot] }
            }
        }
        self.remote = remote
        self.shadow = shadow
    }

    /// The shape of all versions; nil if they are of several entities, so that their fields cannot be compared.
    var commonShape: Shape? {
        let shapes = [base, local, remote].compactMap { $0?.shape }
        return shapes.allSatisfy { $0 == shapes.first } ? shapes.first : nil
    }

    /// The record as it is to be here, and the clash that was resolved or left open for that.
    func merge(
        _ fields: [MergeField<Record>], _ policy: ConflictPolicy<Record>
    ) throws -> (merged: Record?, clash: MergedEdit?) {
        // Another place in an order stands neither against a deletion nor against what was deleted here.
        if remote == nil, let base, local?.isSame(butForPlacesAs: base) == true { return (nil, nil) }
        if local == nil, let base, remote?.isSame(butForPlacesAs: base) == true { return (nil, nil) }
        let haveOneShape = commonShape != nil
        let merge = try ThreeWayMerge(
            local: Diff([Change(from: base, to: local)].compactMap { $0 }),
            remote: Diff([Change(from: base, to: remote)].compactMap { $0 }), primaryKey: { $0.key },
            policy: haveOneShape ? .mergingFields(fields, otherwise: policy) : policy)
        guard let decision = merge.decisions.first else { return (local, nil) }
        guard let conflict = decision.conflict else { return (decision.merged, nil) }
        let names = haveOneShape ? conflict.clashingFields(of: fields) : []
        let isWhole = conflict.local == nil || conflict.remote == nil || !haveOneShape
        if names.isEmpty && !isWhole { return (decision.merged, nil) }
        let clash = MergedEdit(
            id: (local ?? remote ?? base)?.id ?? id, conflict: conflict, fields: names, isOpen: decision.isOpen)
        return (decision.isOpen ? local : decision.merged, clash)
    }
}

extension ReadTransaction {
    /// The records of an entity that were deleted here, as the remote is known to hold them.
    ///
    /// - Complexity: O(*d*) for *d* changed records, each with a lookup
    package func deletedHere(of entity: String) throws -> [Record] {
        let root = try shape(entity).root
        var deleted: [Record] = []
        for entry in try journal(of: root) {
            guard let known = entry.known, known.shape.inherits(entity) else { continue }
            if try record(RecordID(root, entry.id.key)) == nil { deleted.append(known) }
        }
        return deleted
    }
}
