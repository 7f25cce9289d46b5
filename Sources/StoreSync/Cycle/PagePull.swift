import DifferentialSync
import SyncPersistence

/// The storing of a remote's page, in one transaction, merged with local changes.
///
/// An entry of the page whose record has a local change is merged with it by field. The policy resolves a field that
/// both sides have changed. An entry whose record cannot be stored is kept with the reason, and does not stop the
/// others.
struct PagePull {
    private let transaction: WriteTransaction
    private let policy: ConflictPolicy<Record>

    /// The entities that both ends have.
    private let shapes: SyncedShapes

    /// The identifier of the device.
    private let device: String

    /// Marks the records of the pages during a comparison; nil for a pull of changes.
    private let seen: SeenRecords?

    /// Whether the pages are those of a comparison with another history than that of the store's records.
    private let isOtherHistory: Bool

    /// The values without a slot here; nil if the remote has none.
    private var kept: KeptAttributes?

    /// The slots that the remote lacks or has lacked; nil if it has always had all.
    private let lacked: LackedSlots?

    /// The conflicts with local changes.
    private(set) var conflicts: [StoreConflict] = []

    /// The records that have left the scope, also those that were deleted here.
    private(set) var left: [RecordID] = []

    /// Creates a pull that has stored nothing.
    ///
    /// - Parameters:
    ///   - turn: The step in whose transaction the pages are stored.
    ///   - policy: Resolves conflicts.
    ///   - seen: Where the records of a comparison are marked; nil for a pull of changes.
    init(_ turn: CycleTurn, _ policy: ConflictPolicy<Record>, seen: SeenRecords?) throws {
        (transaction, shapes, self.policy, self.seen) = (turn.transaction, turn.shapes, policy, seen)
        device = turn.state.device
        isOtherHistory = turn.state.comparison?.isOtherHistory ?? false
        kept = try KeptAttributes(in: transaction, shapes)
        lacked = LackedSlots(in: transaction, shapes, regained: turn.state.regained)
    }

    /// Stores the entries of a page.
    mutating func apply(_ entries: [PullResponse.Entry]) throws {
        var unreadable = try UnreadableRecords(in: transaction)
        var reader = EntryReader(transaction.schema)
        let lost = try LostReferences(in: transaction)
        try giveOtherKeys(entries)
        transaction.beginMergingEdits()
        for entry in entries {
            guard let shape = reader.shape(of: entry.id.entity) else { continue }
            let id = RecordID(shape.root, entry.id.key)
            try lost.remove(id)
            switch entry.state {
            case .present(let values):
                try seen?.add(id, of: shape)
                try kept?.keep(values, of: id, shape)
                var record = reader.record(of: shape, values)
                try lacked?.complete(&record)
                if let reason = try transaction.putIncoming(record, id: entry.id) {
                    try unreadable.add(UnreadableRecord(id: id, reason: reason), shape.name, values)
                } else {
                    try unreadable.remove(id)
                }
            case .deleted:
                try unreadable.remove(id)
                try transaction.delete(id, origin: .remote)
            case .outOfScope:
                try unreadable.remove(id)
                if try isOfMissingEntity(id) { continue }
                if try transaction.record(id) != nil {
                    left.append(id)
                } else if let entry = try transaction.journalEntry(id) {
                    try addLeft(id, isDeletedHere: entry.base != nil)
                }
                try transaction.delete(id, origin: .remote)
            }
        }
        try merge()
        let absent = entries.compactMap { entry -> RecordID? in
            if case .present = entry.state { return nil }
            return transaction.schema[entry.id.entity].map { RecordID($0.root, entry.id.key) }
        }
        try listKept(absent)
        try lost.addLost()
        guard let kept else { return }
        // A policy may have kept a record that the remote has deleted.
        for id in absent where try transaction.record(id) == nil { try kept.remove(id) }
    }

    /// Lists the records with counted keys that are kept although the remote has deleted them or moved them out of the
    /// scope.
    private func listKept(_ absent: [RecordID]) throws {
        for id in absent where transaction.schema[id.entity]?.hasImplicitKey == true {
            if try transaction.record(id) != nil { try CountedRecords.add(id, .known, in: transaction) }
        }
    }

    /// Whether a record is here, or was deleted here, of an entity that the scope lacks in a hierarchy that it has.
    ///
    /// It stays until another scope has the entity.
    private func isOfMissingEntity(_ id: RecordID) throws -> Bool {
        if !shapes.hasPartialHierarchies { return false }
        let shape = try transaction.record(id)?.shape ?? transaction.journalEntry(id)?.base?.shape
        return shape.map { !shapes.includes($0) } ?? false
    }

    /// Gives other keys to new local records whose keys other records of the remote have or had.
    ///
    /// Each store counts the keys of an entity without a primary key by itself, so two devices give different records
    /// the same key. The remote's record may come on a later page than one that refers to it.
    ///
    /// - Complexity: O(number of entries and their references); O(1) without such entities
    private func giveOtherKeys(_ entries: [PullResponse.Entry]) throws {
        if !transaction.schema.shapes.contains(where: \.hasImplicitKey) { return }
        var inFlight: [String: Set<Value>] = [:]
        let arriving = Set(entries.map(\.id))
        for entry in entries {
            guard let shape = transaction.schema[entry.id.entity] else { continue }
            let id = RecordID(shape.root, entry.id.key)
            guard case .present(let values) = entry.state else {
                // Other devices may still have edits of the record that had the key.
                try transaction.countKey(id.key, of: shape)
                if shape.hasImplicitKey, let record = try newRecord(id, &inFlight) {
                    try transaction.giveOtherKey(to: record, device: device)
                }
                continue
            }
            if shape.hasImplicitKey, let record = try newRecord(id, &inFlight),
                record.differs(from: values, of: shape)
            {
                try transaction.giveOtherKey(to: record, device: device)
            }
            if isOtherHistory { try separatePasts(id, shape, values) }
            // With its other key, the local record would take the references along, also those that need no target.
            for slot in shape.slots {
                guard case .reference(let entity, _, _) = slot.content, let key = values[slot.name],
                    let target = transaction.schema[entity], target.hasImplicitKey,
                    let record = try newRecord(RecordID(target.root, key), &inFlight),
                    !arriving.contains(record.id)
                else { continue }
                try transaction.giveOtherKey(to: record, device: device)
            }
        }
    }

    /// Makes a record with a counted key one that both ends have inserted, if the remote's has a value that neither the
    /// record nor its shadow has.
    ///
    /// Before the remote was set up anew or restored from a backup, it may have had another record with that key. It
    /// would replace an unedited record, and its values would be mixed with those of an edited one. So the policy
    /// chooses between both records.
    private func separatePasts(_ id: RecordID, _ shape: Shape, _ values: ValueObject) throws {
        guard shape.hasImplicitKey, let seen, try !seen.contains(id.key, of: shape),
            try !SeenRecords.agreed(in: transaction).contains(id.key, of: shape),
            let record = try transaction.record(id)
        else { return }
        let entry = try transaction.journalEntry(id)
        if let entry, entry.base == nil { return }
        let versions = [record, entry?.base, entry?.known].compactMap { $0 }.filter { $0.shape === shape }
        let isOther = shape.slots.contains { slot in
            let value = values[slot.name] ?? slot.defaultValue
            return !slot.isInternal && shapes.remoteHas(slot, of: shape)
                && versions.allSatisfy { $0[slot.name] != value }
        }
        if isOther || versions.isEmpty { try transaction.putEntry(JournalEntry(id: record.id, base: nil)) }
    }

    /// Returns a record that the remote has never had; nil if there is none, or if it may have arrived.
    ///
    /// A record that the remote has lost or deleted may arrive from another device.
    private func newRecord(_ id: RecordID, _ inFlight: inout [String: Set<Value>]) throws -> Record? {
        guard let change = try transaction.journalEntry(id), change.base == nil, !change.isUnresolved,
            try CountedRecords.mark(of: id, in: transaction) != .known,
            try !transaction.isInFlight(id, known: &inFlight)
        else { return nil }
        return try transaction.record(id)
    }

    /// Adds a record to ``left`` that the store does not have, and that the remote may have outside the device's
    /// scope.
    ///
    /// If the record was deleted here, and the deletion was not sent, it is never sent, and the record is listed in
    /// ``UnsentDeletions``.
    mutating func addLeft(_ id: RecordID, isDeletedHere: Bool) throws {
        left.append(id)
        if isDeletedHere { try UnsentDeletions.add(id, in: transaction) }
    }

    /// Deletes records that a comparison has not found.
    mutating func delete(_ ids: [RecordID]) throws {
        transaction.beginMergingEdits()
        for id in ids { try transaction.delete(id, origin: .remote) }
        try merge()
        try listKept(ids)
    }

    /// Merges the remote's versions with local changes, field by field.
    private mutating func merge() throws {
        var seen: Set<RecordID> = []
        let ids = try transaction.heldBack.map { RecordID(try transaction.shape($0.entity).root, $0.key) }
            .filter { seen.insert($0).inserted }
        let merged = try transaction.mergeEdits(ids, stated: [:], policy: policy) {
            try transaction.delete($0, origin: .remote)
        }
        // The remote may accept what it has refused beside its former version.
        if !ids.isEmpty {
            let quarantine = try Quarantine(in: transaction)
            for id in ids where try quarantine.lists(id) { try quarantine.release(id) }
        }
        conflicts += merged.map(StoreConflict.init)
        try transaction.settleIncoming()
    }
}

/// Creates the records of entries, of which consecutive ones mostly have the same entity and names.
private struct EntryReader {
    private let schema: Schema
    private var latest: (entity: String, shape: Shape?)?
    /// The last values that were all slots of a shape, in their order.
    private var ordered: (shape: Shape, values: ValueObject)?

    init(_ schema: Schema) { self.schema = schema }

    /// Returns the shape of the records or links of a name; nil for other names.
    mutating func shape(of entity: String) -> Shape? {
        if let latest, latest.entity == entity { return latest.shape }
        let shape = schema[entity].flatMap { $0.role == nil || $0.role == .links ? $0 : nil }
        latest = (entity, shape)
        return shape
    }

    /// Returns the record with values by name; a value that is not there is the default.
    mutating func record(of shape: Shape, _ values: ValueObject) -> Record {
        if let ordered, ordered.shape === shape, values.hasNames(of: ordered.values) {
            return Record(shape, slots: values.values)
        }
        // Most pages have all values in the order of the slots.
        let isInOrder =
            values.names.count == shape.slots.count && zip(values.names, shape.slots).allSatisfy { $0 == $1.name }
        if !isInOrder { return Record(shape, slots: shape.slots.map { values[$0.name] ?? $0.defaultValue }) }
        ordered = (shape, values)
        return Record(shape, slots: values.values)
    }
}

extension WriteTransaction {
    /// Stores a record of the remote; returns why it cannot be stored, or nil if it can.
    fileprivate func putIncoming(_ record: Record, id: RecordID) throws -> String? {
        if record.shape.isAbstract { return "no record is of the abstract entity '\(record.entity)' itself" }
        if record.key != id.key { return "its values have the key \(record.key)" }
        return try putUnlessInvalid(record, origin: .remote).map { "\($0)" }
    }
}

extension Record {
    /// Whether the record differs from a remote's values of a shape.
    fileprivate func differs(from values: ValueObject, of shape: Shape) -> Bool {
        self.shape !== shape || shape.slots.contains { values[$0.name] ?? $0.defaultValue != self[$0.name] }
    }
}

extension StoreConflict {
    init(_ edit: MergedEdit) {
        self.init(id: edit.id, versions: edit.conflict, fields: edit.fields, isOpen: edit.isOpen)
    }
}
