public import SyncPersistence

/// What a sync has changed, and what it could not use.
///
/// ```swift
/// let result = try await store.sync(data, into: "User")
/// result["User"].inserted   // the ids of new users
/// result.reports            // what could not be used, and why
/// ```
public struct SyncResult: Sendable {
    /// The changes by the name of the entity; entities without any are not there.
    public let changes: [String: EntityChanges]

    /// How many links were made between records, those of new records among them.
    public let linkedCount: Int

    /// How many links were taken away, those of deleted records among them.
    public let unlinkedCount: Int

    /// What could not be used, in the order of the payload, up to ``SyncOptions/reportLimit``.
    public let reports: [SyncReport]

    /// How many reports there are in all.
    public let reportCount: Int

    /// How many links of the payload wait for records to come, where ``SyncOptions/keepsPendingLinks`` asks for that.
    public let pendingLinkCount: Int

    /// The records of which the payload says something else than what was changed here, each with its base, its local and
    /// its remote version.
    ///
    /// ``SyncOptions/conflictPolicy`` has resolved them, or left them open.
    public let clashes: [SyncClash]

    /// The records that are as they were, though the payload says something else, each once, and again each time that a
    /// payload says so.
    ///
    /// Their clash was left open, or the change would take a local change of another record with it. What the remote
    /// holds is noted beside them.
    public let heldBack: [RecordID]

    /// The records that objects without a key stand for: each is a part of the record in whose object it stands, and is
    /// deleted with that, and when null takes its place.
    ///
    /// Those of skipped objects are not listed.
    public let parts: [RecordID]

    /// The keys of objects that stand for nothing in the schema, by the entity; at most 100 of each.
    public let unknownKeys: [String: [String]]

    /// The time that each phase took, by ``SyncOptions/clock``; that of reading a file is part of comparing.
    public let durations: [SyncPhase: Duration]

    /// The number of the commit; that of the last one before if nothing has changed.
    public let sequence: Int64

    /// The changes of one entity's records.
    public struct EntityChanges: Sendable {
        /// The new records.
        public internal(set) var inserted: [RecordID] = []
        /// The records with other values than before, and which.
        public internal(set) var updated: [(id: RecordID, properties: [String])] = []
        /// The deleted records, those that a delete rule took among them.
        public internal(set) var deleted: [RecordID] = []
        /// How many of the payload's own objects stand for an existing record that has not changed, all under the entity
        /// of the sync.
        public internal(set) var unchangedCount = 0

        /// How many records have changed.
        public var count: Int { inserted.count + updated.count + deleted.count }
    }
}

extension SyncResult {
    /// The changes of an entity's records; none if there are none.
    public subscript(entity: String) -> EntityChanges { changes[entity] ?? EntityChanges() }

    /// Whether the store is as it was.
    public var isUnchanged: Bool { linkedCount == 0 && unlinkedCount == 0 && !changes.values.contains { $0.count > 0 } }
}

extension SyncResult {
    init(_ commit: Commit, _ outcome: SyncOutcome) {
        var tally = LinkTally()
        var changes: [EntityChanges] = []
        var positions: [ObjectIdentifier: Int] = [:]
        var names: [String] = []
        // Those of the payload's own hierarchy, and more.
        var changed = TokenTable()
        func note(_ id: RecordID) { changed[DigestedKey(id.key).digest] = 0 }
        commit.heldBack.forEach(note)
        for clash in outcome.clashes { note(clash.id) }
        let roots = Set(outcome.own.map(\.root))
        func position(of shape: Shape) -> Int {
            if let position = positions[ObjectIdentifier(shape)] { return position }
            positions[ObjectIdentifier(shape)] = changes.count
            names.append(shape.name)
            changes.append(EntityChanges())
            return changes.count - 1
        }
        for change in commit.changes {
            tally.count(old: change.old, new: change.new)
            guard let record = change.new ?? change.old, record.shape.role == nil else { continue }
            let id = record.id
            let position = position(of: record.shape)
            if change.old == nil {
                changes[position].inserted.append(id)
                continue
            }
            if roots.contains(record.shape.root) { note(id) }
            if change.new == nil {
                changes[position].deleted.append(id)
            } else {
                // Places in an order are kept under names of the library's own.
                let names = change.changedNames.filter { record.shape.isProperty($0) }
                changes[position].updated.append((id, names))
            }
        }
        var byName = Dictionary(zip(names, changes)) { first, _ in first }
        for own in outcome.own {
            let count = changed.isEmpty ? own.digests.count : own.digests.count { changed[$0] == nil }
            if count > 0 { byName[own.entity, default: EntityChanges()].unchangedCount += count }
        }
        self.changes = byName
        linkedCount = tally.linked
        unlinkedCount = tally.unlinked
        reports = outcome.reports.listed
        reportCount = outcome.reports.count
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
    /// Whether a name of a slot is one that the schema has.
    fileprivate func isProperty(_ name: String) -> Bool { slot(named: name).map { !slots[$0].isInternal } ?? true }
}

/// Counts the links that changes make and take away.
private struct LinkTally {
    var linked = 0
    var unlinked = 0

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
