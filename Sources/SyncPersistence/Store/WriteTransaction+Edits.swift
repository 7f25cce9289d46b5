package import DifferentialSync

/// A local change of a record that conflicted with a change of the remote, and the merged record.
package struct MergedEdit {
    package let id: RecordID

    /// The versions of the conflict; the remote's has only what the remote states.
    package let conflict: Conflict<Record>

    /// The names of the fields with different changes on both sides; empty if one side has deleted the record.
    package let fields: [String]

    /// Whether the conflict is left open.
    package let isOpen: Bool
}

/// The part of a record that the remote states, where the record was inserted locally or deleted locally before.
package struct StatedSlots {
    /// The slots that the remote states.
    package var slots: Set<Int>

    package init(_ slots: Set<Int> = []) { self.slots = slots }
}

/// Merges of local changes with those of the remote, field by field.
extension WriteTransaction {
    /// Merges the remote's known versions of records with local changes.
    ///
    /// The shadow becomes the remote's version, so that the remaining differences are local changes. A record that
    /// equals the remote's version has no local change afterwards. Changes that wait for other records are left alone.
    /// A deletion that waited for a local change of another record is made once that change is resolved.
    ///
    /// - Parameters:
    ///   - ids: The records, under the names of their hierarchies' roots.
    ///   - stated: The slots that the remote states, for records of which it does not state all.
    ///   - policy: Resolves conflicts.
    ///   - delete: Deletes a record without a local change.
    /// - Returns: The conflicts.
    /// - Throws: The errors of the policy, `KeyError` if it returns another key, ``PersistenceError`` if it returns a
    ///   record that the schema does not allow.
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
            var waiting: [RecordID] = []
            for id in ids {
                let shape = try shape(id.entity)
                let (key, state) = (DigestedKey(id.key), try hierarchy(of: shape))
                guard let entry = try entry(for: key, in: state), entry.isUnsettled else {
                    // A later change has reverted an earlier one.
                    merged.insert(id)
                    continue
                }
                let local = try record(key, of: shape, in: state)
                if entry.isWaiting(with: local) {
                    if entry.remote == nil { waiting.append(id) }
                    continue
                }
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
            if merged.isEmpty || waiting.isEmpty { return clashes }
            let resumed = try waiting.filter { try record($0).map { try !hasLocalChange(in: $0) } ?? true }
            let ready = Set(resumed)
            heldBack = try heldBack.filter { !ready.contains(RecordID(try shape($0.entity).root, $0.key)) }
            for id in resumed { try delete(id) }
            return clashes
        }
    }

    /// Removes the entry of a record that was deleted locally, if the remote is known to have deleted it too.
    package func settleDeletion(of key: Value, in shape: Shape) throws {
        let (key, state) = (DigestedKey(key), try hierarchy(of: shape))
        guard let entry = try entry(for: key, in: state), entry.known == nil else { return }
        if try record(key, of: shape, in: state) == nil { try settle(key, of: state) }
    }

    /// Defers local changes with a change of the remote to ``mergeEdits(_:stated:policy:delete:)``.
    package func beginMergingEdits() { incoming.mergesEdits = true }

    /// Stores the decision of a merge as the record, and the remote's version as the shadow.
    ///
    /// - Returns: false if the record is to be deleted and has no local change.
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

    /// Stores a merged record as the remote's, except for local changes.
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

/// The versions of a record with a local change and one of the remote.
private struct EditVersions {
    let id: RecordID
    let base: Record?
    let local: Record?
    /// The version that the remote states.
    let remote: Record?
    /// The future shadow.
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

    /// The shape of all versions; nil if they are of several entities, whose fields cannot be compared.
    var commonShape: Shape? {
        let shapes = [base, local, remote].compactMap { $0?.shape }
        return shapes.allSatisfy { $0 == shapes.first } ? shapes.first : nil
    }

    /// Returns the future local record, and the conflict that was resolved or left open.
    func merge(
        _ fields: [MergeField<Record>], _ policy: ConflictPolicy<Record>
    ) throws -> (merged: Record?, clash: MergedEdit?) {
        // Another place in an order does not conflict with a deletion on either side.
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
    /// Returns the remote's known versions of an entity's records that were deleted locally.
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
