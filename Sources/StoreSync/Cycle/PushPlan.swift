import SyncPersistence

/// The next push of a store: local changes in an order in which the service can make them, up to the service's limits.
///
/// New and changed records come first, each after the records that it refers to. Deletions follow once nothing else is
/// left, each before the records that the deleted one referred to.
///
/// For example, a new note refers to a new folder. The push has the folder first, then the note. If both are deleted
/// later, the push has the deletion of the note first.
struct PushPlan {
    /// The records of the push, in its order.
    private(set) var ids: [RecordID] = []

    /// Their mutations.
    private(set) var mutations: [Mutation] = []

    /// The records with local changes that cannot be sent now, because they refer to one that is not sent.
    private(set) var blocked: Set<RecordID> = []

    /// The records that are too large for any push, with their sizes.
    private(set) var oversized: [(id: RecordID, size: Int)] = []

    /// The versions that are sent instead of the present ones, because these refer to records of a later push.
    private(set) var reduced: [RecordID: Record] = [:]

    /// The records that refer to each other in a circle, with their places in the push.
    private var circular: [(position: Int, base: Record?, record: Record)] = []

    /// The deletions that follow this push, the next one last, by the root of their hierarchy.
    ///
    /// Without them, each push would look for edits among all deletions that are left.
    private(set) var deletionOrders: [String: [RecordID]]

    private let transaction: WriteTransaction
    private let shapes: SyncedShapes
    private let limits: SyncLimits
    /// The values without a slot here, which new records are sent with; nil if the remote has none.
    private let kept: KeptAttributes?
    /// The records of the push, to find each at once.
    private var planned: Set<RecordID> = []
    /// The records that the remote is known to have, of those that others refer to.
    private var known: Set<RecordID> = []
    /// By record, whether the remote lacks it, of those that it has deleted or moved out of the scope.
    private var lacking: [RecordID: Bool] = [:]
    /// By root, whether no record of the hierarchy has a local change.
    private var unchangedRoots: [String: Bool] = [:]
    /// The slots of the last entity, which the next record usually shares.
    private var latestSlots: SentSlots?
    /// About how many bytes the mutations take in a message.
    private var size = 0

    /// Creates an empty push.
    ///
    /// - Parameters:
    ///   - transaction: Has the local changes.
    ///   - shapes: The entities that both ends have.
    ///   - limits: The largest size of the push.
    ///   - deletionOrders: The ``deletionOrders`` of the push before, if the remote has accepted all of it and no page
    ///     was stored since.
    init(
        in transaction: WriteTransaction, _ shapes: SyncedShapes, _ limits: SyncLimits,
        deletionOrders: [String: [RecordID]] = [:]
    ) throws {
        (self.transaction, self.shapes, self.limits) = (transaction, shapes, limits)
        kept = try KeptAttributes(in: transaction, shapes)
        self.deletionOrders = deletionOrders
    }

    /// Whether there is no room for another change, so that more may follow.
    var isFull: Bool { mutations.count >= limits.pushRecords || size >= limits.pushBytes }

    /// Adds local changes until the push is full.
    ///
    /// - Parameters:
    ///   - unreadable: Versions of the remote that cannot be stored here. The records that they refer to are not deleted.
    ///   - isExcluded: Whether a change of a record to a version is not sent in this cycle.
    /// - Complexity: O(size of the push + number of changes that cannot be sent)
    mutating func fill(
        holding unreadable: @autoclosure () throws -> [Record], without isExcluded: (RecordID, Record?) throws -> Bool
    ) throws {
        if !deletionOrders.isEmpty {
            // An edit that was made after the order was found cannot refer to a deleted record.
            for root in shapes.roots.reversed() where !isFull && deletionOrders[root.name] != nil {
                try addDeletions(of: root, isExcluded)
            }
            if !mutations.isEmpty { return }
        }
        for root in shapes.roots where !isFull {
            try forEachChange(of: root) { plan, entry, record in
                if let record { try plan.add(entry.rootID(root), entry, record, isExcluded) }
            }
        }
        try cutCircles()
        // The delete rules of a record could delete one whose edit is sent later. So deletions wait for all edits.
        if !mutations.isEmpty || !oversized.isEmpty { return }
        try holdWhatUnsentChangesNeed()
        for record in try unreadable() { try hold(targetsOf: record) }
        for root in shapes.roots.reversed() where !isFull {
            try addDeletions(of: root, isExcluded)
        }
    }

    /// Adds a deletion, unless the deletion of a record that refers to the deleted one is not sent.
    ///
    /// Otherwise the delete rules of the remote could delete that record too.
    private mutating func addDeletion(_ id: RecordID, _ isExcluded: (RecordID, Record?) throws -> Bool) throws {
        if blocked.contains(id) { return }
        if try isExcluded(id, nil)
            || shapes.hasPartialHierarchies && isOfMissingEntity(transaction.journalEntry(id)?.base)
        {
            blocked.insert(id)
            if let base = try transaction.journalEntry(id)?.base { try hold(targetsOf: base) }
        } else {
            try append(id, Mutation(id, .delete))
        }
    }

    /// Whether a record was of an entity that the remote lacks in a hierarchy that it has.
    private func isOfMissingEntity(_ base: Record?) -> Bool { base.map { !shapes.includes($0.shape) } ?? false }

    /// Keeps back deletions of records to which a record of the remote still refers, although the local version no
    /// longer does.
    ///
    /// This concerns open conflicts and changes that cannot be sent.
    ///
    /// For example, a note was moved out of a folder, the folder was deleted, and the move is not sent. Without this,
    /// deleting the folder would delete the note at the remote.
    ///
    /// - Complexity: O(number of unresolved records + number of changes that cannot be sent)
    private mutating func holdWhatUnsentChangesNeed() throws {
        for id in blocked {
            if let base = try transaction.journalEntry(id)?.base { try hold(targetsOf: base) }
        }
        for root in shapes.roots {
            for entry in try transaction.journalEntries(of: root).unresolved() {
                if let known = entry.remote ?? entry.base { try hold(targetsOf: known) }
            }
        }
    }

    /// Keeps back the deletions of records to which a record refers, directly or through other deleted records.
    private mutating func hold(targetsOf record: Record) throws {
        var pending = [record]
        while let next = pending.popLast() {
            for (_, target) in next.references(in: transaction.schema) where try transaction.record(target) == nil {
                guard let base = try transaction.journalEntry(target)?.base, blocked.insert(target).inserted else {
                    continue
                }
                pending.append(base)
            }
        }
    }

    /// Calls a body with the local changes of a hierarchy that can be sent, until the push is full.
    private mutating func forEachChange(
        of root: Shape, _ body: (inout PushPlan, JournalEntry, Record?) throws -> Void
    ) throws {
        try transaction.journalEntries(of: root).forEachChange { entry, record in
            if !entry.isUnresolved && record != entry.base { try body(&self, entry, record) }
            return !isFull
        }
    }

    /// Adds a new or changed record after the new records that it refers to.
    private mutating func add(
        _ id: RecordID, _ entry: JournalEntry, _ record: Record, _ isExcluded: (RecordID, Record?) throws -> Bool
    ) throws {
        if planned.contains(id) || blocked.contains(id) { return }
        if try newTargets(of: record).isEmpty {
            if try entry.isUnresolved || isExcluded(id, record) {
                blocked.insert(id)
            } else {
                try appendVersion(id, entry, record, isCircular: false)
            }
            return
        }
        var path = [(id: id, entry: entry, record: record)]
        var isOnPath: Set<RecordID> = []
        while let next = path.last {
            if isFull { return }
            isOnPath.insert(next.id)
            guard !planned.contains(next.id), !blocked.contains(next.id) else {
                path.removeLast()
                continue
            }
            let targets = try newTargets(of: next.record)
            if try next.entry.isUnresolved || isExcluded(next.id, next.record)
                || targets.contains(where: { blocked.contains($0) || !shapes.includes(root: $0.entity) })
            {
                blocked.insert(next.id)
            } else if let target = targets.first(where: { !isOnPath.contains($0) }),
                let entry = try transaction.journalEntry(target), let record = try transaction.record(target)
            {
                path.append((target, entry, record))
                continue
            } else {
                try appendVersion(next.id, next.entry, next.record, isCircular: !targets.isEmpty)
            }
            path.removeLast()
        }
    }

    /// Adds a new or changed record with the slots that the remote has, unless it lacks the record's present or former
    /// entity.
    private mutating func appendVersion(
        _ id: RecordID, _ entry: JournalEntry, _ record: Record, isCircular: Bool
    ) throws {
        if shapes.hasPartialHierarchies && (!shapes.includes(record.shape) || isOfMissingEntity(entry.base)) {
            blocked.insert(id)
            return
        }
        let slots = slots(of: record.shape)
        var version = record
        if !slots.isComplete {
            version = shapes.withRemoteSlots(record, since: entry.base)
            if version == entry.base {
                // Only values changed for which the remote has no place yet.
                blocked.insert(id)
                return
            }
            if version != record { reduced[id] = version }
        }
        if isCircular { circular.append((mutations.count, entry.base, version)) }
        try append(id, Mutation(id, from: entry.base, to: version, slots))
    }

    private mutating func slots(of shape: Shape) -> SentSlots {
        if let latestSlots, latestSlots.shape === shape { return latestSlots }
        let slots = SentSlots(of: shape, shapes)
        latestSlots = slots
        return slots
    }

    /// Clears references to records that follow in a later push, among new records that refer to each other in a
    /// circle.
    ///
    /// The references are sent after their targets. A mandatory reference is not cleared, and the remote blocks
    /// its change.
    private mutating func cutCircles() throws {
        for (position, base, record) in circular where position < mutations.count && ids[position] == record.rootID {
            let missing = try Set(newTargets(of: record))
            var version = record
            for (slot, target) in record.references(in: transaction.schema)
            where missing.contains(target) && record.shape.slots[slot].isOptional {
                version.values[slot] = .null
            }
            if version == record { continue }
            reduced[record.rootID] = version
            let mutation = Mutation(record.rootID, from: base, to: version, slots(of: version.shape))
            mutations[position] = try kept?.completed(mutation) ?? mutation
        }
    }

    /// Returns the records to which references lead that are sent, and that neither the remote nor the push has.
    private mutating func newTargets(of record: Record) throws -> [RecordID] {
        var targets: [RecordID] = []
        for (slot, name) in record.shape.enforcedReferences where !record.values[slot].isNull {
            guard let root = transaction.schema[name]?.root, try !isUnchanged(root),
                shapes.remoteHas(record.shape.slots[slot], of: record.shape)
            else { continue }
            let target = RecordID(root, record.values[slot])
            if planned.contains(target) || known.contains(target) { continue }
            if try remoteLacks(target) {
                targets.append(target)
            } else {
                known.insert(target)
            }
        }
        return targets
    }

    /// Whether the remote does not have a record to which a change refers.
    ///
    /// A record that has left the scope counts as present while records in the scope refer to it.
    private mutating func remoteLacks(_ id: RecordID) throws -> Bool {
        if let isLacking = lacking[id] { return isLacking }
        guard let entry = try transaction.journalEntry(id) else { return false }
        guard let base = entry.base else { return true }
        let isDeleted = entry.isUnresolved && entry.remote == nil
        let isLacking = try isDeleted && !transaction.isNamedByRemote(base)
        if isDeleted { lacking[id] = isLacking }
        return isLacking
    }

    /// Whether no record of a hierarchy has a local change.
    private mutating func isUnchanged(_ root: String) throws -> Bool {
        if let isUnchanged = unchangedRoots[root] { return isUnchanged }
        let isUnchanged = try transaction.schema[root].map { try transaction.journalEntries(of: $0).isEmpty } ?? true
        unchangedRoots[root] = isUnchanged
        return isUnchanged
    }

    private mutating func append(_ id: RecordID, _ mutation: Mutation) throws {
        let mutation = try kept?.completed(mutation) ?? mutation
        let size = mutation.messageSize
        if size > limits.bytes {
            oversized.append((id, size))
            blocked.insert(id)
        } else if !mutations.isEmpty && self.size + size > limits.pushBytes {
            self.size = limits.pushBytes
        } else if planned.insert(id).inserted {
            ids.append(id)
            mutations.append(mutation)
            self.size += size
        }
    }

    /// Adds the deletions of a hierarchy, each before that of the record that it referred to.
    ///
    /// The order is found once for consecutive pushes, unless changes are left that may hold deletions.
    private mutating func addDeletions(
        of root: Shape, _ isExcluded: (RecordID, Record?) throws -> Bool
    ) throws {
        var order = deletionOrders.removeValue(forKey: root.name) ?? []
        let isKnown = !order.isEmpty
        if !isKnown { order = try deletionsFromTheLeaves(of: root).reversed() }
        var isComplete = true
        while !isFull, let id = order.last {
            if try !isKnown || isDeletionToSend(id) {
                try addDeletion(id, isExcluded)
                // The push may have had no room for it.
                if !planned.contains(id) && !blocked.contains(id) { break }
                isComplete = isComplete && planned.contains(id)
            }
            order.removeLast()
        }
        if isComplete && blocked.isEmpty && !order.isEmpty { deletionOrders[root.name] = order }
    }

    private func isDeletionToSend(_ id: RecordID) throws -> Bool {
        guard let entry = try transaction.journalEntry(id), !entry.isUnresolved, entry.base != nil else { return false }
        return try transaction.record(id) == nil
    }

    /// Returns the deleted records of a hierarchy, each before the record that it referred to.
    ///
    /// - Complexity: O(number of deleted records)
    private mutating func deletionsFromTheLeaves(of root: Shape) throws -> [RecordID] {
        let isSelfReferring = shapes.selfReferring.contains(root.name)
        var targets: [RecordID: [RecordID]] = [:]
        var order: [RecordID] = []
        try forEachChange(of: root) { plan, entry, record in
            guard record == nil, let base = entry.base else { return }
            order.append(entry.rootID(root))
            if isSelfReferring {
                targets[entry.rootID(root)] = base.references(in: plan.transaction.schema).map(\.target)
            }
        }
        if !isSelfReferring { return order }
        // The reverse of an order in which each record comes after those that it refers to.
        var sorted: [RecordID] = []
        var visited: Set<RecordID> = []
        var pending = order.map { (id: $0, isAfterTargets: false) }
        while let (id, isAfterTargets) = pending.popLast() {
            if isAfterTargets {
                sorted.append(id)
            } else if visited.insert(id).inserted {
                pending.append((id, true))
                pending += (targets[id] ?? []).filter { targets[$0] != nil && !visited.contains($0) }.map {
                    ($0, false)
                }
            }
        }
        return sorted.reversed()
    }
}

extension JournalEntry {
    /// The record's key under the name of its hierarchy's root.
    func rootID(_ root: Shape) -> RecordID { RecordID(root.name, id.key) }
}
