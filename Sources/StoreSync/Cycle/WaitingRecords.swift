import DifferentialSync
import SyncPersistence

/// The resolution of waiting changes of the remote, after the last page.
///
/// Two kinds of changes wait until all pages are stored:
///
/// - a record of the remote that refers to a record that was deleted here;
/// - a deletion of the remote that would delete a local change, or a record to which a local change refers.
///
/// Both are conflicts between a deletion and a record that needs the deleted one, and the policy resolves them. A
/// record of the remote that refers to one that was never here waits until that arrives.
struct WaitingRecords {
    /// The conflicts between deletions and the records that need the deleted ones.
    private(set) var conflicts: [StoreConflict] = []

    private let transaction: WriteTransaction
    private let shapes: SyncedShapes
    private let policy: ConflictPolicy<Record>
    /// The records whose conflicts the policy has seen in this transaction, so that each is resolved once.
    private var decided: Set<RecordID> = []

    /// The records that stay deleted here by a decision, although records of the remote refer to them.
    private var dropped: Set<RecordID> = []

    /// The unresolved entries whose remote versions refer to a missing record, by that record.
    private var referrers: [RecordID: [RecordID]] = [:]

    /// The resolved conflicts whose result refers to a record that was deleted here, so that it cannot be stored yet.
    private var unfinished: [RecordID] = []

    init(in transaction: WriteTransaction, _ shapes: SyncedShapes, _ policy: ConflictPolicy<Record>) {
        (self.transaction, self.shapes, self.policy) = (transaction, shapes, policy)
    }

    /// Resolves the waiting changes by the policy, and merges open conflicts again.
    ///
    /// - Complexity: O(number of unresolved records), for each level of those that depend on each other
    mutating func resolve() throws {
        let unresolved = try shapes.roots.flatMap { root in
            try transaction.journalEntries(of: root).unresolved().map { entry in
                (id: entry.rootID(root), isOpen: entry.remote != entry.base)
            }
        }
        if unresolved.isEmpty { return }
        try mergeOpenConflicts(unresolved.filter(\.isOpen).map(\.id))
        try retryTogether()
        while try resolveOnce() {
            try transaction.settleIncoming()
            try mergeOpenConflicts(unfinished)
        }
        try resolveNeedlessConflicts()
    }

    /// Passes conflicts to the policy again that are open, or whose result could not be stored.
    private mutating func mergeOpenConflicts(_ ids: [RecordID]) throws {
        if ids.isEmpty { return }
        transaction.beginMergingEdits()
        let merged = try transaction.mergeEdits(ids, stated: [:], policy: policy) {
            try transaction.delete($0, origin: .remote)
        }
        let known = Set(unfinished)
        conflicts += merged.map(StoreConflict.init).filter { !known.contains($0.id.rooted(in: transaction.schema)) }
        try transaction.settleIncoming()
        let open = Set(merged.filter(\.isOpen).map { $0.id.rooted(in: transaction.schema) })
        unfinished = try ids.filter { id in
            guard !open.contains(id), let entry = try transaction.journalEntry(id) else { return false }
            return try entry.isUnresolved && entry.remote != nil && transaction.record(id) != entry.base
        }
    }

    /// Stores the waiting versions whose targets exist, all in one step.
    ///
    /// One by one, they could violate a rule that all together satisfy. For example, two persons have swapped their
    /// desks, and a desk has one person at most.
    private func retryTogether() throws {
        let versions = try transaction.waitingEntries(shapes).compactMap(\.remote).filter {
            try missingTargets(of: $0).isEmpty
        }
        if versions.isEmpty { return }
        for version in versions { try transaction.put(version, origin: .agreed) }
        try transaction.settleIncoming()
    }

    /// Decides about each deletion that is not decided yet; returns whether anything has changed.
    private mutating func resolveOnce() throws -> Bool {
        var hasChanged = false
        referrers = try transaction.unresolvedReferrers()
        for entry in try transaction.waitingEntries(shapes) + unfinished.compactMap(transaction.journalEntry) {
            if let remote = entry.remote {
                for target in try missingTargets(of: remote) where try resolve(deletionHereOf: target) {
                    hasChanged = true
                }
            } else if let record = entry.base, try resolve(deletionThereOf: record, entry) {
                hasChanged = true
            }
        }
        return hasChanged
    }

    /// Returns the records to which a version of the remote refers and that the store does not have.
    private func missingTargets(of remote: Record) throws -> [RecordID] {
        try remote.references(in: transaction.schema).map(\.target).filter { try transaction.record($0) == nil }
    }
}

extension WaitingRecords {
    /// Resolves the conflict of a record that the remote has deleted and that local changes need.
    ///
    /// - Returns: Whether anything has changed.
    private mutating func resolve(deletionThereOf record: Record, _ entry: JournalEntry) throws -> Bool {
        guard !decided.contains(record.rootID), try isNeededHere(record), try !transaction.mustWaitForReferrers(entry)
        else { return false }
        decided.insert(record.rootID)
        let versions = Conflict(base: record, local: record, remote: nil)
        let resolution = try policy.resolve(versions)
        let isOpen = resolution == .open
        conflicts.append(StoreConflict(id: record.id, versions: versions, fields: [], isOpen: isOpen))
        if isOpen { return false }
        try transaction.resolve(deletionThereOf: record, keeping: resolution.keepsLocal)
        return true
    }

    /// Whether a local change needs the record: a changed record would be deleted with it, or refers to it.
    ///
    /// An open conflict is decided first.
    private func isNeededHere(_ record: Record) throws -> Bool {
        if try transaction.hasLocalChange(in: record) { return true }
        return try transaction.hasRecord(referringTo: record) { other in
            guard let entry = try transaction.journalEntry(other.rootID) else { return false }
            return !entry.isUnresolved && entry.base != other
        }
    }

    /// Resolves the conflict of a record that was deleted here and to which a record of the remote refers.
    ///
    /// - Returns: Whether anything has changed.
    private mutating func resolve(deletionHereOf id: RecordID) throws -> Bool {
        guard let entry = try transaction.journalEntry(id), let record = entry.base, !decided.contains(id),
            !entry.isUnresolved || entry.remote == entry.base
        else { return false }
        decided.insert(id)
        let versions = Conflict(base: record, local: nil, remote: record)
        let resolution = try policy.resolve(versions)
        let isOpen = resolution == .open
        conflicts.append(StoreConflict(id: record.id, versions: versions, fields: [], isOpen: isOpen))
        if isOpen {
            // The deletion is not sent while its conflict is open.
            try transaction.putEntry(JournalEntry(id: entry.id, base: record, isUnresolved: true, remote: record))
            return false
        }
        let isKept = resolution.keepsRemote
        if !isKept { dropped.insert(id) }
        try transaction.resolve(
            deletionHereOf: record, keeping: isKept, dropped, from: referrers[id] ?? [], policy: policy)
        return true
    }

    /// Ends open conflicts of deletions that no record of the remote prevents any longer, and of records that both sides
    /// have deleted.
    private func resolveNeedlessConflicts() throws {
        let needed = try Set(
            (transaction.waitingEntries(shapes) + unfinished.compactMap(transaction.journalEntry))
                .compactMap(\.remote).flatMap { try missingTargets(of: $0) })
        for root in shapes.roots {
            for entry in try transaction.journalEntries(of: root).unresolved() {
                let id = entry.rootID(root)
                if try entry.remote == nil && transaction.record(id) == nil {
                    // A decision about another record has deleted it here too.
                    try transaction.settleDeletion(of: id.key, in: root)
                } else if entry.remote == entry.base && !needed.contains(id) {
                    try transaction.putEntry(JournalEntry(id: entry.id, base: entry.base))
                }
            }
        }
    }
}

extension WriteTransaction {
    /// Keeps a record that the remote has deleted, so that it is sent again, or deletes it by its delete rules.
    ///
    /// It is also kept if a rule of the schema denies its deletion here.
    func resolve(deletionThereOf record: Record, keeping isKept: Bool) throws {
        try putEntry(JournalEntry(id: record.id, base: nil))
        if try !isKept && !isDeletionDenied(of: record) { try delete(record.id, origin: .local) }
    }

    /// Brings a record back that was deleted here, or applies its delete rules to the records of the remote that refer
    /// to it.
    ///
    /// It is also brought back if a rule denies its deletion, or if the deletion would delete local changes. A record
    /// of the remote that refers to further missing records waits until these are resolved.
    ///
    /// - Parameters:
    ///   - record: The deleted record.
    ///   - isKept: Whether it comes back.
    ///   - dropped: Other records that stay deleted.
    ///   - referrers: The unresolved entries whose remote versions refer to the record.
    ///   - policy: Resolves conflicts between local changes of these records and the rest of their remote versions.
    func resolve(
        deletionHereOf record: Record, keeping isKept: Bool, _ dropped: Set<RecordID> = [],
        from referrers: [RecordID], policy: ConflictPolicy<Record> = .leaveOpen
    ) throws {
        let referrers = try referrers.compactMap(journalEntry).filter(\.isUnresolved)
        if try isKept || mustKeep(record, for: referrers) { return try bringBack(record) }
        // A dropped record is here again if a rule has denied its deletion.
        let isDropped = { (id: RecordID) in
            try (id == record.rootID || dropped.contains(id)) && self.record(id) == nil
        }
        try putEntry(JournalEntry(id: record.id, base: record))
        for entry in referrers {
            guard let known = entry.remote else { continue }
            let references = known.references(in: schema)
            guard references.contains(where: { $0.target == record.rootID }) else { continue }
            let present = try self.record(known.rootID)
            // A record that was deleted here as well has a conflict of its own.
            if present == nil && entry.base != nil { continue }
            let ended = try references.filter { try isDropped($0.target) }
            let isDeleted = ended.contains { needs($0.slot, $0.target, in: known) }
            var remote = known
            for (slot, _) in ended { remote.values[slot] = .null }
            let isIncomplete = try remote.references(in: schema).contains { try self.record($0.target) == nil }
            if !isDeleted && isIncomplete { continue }
            if present != entry.base {
                try merge(entry, with: remote, policy)
                continue
            }
            try putEntry(JournalEntry(id: known.id, base: known))
            if !isDeleted {
                try put(remote, origin: .local)
            } else if entry.base != nil {
                try delete(known.id, origin: .local)
            }
        }
    }

    /// Merges the local change of a record with the remote's version without its references to records that stay
    /// deleted.
    ///
    /// That these references ended is a local change too. If the conflict stays open, nothing changes.
    private func merge(_ entry: JournalEntry, with remote: Record, _ policy: ConflictPolicy<Record>) throws {
        try putEntry(JournalEntry(id: entry.id, base: entry.base, isUnresolved: true, remote: remote))
        beginMergingEdits()
        _ = try mergeEdits([remote.rootID], stated: [:], policy: policy) { try delete($0, origin: .remote) }
        let isOpen = try journalEntry(remote.rootID)?.isUnresolved ?? false
        try putEntry(isOpen ? entry : JournalEntry(id: entry.id, base: entry.remote))
    }

    /// Brings back the deleted records to which the remote's version of a record refers, if a conflict was resolved and
    /// its result cannot be stored without them.
    ///
    /// - Returns: Whether the conflict can be resolved now.
    func bringBackTargets(ofConflictOf id: RecordID) throws -> Bool {
        guard let entry = try journalEntry(id), entry.isUnresolved, let remote = entry.remote else { return false }
        var hasChanged = false
        for (_, target) in remote.references(in: schema) where try record(target) == nil {
            // If the remote has changed it since, that is what the decision keeps too.
            guard let entry = try journalEntry(target), entry.base != nil, let deleted = entry.known else { continue }
            try bringBack(deleted)
            hasChanged = true
        }
        if !hasChanged { return false }
        try settleIncoming()
        return try journalEntry(id)?.isUnresolved ?? false
    }

    /// Brings back a record that was deleted here, with the deleted records that it must refer to.
    ///
    /// Its optional references to deleted records become null, which is a local change.
    private func bringBack(_ record: Record) throws {
        var pending = [record]
        var seen: Set<RecordID> = [record.rootID]
        while let next = pending.popLast() {
            var version = next
            for (slot, target) in next.references(in: schema) where try self.record(target) == nil {
                if seen.contains(target) { continue }
                // The remote may have changed the record since. Then the remote's version is brought back.
                guard let entry = try journalEntry(target), entry.base != nil, let deleted = entry.known else {
                    continue
                }
                if needs(slot, target, in: next) {
                    seen.insert(target)
                    pending.append(deleted)
                } else {
                    version.values[slot] = .null
                }
            }
            if version == next {
                try put(next, origin: .agreed)
            } else {
                try putEntry(JournalEntry(id: next.id, base: next))
                try put(version, origin: .local)
            }
        }
    }

    /// Whether a record cannot exist without the record to which it refers in a slot.
    private func needs(_ slot: Int, _ target: RecordID, in record: Record) -> Bool {
        !record.shape.slots[slot].isOptional || record.shape.role == .links
            || schema[target.entity]?.has(.cascade, for: record, [slot]) ?? false
    }

    /// Whether a deleted record must be brought back for waiting records of the remote.
    ///
    /// That is so if a delete rule denies the deletion while they refer to the record. It is also so if one of them
    /// cannot exist without the record, and must not be deleted. That is the case if local changes would be deleted
    /// with it, or if a rule denies its deletion.
    private func mustKeep(_ record: Record, for referrers: [JournalEntry]) throws -> Bool {
        try referrers.contains { entry in
            guard let remote = entry.remote else { return false }
            let slots = remote.references(in: schema).filter { $0.target == record.rootID }.map(\.slot)
            if record.shape.has(.deny, for: remote, slots) { return true }
            guard slots.contains(where: { needs($0, record.rootID, in: remote) }),
                let present = try self.record(remote.rootID)
            else { return false }
            return try present != entry.base || hasLocalChange(in: present) || isDeletionDenied(of: present)
        }
    }

    /// Whether the schema does not allow to delete a record, with all that is deleted with it.
    private func isDeletionDenied(of record: Record) throws -> Bool {
        var deleted: Set<RecordID> = [record.rootID]
        var all = [record]
        var position = 0
        func targets(_ rule: DeleteRule) throws -> [Record] {
            try all[position].shape.relationships.filter { $0.definition.deleteRule == rule }
                .flatMap { try relatedRecords(all[position].id, $0.definition.name) }
        }
        while position < all.count {
            for other in try targets(.cascade) where deleted.insert(other.rootID).inserted { all.append(other) }
            position += 1
        }
        for index in all.indices {
            position = index
            if try targets(.deny).contains(where: { !deleted.contains($0.rootID) }) { return true }
            let referring = try recordsReferring(to: all[index]).filter { !deleted.contains($0.rootID) }
            for other in referring where other.shape.role == nil {
                let slots = other.references(in: schema).filter { $0.target == all[index].rootID }.map(\.slot)
                if slots.contains(where: { !other.shape.slots[$0].isOptional }) { return true }
            }
        }
        return false
    }
}

extension Shape {
    /// Whether the shape's records have a delete rule for a record that refers to them in one of some slots.
    fileprivate func has(_ rule: DeleteRule, for other: Record, _ slots: [Int]) -> Bool {
        let names = slots.map { other.shape.slots[$0].name }
        return relationships.contains { relationship in
            guard case .inverse(let slot, _) = relationship.storage else { return false }
            return relationship.definition.deleteRule == rule && names.contains(slot)
                && other.shape.inherits(relationship.definition.destination)
        }
    }
}

extension Resolution<Record> {
    /// Whether a record that was deleted there, and is needed here, is kept.
    var keepsLocal: Bool {
        switch self {
        case .remote, .delete: false
        case .local, .base, .merged, .open: true
        }
    }

    /// Whether a record that was deleted here, and is needed there, is kept.
    var keepsRemote: Bool {
        switch self {
        case .local, .delete: false
        case .remote, .base, .merged, .open: true
        }
    }
}
