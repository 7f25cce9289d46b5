import SyncPersistence

/// Drafts whose mandatory references lead to each other.
extension SyncRecords {
    /// Stores the drafts that lack only references to each other.
    ///
    /// For example, team 1 must have a leader, user 2, who must have a team, team 1.
    ///
    /// - Parameter connections: The connections that could not be made.
    /// - Returns: Whether any draft was stored.
    /// - Complexity: O(*n* log *n*) for *n* connections, each with lookups
    func storeDraftsTogether(_ connections: [Connection]) throws -> Bool {
        if !hasDrafts { return false }
        var completed: [RecordID: (record: Record, draft: Record, place: Place)] = [:]
        var owners: [RecordID: [RecordID]] = [:]
        for connection in connections {
            guard case .reference(let name, _, _) = connection.relationship.storage, connection.operations.mayConnect,
                let key = connection.keys.first, let owner = try record(connection.id), isDraft(owner),
                let slot = owner.shape.slot(named: name), !owner.shape.slots[slot].isOptional
            else { continue }
            let map = try mapping.destination(of: connection.relationship)
            guard map.isKeyPrimary, let target = try record(map, key), isDraft(target),
                target.shape.inherits(map.shape.name)
            else { continue }
            completed[connection.id, default: (owner, owner, connection.place)].record.values[slot] = key
            owners[RecordID(map.shape.root, key), default: []].append(connection.id)
        }
        var incomplete = owners.keys.filter { completed[$0] == nil }
        for (id, (record, _, _)) in completed {
            let slots = try mapping.map(of: record.entity).mandatorySlots
            if slots.contains(where: { record.values[$0].isNull }) { incomplete.append(id) }
        }
        while let id = incomplete.popLast() {
            completed[id] = nil
            incomplete += (owners[id] ?? []).filter { completed[$0] != nil }
        }
        for (_, (record, draft, place)) in completed.sorted(by: { $0.key.description < $1.key.description }) {
            try store(record, present: draft, mapping.map(of: record.entity), place)
        }
        return !completed.isEmpty
    }
}
