import SyncPersistence

/// Deletes the records that a payload no longer has, and the records that are deleted with them.
///
/// For example, a payload lists user 1 and no longer user 2. It also has a note of user 2, whose other note it lacks.
/// Then user 2 and the other note are deleted, and the note in the payload is kept.
///
/// A record that appears anywhere in the payload is kept without an owner. A record with a local change is kept until
/// the change is merged.
final class RecordDeleter {
    /// The stored records and the drafts.
    private let records: SyncRecords
    /// The parts of owners, which are deleted with them.
    private let parts: ObjectParts
    /// The local changes that may keep a record.
    private let edits: LocalEdits
    /// The pending links; those of deleted records are forgotten.
    private let pendingLinks: PendingLinks
    /// Receives deletions that a delete rule denies.
    private let reports: SyncReports

    /// The tokens of the records and relationships that the payload specifies.
    var specified: Set<UInt64> = []

    /// Deleted records with local changes of their links.
    private var deletedWithEditedLinks: [Record] = []

    /// The records whose dependents were searched for local changes, with the names of their hierarchies' roots.
    private var searched: Set<RecordID> = []

    /// The removed children that a local change keeps for now.
    private var keptChildren: [RemovedChildren.Child] = []

    /// The records that the payload deletes and that still exist.
    private var kept: [RecordID] = []

    init(
        of records: SyncRecords, _ parts: ObjectParts, _ edits: LocalEdits, _ pendingLinks: PendingLinks,
        _ reports: SyncReports
    ) {
        (self.records, self.parts, self.edits) = (records, parts, edits)
        (self.pendingLinks, self.reports) = (pendingLinks, reports)
    }

    /// The transaction of the sync.
    private var transaction: any PayloadStore { records.transaction }
    /// The maps of all entities.
    private var mapping: Mapping { records.mapping }
    /// The side that the deletions come from.
    private var origin: ChangeSet.Origin { records.origin }
}

extension RecordDeleter {
    /// Whether the payload specifies a record.
    func isSpecified(_ map: EntityMap, _ key: Value) -> Bool { specified.contains(map.token(of: key)) }

    /// Deletes a record and its dependents, except for records in the payload.
    ///
    /// A dependent that must have an owner is deleted although it is in the payload, and that is reported.
    ///
    /// - Complexity: O(number of deleted records), each with a query for each relationship whose rule is `cascade`
    func delete(_ id: RecordID) throws {
        var pending = [id]
        while let id = pending.popLast() {
            for part in try deleteWithDependents(id) {
                if let record = try transaction.record(part), try !parts.hasOtherOwners(record) { pending.append(part) }
            }
        }
    }

    /// Deletes a part to which no record leads, because its owner was deleted locally.
    ///
    /// It is kept if it has a local change, or a part below it, or if an unresolved conflict may bring its owner back.
    ///
    /// - Complexity: O(number of deleted records), each with a query for each relationship that leads to it
    func deleteWithoutOwner(_ part: RecordID, of owner: RecordID) throws {
        guard let record = try transaction.record(part), try !parts.hasOtherOwners(record),
            try !hasLocalChange(in: record), try !isNamed(record, inConflictOf: owner)
        else { return }
        try delete(part)
    }

    /// Whether a record has a local change, or a part below it to which no other record leads.
    private func hasLocalChange(in record: Record) throws -> Bool {
        var pending = [record]
        var seen: Set<RecordID> = []
        while let record = pending.popLast() {
            if try transaction.hasLocalChange(in: record) { return true }
            for id in try parts(of: record) where seen.insert(id).inserted {
                if let part = try transaction.record(id), try !parts.hasOtherOwners(part, than: record.id) {
                    pending.append(part)
                }
            }
        }
        return false
    }

    /// Whether the remote's version of a record with an unresolved conflict refers to a part.
    private func isNamed(_ part: Record, inConflictOf owner: RecordID) throws -> Bool {
        guard let remote = try transaction.journalEntry(owner)?.remote else { return false }
        return remote.shape.relationships.contains { relationship in
            if case .reference(let slot, _, _) = relationship.storage { remote[slot] == part.key } else { false }
        }
    }

    /// Deletes a record and its dependents, but not their parts; returns the parts.
    private func deleteWithDependents(_ id: RecordID) throws -> [RecordID] {
        guard let record = try transaction.record(id),
            // A record with a local change is kept with its dependents.
            try origin != .remote || !transaction.hasLocalChange(in: record)
        else {
            try addLinksOfLocallyDeleted(id)
            if let record = try transaction.record(id) { try deleteEditedDependents(of: record) }
            try transaction.delete(id, origin: origin)
            return []
        }
        var parts: [RecordID] = []
        var deletedLocally: [RecordID] = []
        var changes = ChangeSet(origin: origin)
        var pending = [id]
        var seen: Set<RecordID> = [id]
        while let id = pending.popLast() {
            guard let record = try transaction.record(id) else { continue }
            try pendingLinks.forget(record)
            try addLinks(of: record)
            parts += try self.parts(of: record)
            for relationship in record.shape.relationships where relationship.definition.deleteRule == .cascade {
                let name = relationship.definition.name
                let destination = try mapping.map(of: relationship.definition.destination)
                deletedLocally += try records.deletedLocally(record.id, name, destination)
                for key in try transaction.related(record.id, name) {
                    if !key.isPartKey, isSpecified(destination, key) {
                        if try mayLoseOwner(relationship, destination, key) {
                            changes.unlink(record.id, name, from: key)
                            continue
                        }
                        try reports.add(
                            .missingValue, at: .root, of: RecordID(destination.shape.name, key),
                            relationship.definition.inverse,
                            expected: "an owner, as it must have one, and '\(record.id)' is listed no more",
                            found: "none, so the record is deleted with it")
                    }
                    let dependent = RecordID(destination.shape.root, key)
                    if seen.insert(dependent).inserted { pending.append(dependent) }
                }
            }
        }
        try transaction.apply(changes)
        try transaction.delete(id, origin: origin)
        if try edits.isMerging && transaction.record(id) != nil { kept.append(id) }
        for id in deletedLocally {
            try addLinksOfLocallyDeleted(id)
            try transaction.delete(id, origin: origin)
        }
        return parts
    }

    /// Returns the parts of a record that its delete rules do not delete.
    private func parts(of record: Record) throws -> [RecordID] {
        try mapping.map(of: record.entity).relationships.compactMap { relationship in
            if relationship.isToMany || relationship.isCascading { return nil }
            let key = try records.target(of: relationship, of: record)
            return key.isPartKey ? RecordID(relationship.definition.destination, key) : nil
        } + parts.listedParts(of: record)
    }

    /// Whether a record can exist without the record that leads to it.
    private func mayLoseOwner(_ relationship: ShapeRelationship, _ destination: EntityMap, _ key: Value) throws -> Bool
    {
        guard case .inverse(let slot, _) = relationship.storage, let record = try records.record(destination, key),
            let position = record.shape.slot(named: slot)
        else { return true }
        return record.shape.slots[position].isOptional
    }

    /// Deletes a child that its owner no longer lists, unless it has another owner or appears in the payload.
    func delete(_ child: RemovedChildren.Child) throws {
        try deleteUnlessOwned(child)
        if case .inverse = child.relationship.storage { return }
        if try records.isDeletedRemotely(child.link.id) { keptChildren.append(child) }
    }

    /// Deletes a child that has no other owner.
    ///
    /// If the payload specifies the child, its owner is removed instead.
    private func deleteUnlessOwned(_ child: RemovedChildren.Child) throws {
        let (id, map, relationship) = (child.link.id, child.map, child.relationship)
        guard var record = try records.record(map, id.key) else {
            if try records.isDeletedRemotely(id) { try delete(id) }
            return
        }
        // A part exists in its owner only. An earlier object may have specified it there.
        let isSpecified = !id.key.isPartKey && isSpecified(map, id.key)
        guard let inverse = relationship.inverse else {
            if try !isSpecified && !parts.hasOtherOwners(record) { try delete(id) }
            return
        }
        let owner = record[inverse.slot]
        guard owner == child.link.owner || !relationship.isToMany && owner.isNull else { return }
        if !isSpecified { return try delete(id) }
        guard let slot = record.shape.slot(named: inverse.slot), !owner.isNull else { return }
        if record.shape.slots[slot].isOptional {
            record.values[slot] = .null
            try transaction.put(record, origin: origin)
        } else {
            try reports.add(
                .missingValue, at: child.place, of: record.id, inverse.slot, expected: "an owner, as it must have one",
                found: "a list without it")
        }
    }

    /// Deletes the records that the payload states to be deleted, and ignores unknown keys.
    ///
    /// If the payload also has an object of the record, the record is deleted and that is reported.
    func delete(_ deletions: [StatedDeletion], _ cancellation: Cancellation) throws {
        for deletion in deletions {
            try cancellation.check()
            let (map, key) = (deletion.map, deletion.key)
            let id = RecordID(map.shape.name, key)
            guard let record = try records.record(map, key) ?? transaction.record(id),
                record.shape.inherits(map.shape.name)
            else {
                try records.settleDeletion(of: key, map)
                continue
            }
            if isSpecified(map, key) {
                try reports.add(
                    .contradiction, at: deletion.place, of: id,
                    expected: "no object of a record that is deleted; the deletion counts", found: "one")
            }
            if !records.isDraft(record) { try delete(id) }
        }
    }
}

/// Deletions of the remote that conflict with local changes.
extension RecordDeleter {
    /// Whether a record that the payload deletes still exists.
    var hasKept: Bool { !kept.isEmpty }

    /// Deletes the dependents with local changes of a record that has one itself, so that the policy resolves each
    /// conflict.
    ///
    /// - Complexity: O(number of dependents), each once for all records of the payload
    private func deleteEditedDependents(of record: Record) throws {
        guard edits.isMerging else { return }
        var pending = [record]
        while let record = pending.popLast() {
            guard searched.insert(record.rootID).inserted else { continue }
            for relationship in record.shape.relationships where relationship.definition.deleteRule == .cascade {
                let destination = try mapping.map(of: relationship.definition.destination)
                for key in try transaction.related(record.id, relationship.definition.name) {
                    if !key.isPartKey, isSpecified(destination, key) { continue }
                    let id = RecordID(destination.shape.root, key)
                    guard let dependent = try transaction.record(id) else { continue }
                    if let entry = try transaction.journalEntry(id), !transaction.isUnedited(id, dependent, entry) {
                        try transaction.delete(dependent.id, origin: origin)
                    }
                    pending.append(dependent)
                }
            }
        }
    }

    /// Connects the removed children that the merge has kept with their former owners.
    func reconnectKeptChildren() throws {
        for child in keptChildren { try reconnect(child) }
        keptChildren = []
    }

    /// Connects a child with its former owner, if it was kept.
    ///
    /// While the conflict is unresolved, both sides agree on the link. Afterwards, the link is a local change.
    private func reconnect(_ child: RemovedChildren.Child) throws {
        let (id, name) = (RecordID(child.entity, child.link.owner), child.relationship.name)
        guard try transaction.record(child.link.id) != nil, let owner = try transaction.record(id),
            owner.shape.relationship(named: name) != nil
        else { return }
        let related = try transaction.related(id, name)
        if related.contains(child.link.id.key) || !child.relationship.isToMany && !related.isEmpty { return }
        let isUnresolved = try records.isDeletedRemotely(child.link.id)
        // An agreed change would replace the shadow of an owner with a local change.
        if isUnresolved, case .reference = child.relationship.storage, try transaction.hasLocalChange(in: owner) {
            return
        }
        var changes = ChangeSet(origin: isUnresolved ? .agreed : .local)
        changes.link(id, name, to: child.link.id.key)
        try transaction.apply(changes)
    }

    /// Returns the records that did not change although the payload states something else, except for those that the
    /// commit lists.
    ///
    /// - Parameter unresolved: The records with an unresolved conflict, and those that wait for another record.
    func keptRecords(unresolved: [RecordID]) throws -> [RecordID] {
        func root(_ id: RecordID) throws -> RecordID { RecordID(try transaction.shape(id.entity).root, id.key) }
        var seen = Set(try transaction.heldBack.map(root))
        let waiting = try kept.compactMap { id in
            try records.isDeletedRemotely(root(id)) ? transaction.record(id)?.id : nil
        }
        return try (unresolved + waiting).filter { seen.insert(try root($0)).inserted }
    }
}

/// Local removals of links of records that the remote has deleted.
///
/// The remote deletes links with a record. If it has the record again later, it states the links again, and none of
/// them was removed locally.
extension RecordDeleter {
    /// Adds a record that the remote has deleted, if its links may have local changes.
    private func addLinks(of record: Record) throws {
        guard origin == .remote else { return }
        for incoming in record.shape.incoming {
            let links = try transaction.shape(incoming.shape)
            if links.role == .links, try transaction.mayHaveEntries(of: links) {
                return deletedWithEditedLinks.append(record)
            }
        }
    }

    /// Adds a record that the remote has deleted and that was deleted locally before.
    private func addLinksOfLocallyDeleted(_ id: RecordID) throws {
        guard origin == .remote, try transaction.record(id) == nil else { return }
        if let known = try transaction.known(id, to: origin) { try addLinks(of: known) }
    }

    /// Removes the journal entries of the links of records that neither side has any more.
    func forgetLinksOfDeleted() throws {
        if deletedWithEditedLinks.isEmpty { return }
        // Deletions that must wait are reverted before.
        try transaction.settleIncoming()
        for record in deletedWithEditedLinks where try transaction.record(record.id) == nil {
            if try transaction.known(record.id, to: origin) == nil { try records.forgetRemovedLinks(of: record) }
        }
    }
}

extension SyncRecords {
    /// Removes the journal entries of locally removed links of a record.
    ///
    /// - Complexity: O(number of these links), and once O(*d*) for *d* changed links of each relationship
    func forgetRemovedLinks(of record: Record) throws {
        for incoming in record.shape.incoming {
            let links = try transaction.shape(incoming.shape)
            guard links.role == .links, try transaction.mayHaveEntries(of: links) else { continue }
            for link in try knownLinks.records(of: links, naming: record.key, in: incoming.slot)
            where try transaction.record(link.id) == nil {
                try transaction.acknowledge(link.id, base: link, sent: nil)
            }
        }
    }
}
