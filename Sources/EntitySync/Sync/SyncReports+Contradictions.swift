import SyncPersistence

extension SyncReports {
    /// Reports the values for which two objects of a record contradict each other.
    ///
    /// - Parameters:
    ///   - earlier: What the earlier object states.
    ///   - present: The record after the earlier object.
    ///   - record: The record after this object.
    ///   - map: The entity of the record.
    ///   - plan: How the members of this object are used.
    ///   - ownerSlot: The slot of the owner in whose object this one is nested.
    ///   - place: The place of this object.
    func addContradictions(
        to earlier: PayloadStatements.Statement, _ present: Record, _ record: Record, _ map: EntityMap, _ plan: Plan,
        ownerSlot: String?, at place: Place
    ) throws {
        guard present.shape == record.shape, present != record else { return }
        let owner = ownerSlot.flatMap { record.shape.slot(named: $0) }
        for slot in record.values.indices where record.values[slot] != present.values[slot] {
            let name = record.shape.slots[slot].name
            guard plan.states(slot, map) || owner == slot, earlier.plan.states(slot, map) || earlier.ownerSlot == name
            else { continue }
            let member = plan.attributes.first { $0.attribute.slot == slot }?.member
            try add(
                .contradiction, at: member.map { place.member(plan.example.names[$0]) } ?? place, of: record.id, name,
                expected: "what another object of the record says, \(present.values[slot].finding)",
                found: record.values[slot].finding)
        }
    }
}

extension Plan {
    /// Whether objects of the plan state the value of a slot.
    fileprivate func states(_ slot: Int, _ map: EntityMap) -> Bool {
        if attributes.contains(where: { $0.attribute.slot == slot }) { return true }
        return relationships.contains { members in
            guard case .reference(let name, _, _) = map.relationships[members.relationship].storage else {
                return false
            }
            return map.shape.slot(named: name) == slot
        }
    }
}
