package import DifferentialSync

/// A local change of a record that conflicted with a change of the remote, and the merged record.
package struct MergedEdit {
    /// The record.
    package let id: RecordID

    /// The versions of the conflict; the remote's has only what the remote states.
    package let conflict: Conflict<Record>

    /// The names of the fields with different changes on both sides; empty if one side has deleted the record.
    package let fields: [String]

    /// Whether the conflict is unresolved.
    package let isOpen: Bool
}

/// Merges of local changes with those of the remote, field by field.
struct EditMerge {
    /// The transaction that merges.
    private let transaction: WriteTransaction
    /// The touched records.
    private let log: ChangeLog
    /// The journal, whose shadows become the remote's versions.
    private let entries: TransactionJournal

    /// Creates the merge of a transaction.
    init(in transaction: WriteTransaction) {
        self.transaction = transaction
        (log, entries) = (transaction.log, transaction.entries)
    }

    /// Merges the remote's known versions of records with local changes, as `mergeEdits` of ``PayloadStore`` describes.
    func run(
        _ ids: [RecordID], stated: [RecordID: Set<Int>], policy: ConflictPolicy<Record>,
        delete: (RecordID) throws -> Void
    ) throws -> [MergedEdit] {
        entries.endMergingEdits()
        // References that records of the remote have taken are restored, so that the user's own version is merged.
        if transaction.waiting.hasDisplacedEdits(of: ids) { try transaction.waiting.settle() }
        var fields: [ObjectIdentifier: [MergeField<Record>]] = [:]
        var conflicts: [MergedEdit] = []
        var merged: Set<RecordID> = []
        var hasMerged = false
        var deletions: [RecordID] = []
        var waiting: [RecordID] = []
        for id in ids {
            if transaction.waiting.hasDisplacedEdits(of: [id]) {
                // A merged record has taken a reference of this one. The merge of that record is reverted, and waits.
                try entries.removeHeldBack(merged)
                (hasMerged, merged) = (true, [])
                try transaction.waiting.settle()
            }
            let shape = try transaction.shape(id.entity)
            let (key, state) = (DigestedKey(id.key), try log.hierarchy(of: shape))
            guard let entry = try entries.entry(for: key, in: state), entry.isUnresolved else {
                // A later change has reverted an earlier one.
                merged.insert(id)
                continue
            }
            let local = try log.record(key, of: shape, in: state)
            if entry.isWaiting(with: local) {
                if entry.remote == nil { waiting.append(id) }
                continue
            }
            let versions = EditVersions(entry, local: local, stated: stated[id])
            var known: [MergeField<Record>] = []
            if let shape = versions.commonShape {
                known = fields[ObjectIdentifier(shape)] ?? Record.mergeFields(of: shape, in: transaction.schema)
                fields[ObjectIdentifier(shape)] = known
            }
            let (decision, conflict) = try versions.merge(known, policy)
            if let conflict { conflicts.append(conflict) }
            if conflict?.isOpen == true { continue }
            merged.insert(id)
            if try !resolve(key, of: state, as: decision, versions) { deletions.append(id) }
        }
        if !merged.isEmpty { try entries.removeHeldBack(merged) }
        for id in deletions { try delete(id) }
        if !hasMerged && merged.isEmpty || waiting.isEmpty { return conflicts }
        let resumed = try waiting.filter {
            try transaction.record($0).map { try !transaction.hasLocalChange(in: $0) } ?? true
        }
        try entries.removeHeldBack(Set(resumed))
        for id in resumed { try delete(id) }
        return conflicts
    }

    /// Stores the decision of a merge as the record, and the remote's version as the shadow.
    ///
    /// - Returns: false if the record must be deleted and has no local change.
    private func resolve(
        _ key: DigestedKey, of state: HierarchyState, as merged: Record?, _ versions: EditVersions
    ) throws -> Bool {
        let (local, shadow) = (versions.local, versions.shadow)
        let id = RecordID((merged ?? shadow ?? local)?.entity ?? state.root.name, key.key)
        if let merged {
            if let local, local == merged {
                try entries.put(JournalEntry(id: id, base: shadow))
            } else {
                try store(merged, key, in: state, shadow: shadow)
            }
            return true
        }
        if let shadow {
            try entries.put(JournalEntry(id: id, base: shadow))
            if let local { try transaction.delete(local.id, origin: .local) }
            return true
        }
        try entries.put(JournalEntry(id: id, base: local))
        return local == nil
    }

    /// Stores a merged record as the remote's, except for local changes.
    private func store(_ merged: Record, _ key: DigestedKey, in state: HierarchyState, shadow: Record?) throws {
        var merged = merged
        try transaction.checks.adopt(&merged)
        try transaction.checks.check(merged)
        try transaction.waiting.willStore(key, of: state)
        let old = try transaction.storage.put(merged)
        try transaction.inFlight.save(old, key.key, of: state.root)
        let rules = transaction.rules
        if let old, old.shape != merged.shape { rules.requireNoReferences(to: old, replacedBy: merged) }
        log.touch(key, of: state, old: old, new: merged, origin: .remote, isConsequence: false)
        try entries.put(JournalEntry(id: merged.id, base: shadow))
        log.setOrigin(.remote, of: key, in: state)
        if merged.shape.hasReferences { try rules.follow(from: old, to: merged, in: state, origin: .remote) }
    }
}

/// The versions of a record with a local change and one of the remote.
private struct EditVersions {
    /// The record.
    let id: RecordID
    /// The last common version; nil if there was none.
    let base: Record?
    /// The local version; nil if it was deleted locally.
    let local: Record?
    /// The version that the remote states.
    let remote: Record?
    /// The shadow after the merge, which is the remote's version.
    let shadow: Record?

    /// Creates the versions of a record with a local change.
    init(_ entry: JournalEntry, local: Record?, stated: Set<Int>?) {
        id = entry.id
        base = entry.base
        self.local = local
        var (remote, shadow) = (entry.remote, entry.remote)
        if let stated, let local, let held = entry.remote, held.shape == local.shape,
            base.map({ $0.shape == held.shape }) ?? true
        {
            for slot in held.shape.slots.indices
            where !stated.contains(slot) && !held.shape.keySlots.contains(slot)
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

    /// Returns the future local record, and the conflict which may be unresolved.
    func merge(
        _ fields: [MergeField<Record>], _ policy: ConflictPolicy<Record>
    ) throws -> (merged: Record?, clash: MergedEdit?) {
        // A change of the position in an order alone does not conflict with a deletion on the other side.
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
