import SyncPersistence

/// The records of a sync, as the side that the payload comes from knows them.
///
/// For example, a title was changed locally and not sent. For a payload of the remote, the record has the remote's
/// title here, so that the payload is compared with what the remote last stated.
///
/// New records without a mandatory value are drafts, which are stored once a later object has the value.
final class SyncRecords {
    /// The transaction of the sync.
    let transaction: any PayloadStore
    /// The maps of all entities.
    let mapping: Mapping
    /// The side that the payload comes from.
    let origin: ChangeSet.Origin

    /// The primary keys of records whose entity has none of its own.
    let implicitKeys: ImplicitKeys
    /// The targets of relationships without local changes.
    let knownLinks: KnownLinks

    /// The drafts, by ids with the roots of their hierarchies.
    private var drafts: [RecordID: Draft] = [:]
    /// How often a draft was added, changed or completed.
    private(set) var draftChangeCount = 0

    /// A new record without a mandatory value, and the place of its first object.
    private struct Draft {
        /// The record so far.
        let record: Record
        /// Its entity.
        let map: EntityMap
        /// The place of its first object, for the report if no later one completes it.
        let place: Place
    }

    /// Creates the records of a sync, without drafts.
    init(in transaction: any PayloadStore, _ mapping: Mapping, origin: ChangeSet.Origin) {
        (self.transaction, self.mapping, self.origin) = (transaction, mapping, origin)
        (implicitKeys, knownLinks) = (ImplicitKeys(in: transaction, origin: origin), KnownLinks(in: transaction))
    }
}

extension SyncRecords {
    /// Returns the record with a primary key, or its draft.
    func record(_ map: EntityMap, _ key: Value) throws -> Record? {
        try record(RecordID(map.shape.root, key), map.shape)
    }

    /// Returns the record with an id whose entity is the root of the hierarchy, or its draft.
    func record(_ id: RecordID) throws -> Record? { try record(id, transaction.shape(id.entity)) }

    /// Returns the draft with an id; otherwise the record as the origin of the payload knows it.
    private func record(_ id: RecordID, _ shape: Shape) throws -> Record? {
        if !drafts.isEmpty, let draft = drafts[id] { return draft.record }
        return try transaction.known(id.key, in: shape, to: origin)
    }

    /// Returns the primary key of the record that a key of objects identifies; nil if a relationship cannot lead to it.
    func storedKey(_ map: EntityMap, namedBy key: Value, for relationship: RelationshipMap) throws -> Value? {
        try implicitKeys.primaryKey(map, of: key).flatMap { try connectableKey(map, $0, for: relationship) }
    }

    /// Returns the primary key of a record to which a relationship can lead; nil if there is none.
    ///
    /// It may be a locally inserted record, which the remote has meanwhile, unless the record stores the link itself:
    /// then its other values would count as the remote's.
    func connectableKey(_ map: EntityMap, _ key: Value, for relationship: RelationshipMap) throws -> Value? {
        let id = RecordID(map.shape.root, key)
        var record = try record(map, key)
        if record == nil, try mayDiffer(map.shape), try !isDeletedRemotely(id) {
            if case .inverse = relationship.storage { return nil }
            record = try transaction.record(id)
        }
        guard let record, !isDraft(record), record.shape.inherits(map.shape.name), try !isDeletedLocally(map, key)
        else { return nil }
        return key
    }

    /// Whether local changes of a shape's records may differ from what the origin of the payload knows.
    func mayDiffer(_ shape: Shape) throws -> Bool { try origin == .remote && transaction.mayHaveEntries(of: shape) }

    /// Whether a record exists locally, although the origin of the payload may not know it.
    ///
    /// It was inserted locally, or the remote has deleted it and a local change keeps it.
    func existsLocally(_ map: EntityMap, _ key: Value) throws -> Bool {
        try mayDiffer(map.shape) && transaction.record(RecordID(map.shape.root, key)) != nil
    }

    /// Whether a record that the origin of the payload knows was deleted locally, so that nothing can be connected with
    /// it.
    func isDeletedLocally(_ map: EntityMap, _ key: Value) throws -> Bool {
        try origin == .remote && transaction.isDeletedHere(key, in: map.shape)
    }

    /// Whether the remote has deleted a record that is kept because of a local change.
    ///
    /// - Parameter id: The key, and the root of the hierarchy.
    func isDeletedRemotely(_ id: RecordID) throws -> Bool {
        guard try mayDiffer(transaction.shape(id.entity)), let entry = try transaction.journalEntry(id),
            entry.isUnresolved, entry.remote == nil
        else { return false }
        return try transaction.record(id) != nil
    }

    /// Returns a record without a local change that the remote has deleted, and that is still stored; nil if there is
    /// none.
    ///
    /// It is kept because of a local change of a record below it.
    func recordKeptByDependents(_ map: EntityMap, _ key: Value) throws -> Record? {
        let id = RecordID(map.shape.root, key)
        guard try mayDiffer(map.shape), let record = try transaction.record(id), record.shape == map.shape,
            let entry = try transaction.journalEntry(id), entry.isUnresolved, entry.remote == nil,
            transaction.isUnedited(id, record, entry)
        else { return nil }
        return record
    }

    /// Calls `body` with the keys of an entity's records that a filter matches, in the same order each time.
    ///
    /// The filter is applied to the versions that the origin of the payload knows. Records that were deleted locally
    /// are among them, and locally inserted ones without a filter.
    ///
    /// - Complexity: O(number of records), and O(*d*) for *d* changed records
    func forEachKey(_ map: EntityMap, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        let name = map.shape.name
        guard try mayDiffer(map.shape) else { return try transaction.forEachKey(of: name, where: filter, body) }
        guard let filter else {
            try transaction.forEachKey(of: name, where: nil, body)
            return try transaction.deletedHere(of: name).forEach { try body($0.key) }
        }
        var known: [Record] = []
        var changed: Set<Value> = []
        for entry in try transaction.journal(of: map.shape.root) {
            changed.insert(entry.id.key)
            // A record without a known version was deleted by the remote, and a local change may keep it.
            guard let version = entry.known ?? entry.base, version.shape.inherits(name) else { continue }
            if try entry.known != nil || transaction.record(version.id) != nil { known.append(version) }
        }
        try transaction.forEachKey(of: name, where: filter) { if !changed.contains($0) { try body($0) } }
        if known.isEmpty { return }
        try transaction.storage.select(Query(name, where: filter), from: known) { record in
            try body(record.key)
            return true
        }
    }

    /// Removes the journal entry of a record that both sides have deleted, because the payload inserts or deletes it
    /// again.
    func settleDeletion(of key: Value, _ map: EntityMap) throws {
        if try mayDiffer(map.shape) { try transaction.settleDeletion(of: key, in: map.shape) }
    }
}

extension SyncRecords {
    /// Whether there are drafts.
    var hasDrafts: Bool { !drafts.isEmpty }

    /// Whether a record is not stored yet because a mandatory value is missing.
    func isDraft(_ record: Record) -> Bool {
        !drafts.isEmpty && drafts[record.rootID] != nil
    }

    /// Stores a record if it has changed.
    ///
    /// A record without a mandatory value becomes a draft.
    func store(_ record: Record, present: Record?, _ map: EntityMap, _ place: Place) throws {
        if let present, present == record, !isDraft(present) { return }
        if map.mandatorySlots.contains(where: { record.values[$0].isNull }) {
            let id = record.rootID
            drafts[id] = Draft(record: record, map: map, place: drafts[id]?.place ?? place)
            draftChangeCount += 1
            return
        }
        if !drafts.isEmpty, drafts.removeValue(forKey: record.rootID) != nil {
            draftChangeCount += 1
        }
        if let present, present.shape !== record.shape, present.shape != record.shape {
            try disconnect(present, becoming: record)
        }
        try transaction.put(record, origin: origin)
    }

    /// Removes the links of relationships that a record no longer has because its entity changes.
    private func disconnect(_ present: Record, becoming record: Record) throws {
        guard try transaction.record(present.id)?.shape == present.shape else { return }
        for relationship in present.shape.relationships {
            let name = relationship.definition.name
            if case .reference = relationship.storage { continue }
            if record.shape.relationship(named: name) != nil { continue }
            // Local links are removed by a local change, because changes of the remote keep them.
            for origin in origin == .local ? [.local] : [origin, .local] {
                if try transaction.related(present.id, name).isEmpty { break }
                var changes = ChangeSet(origin: origin)
                changes.setLinks(present.id, name, to: [])
                try transaction.apply(changes)
            }
        }
    }

    /// Reports the mandatory values that drafts still lack.
    func reportDrafts(in reports: SyncReports) throws {
        for draft in drafts.values.sorted(by: { $0.record.id.description < $1.record.id.description }) {
            for slot in draft.map.mandatorySlots where draft.record.values[slot].isNull {
                let name = draft.record.shape.slots[slot].name
                try reports.add(
                    .missingValue, at: draft.place, of: draft.record.id, name,
                    expected: "a value of '\(name)', which is mandatory", found: "none, so the record is not stored")
            }
        }
    }
}
