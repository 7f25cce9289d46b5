import SyncPersistence

/// Reports of what two objects of a payload specify differently.
extension SyncRun {
    /// Reports the values that an object gives a record otherwise than another object before.
    ///
    /// - Parameters:
    ///   - present: The record as the other object has left it.
    ///   - record: The record as it is by this one.
    func reportContradictions(
        _ earlier: PayloadStatements.Statement, _ present: Record, _ record: Record, _ map: EntityMap, _ plan: Plan,
        _ filling: Filling
    ) throws {
        guard present.shape == record.shape, present != record else { return }
        let owner = filling.owner.flatMap { record.shape.slot(named: $0.slot) }
        for slot in record.values.indices where record.values[slot] != present.values[slot] {
            let name = record.shape.slots[slot].name
            guard plan.speaks(ofSlot: slot, map) || owner == slot,
                earlier.plan.speaks(ofSlot: slot, map) || earlier.ownerSlot == name
            else { continue }
            let member = plan.attributes.first { $0.attribute.slot == slot }?.member
            let place = member.map { filling.place.member(plan.example.names[$0]) } ?? filling.place
            try report(
                SyncReport(
                    .contradiction, at: place.path, of: record.id, name,
                    expected: "what another object of the record says, \(present.values[slot].finding)",
                    found: record.values[slot].finding))
        }
    }

    /// Records that a record leads to another that belongs to one record alone; reports another owner from an earlier
    /// object.
    func claim(
        _ key: Value, for owner: Record, _ relationship: RelationshipMap, at place: @autoclosure () -> Place
    ) throws {
        guard let seed = relationship.claimSeed,
            let other = statements.claim(key.digest(seed: seed), for: owner.key)
        else { return }
        try report(
            SyncReport(
                .contradiction, at: place().path, of: owner.id, relationship.name,
                expected: "a record that belongs to no other, and \(key) belongs to \(other)", found: key.finding))
    }
}

extension Plan {
    /// Whether objects of the plan say what stands in a slot of their record.
    fileprivate func speaks(ofSlot slot: Int, _ map: EntityMap) -> Bool {
        if attributes.contains(where: { $0.attribute.slot == slot }) { return true }
        return relationships.contains { members in
            guard case .reference(let name, _, _) = map.relationships[members.relationship].storage else {
                return false
            }
            return map.shape.slot(named: name) == slot
        }
    }
}
