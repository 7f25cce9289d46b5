import DifferentialSync
import SyncPersistence

/// Deletions of the remote that meet changes which were made here.
extension SyncRun {
    /// Notes that the remote has deleted what was changed here and keeps a record from being deleted, so that the policy
    /// resolves that.
    ///
    /// - Complexity: O(number of records that would be deleted with the record), each once for all records of the payload
    func holdBackDependents(of record: Record, sparing spoken: Set<UInt64>) throws {
        guard mergesEdits else { return }
        var pending = [record]
        while let record = pending.popLast() {
            guard keptBack.insert(RecordID(record.shape.root, record.key)).inserted else { continue }
            for relationship in record.shape.relationships where relationship.definition.deleteRule == .cascade {
                let destination = try mapping.map(of: relationship.definition.destination)
                for key in try transaction.related(record.id, relationship.definition.name) {
                    if !key.isPartKey, spoken.contains(destination.token(of: key)) { continue }
                    let id = RecordID(destination.shape.root, key)
                    guard let dependent = try transaction.record(id) else { continue }
                    if let entry = try transaction.journalEntry(id), !entry.isWaiting(with: dependent) {
                        try transaction.delete(dependent.id, origin: origin)
                    }
                    pending.append(dependent)
                }
            }
        }
    }

    /// Connects a record again with the owner that no longer leads to it, if a change made here has kept the record.
    ///
    /// Where the clash was left open, that is as before at both ends; else it is a change that was made here.
    func restoreLink(_ departure: Departure, _ leaving: Leaving) throws {
        let (id, name) = (RecordID(leaving.entity, departure.owner), leaving.relationship.name)
        guard try transaction.record(departure.id) != nil, let owner = try transaction.record(id),
            owner.shape.relationship(named: name) != nil
        else { return }
        let related = try transaction.related(id, name)
        if related.contains(departure.id.key) || !leaving.relationship.isToMany && !related.isEmpty { return }
        let isOpen = try isWithdrawn(departure.id)
        // What both ends have in common of an edited owner stays as it is.
        if isOpen, case .reference = leaving.relationship.storage, try transaction.hasLocalChange(in: owner) { return }
        var changes = ChangeSet(origin: isOpen ? .agreed : .local)
        changes.link(id, name, to: departure.id.key)
        try transaction.apply(changes)
    }

    /// Lists the records that stay as they are though the payload says something else, but for those that the commit lists.
    ///
    /// - Parameter open: Those whose clash was left open.
    func noteHeldBack(_ open: [RecordID]) throws {
        func root(_ id: RecordID) throws -> RecordID { RecordID(try transaction.shape(id.entity).root, id.key) }
        var seen = Set(try transaction.heldBack.map(root))
        let waiting = try undeleted.compactMap { id in try isWithdrawn(root(id)) ? transaction.record(id)?.id : nil }
        for id in open + waiting where seen.insert(try root(id)).inserted { outcome.heldBack.append(id) }
        undeleted = []
    }
}

extension SyncRun {
    /// Whether the remote has deleted a record, by the root of its hierarchy, that is still here as it cannot be deleted
    /// or a clash is not resolved.
    func isWithdrawn(_ id: RecordID) throws -> Bool {
        guard try origin == .remote && transaction.mayHaveEntries(of: transaction.shape(id.entity)),
            let entry = try transaction.journalEntry(id), entry.isUnsettled, entry.remote == nil
        else { return false }
        return try transaction.record(id) != nil
    }

    /// The keys of the records to which a relationship has led and that are withdrawn, as far as they were before this
    /// sync.
    func withdrawn(_ relationship: RelationshipMap, of owner: Record) throws -> [Value] {
        guard origin == .remote, case .inverse(let slot, _) = relationship.storage else { return [] }
        let shape = try mapping.destination(of: relationship).shape
        return try knownLinks.withdrawn(of: shape, naming: owner.key, in: slot)
    }

    /// The keys of an entity's records that a relationship has connected with a record and that are withdrawn, as far as
    /// they were before this sync.
    func withdrawn(_ relationship: RelationshipMap, to parent: RecordID, _ map: EntityMap) throws -> [Value] {
        guard origin == .remote, case .reference(let slot, _, _) = relationship.storage else { return [] }
        return try knownLinks.withdrawn(of: map.shape, naming: parent.key, in: slot)
    }
}
