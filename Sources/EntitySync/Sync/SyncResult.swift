public import SyncPersistence

/// The changes that a sync made, and reports of what it could not use.
///
/// ```swift
/// let result = try await store.sync(data, into: "User")
/// result["User"].inserted   // the ids of new users
/// result.reports            // what could not be used, and why
/// ```
public struct SyncResult: Sendable {
    /// The changes by entity name.
    ///
    /// Entities without changes are omitted.
    public let changes: [String: EntityChanges]

    /// The number of links that were added, including those of new records.
    public let linkedCount: Int

    /// The number of links that were removed, including those of deleted records.
    public let unlinkedCount: Int

    /// The reports of what could not be used, in the order of the payload, up to ``SyncOptions/reportLimit``.
    public let reports: [SyncReport]

    /// The number of all reports.
    public let reportCount: Int

    /// The lists of the payload that have deleted no record because they cannot be read completely, by the names of
    /// their entities.
    ///
    /// Either an element of the list cannot be read, so that it may mean any record, or no element can be used.
    /// ``reports`` states the places. The next sync that reads the whole list deletes the records that it no longer
    /// contains.
    ///
    /// Nested lists are not included, and neither are lists that may not delete records.
    public let incompleteLists: [String]

    /// The number of links that wait for missing records, if ``SyncOptions/keepsPendingLinks`` is true.
    public let pendingLinkCount: Int

    /// The conflicts between the payload and local changes, each with the base, local and remote version of the record.
    ///
    /// ``SyncOptions/conflictPolicy`` has resolved them, or left them unresolved.
    public let clashes: [SyncClash]

    /// The records that did not change although the payload states something else.
    ///
    /// Each record is listed once, and again by each sync whose payload states that. Its conflict is unresolved, or the
    /// remote's change would undo a local change of another record. The store keeps the remote's version beside the
    /// record.
    public let heldBack: [RecordID]

    /// The records of objects without a key.
    ///
    /// Each record is a part of the record in whose object it is nested. It is deleted with that record, or if null
    /// replaces the object. If that record was deleted locally, the next sync that lists it deletes the part, unless
    /// the part has a local change. Records of skipped objects, and parts that the sync has deleted, are not listed.
    public let parts: [RecordID]

    /// The keys of objects that match nothing in the schema, by entity; at most 100 of each.
    public let unknownKeys: [String: [String]]

    /// The time that each phase took, by ``SyncOptions/clock``.
    ///
    /// Reading a file is part of comparing.
    public let durations: [SyncPhase: Duration]

    /// The number of the commit, or of the previous commit if nothing has changed.
    public let sequence: Int64

    /// A record whose values have changed.
    ///
    /// A change of links in rows of their own, as those of many-to-many relationships, is no change of a record.
    public struct UpdatedRecord: Hashable, Sendable {
        /// The record.
        public let id: RecordID
        /// The names of the changed properties.
        public let properties: [String]
    }

    /// The changes of an entity's records.
    public struct EntityChanges: Sendable {
        /// The inserted records.
        public internal(set) var inserted: [RecordID] = []
        /// The records whose values have changed.
        public internal(set) var updated: [UpdatedRecord] = []
        /// The deleted records, including those that a delete rule has deleted.
        public internal(set) var deleted: [RecordID] = []
        /// The number of top-level objects whose existing record has not changed.
        ///
        /// All of them are counted for the entity of the sync.
        public internal(set) var unchangedCount = 0

        /// The number of changed records.
        public var count: Int { inserted.count + updated.count + deleted.count }
    }
}

extension SyncResult {
    /// The changes of an entity's records; empty if there are none.
    public subscript(entity: String) -> EntityChanges { changes[entity] ?? EntityChanges() }

    /// Whether the sync has changed nothing.
    public var isUnchanged: Bool { linkedCount == 0 && unlinkedCount == 0 && !changes.values.contains { $0.count > 0 } }
}

extension SyncResult {
    /// Creates the result of a sync from its commit and its other results.
    ///
    /// - Complexity: O(number of changes + number of objects)
    init(_ commit: Commit, _ outcome: SyncRunOutcome, in schema: Schema) {
        var tally = LinkTally()
        var changes: [EntityChanges] = []
        var positions: [ObjectIdentifier: Int] = [:]
        var names: [String] = []
        // The shape to which the next record usually belongs.
        var latest: (shape: Shape, position: Int)?
        // The digests of changed records' keys, for each hierarchy of the payload.
        var changed = Dictionary(outcome.own.map { ($0.root, TokenTable()) }) { first, _ in first }
        func markChanged(_ key: Value, in root: String) { changed[root]?[DigestedKey(key).digest] = 0 }
        for id in commit.heldBack + outcome.clashes.map(\.id) {
            markChanged(id.key, in: schema[id.entity]?.root ?? id.entity)
        }
        func position(of shape: Shape) -> Int {
            if let latest, latest.shape === shape { return latest.position }
            let position = positions[ObjectIdentifier(shape)] ?? changes.count
            latest = (shape, position)
            if position < changes.count { return position }
            positions[ObjectIdentifier(shape)] = position
            names.append(shape.name)
            changes.append(EntityChanges())
            // Not grown by doubling: a first import has its peak of memory here.
            changes[position].inserted.reserveCapacity(commit.changes.newCountEstimate(of: shape))
            return position
        }
        for index in commit.changes.indices {
            if let new = commit.changes.outline(at: index) {
                tally.linked += new.linkCount
                if new.shape.role != nil { continue }
                changes[position(of: new.shape)].inserted.append(RecordID(new.shape.name, new.key))
                continue
            }
            let change = commit.changes[index]
            tally.count(old: change.old, new: change.new)
            guard let record = change.new ?? change.old, record.shape.role == nil else { continue }
            let id = record.id
            let position = position(of: record.shape)
            if change.old == nil {
                changes[position].inserted.append(id)
                continue
            }
            markChanged(id.key, in: record.shape.root)
            if change.new == nil {
                changes[position].deleted.append(id)
            } else {
                // Positions in an order are stored in internal slots.
                let names = change.changedNames.filter { record.shape.isProperty($0) }
                changes[position].updated.append(UpdatedRecord(id: id, properties: names))
            }
        }
        var byName = Dictionary(zip(names, changes)) { first, _ in first }
        for own in outcome.own {
            let others = changed[own.root] ?? TokenTable()
            let count = others.isEmpty ? own.digests.count : own.digests.count { others[$0] == nil }
            if count > 0 { byName[own.entity, default: EntityChanges()].unchangedCount += count }
        }
        self.changes = byName
        linkedCount = tally.linked
        unlinkedCount = tally.unlinked
        reports = outcome.reports.listed
        reportCount = outcome.reports.count
        incompleteLists = outcome.incompleteLists.sorted()
        pendingLinkCount = outcome.pendingCount
        clashes = outcome.clashes
        heldBack = commit.heldBack + outcome.heldBack
        parts = outcome.parts
        unknownKeys = outcome.reports.unknownNames.mapValues { $0.sorted() }
        durations = outcome.durations
        sequence = commit.sequence
    }
}

extension Shape {
    /// Whether a name belongs to a property of the schema, not to an internal slot.
    fileprivate func isProperty(_ name: String) -> Bool { slot(named: name).map { !slots[$0].isInternal } ?? true }
}

/// A count of the links that changes add and remove.
private struct LinkTally {
    /// How many records were connected.
    var linked = 0
    /// How many records were disconnected.
    var unlinked = 0

    /// Adds the links of a changed record.
    mutating func count(old: Record?, new: Record?) {
        guard let shape = (new ?? old)?.shape else { return }
        if shape.role == .links {
            if old == nil { linked += 1 }
            if new == nil { unlinked += 1 }
            return
        }
        if let old, let new, old.shape != new.shape {
            count(old: old, new: nil)
            return count(old: nil, new: new)
        }
        for (slot, _) in shape.membershipSeeds {
            let (before, now) = (old?.values[slot] ?? .null, new?.values[slot] ?? .null)
            if before == now { continue }
            if !before.isNull { unlinked += 1 }
            if !now.isNull { linked += 1 }
        }
    }
}
