import SyncPersistence

/// What objects of one payload say of the same record.
extension SyncRun {
    /// What an object says of its record: by its members, and by the owner that it stands under.
    struct Saying {
        let plan: Plan
        let ownerSlot: String?
    }

    /// Notes that an object says something of a record; returns what another object of the payload said of it before.
    func noteSaying(_ plan: Plan, _ filling: Filling, token: UInt64) -> Saying? {
        var number = plan.saying
        if number < 0 || sayings[number].ownerSlot != filling.owner?.slot {
            number = sayings.count
            plan.saying = number
            sayings.append(Saying(plan: plan, ownerSlot: filling.owner?.slot))
        }
        guard let earlier = said.number(of: token, orInsert: number) else { return nil }
        if earlier != number { said[token] = number }
        return sayings[earlier]
    }

    /// Reports the values that an object gives a record otherwise than another object before.
    ///
    /// - Parameters:
    ///   - present: The record as the other object has left it.
    ///   - record: The record as it is by this one.
    func reportContradictions(
        _ earlier: Saying, _ present: Record, _ record: Record, _ map: EntityMap, _ plan: Plan, _ filling: Filling
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

    /// Notes that a record leads to another that belongs to one record alone; reports if the payload has said so of another
    /// record before.
    func claim(
        _ key: Value, for owner: Record, _ relationship: RelationshipMap, at place: @autoclosure () -> Place
    ) throws {
        guard let seed = relationship.claimSeed else { return }
        let token = key.digest(seed: seed)
        if let earlier = claims[token], owners[earlier] != owner.key {
            try report(
                SyncReport(
                    .contradiction, at: place().path, of: owner.id, relationship.name,
                    expected: "a record that belongs to no other, and \(key) belongs to \(owners[earlier])",
                    found: key.finding))
        }
        if owners.last != owner.key { owners.append(owner.key) }
        claims[token] = owners.count - 1
    }

    /// Reports names that an object has twice.
    func reportDuplicateNames(_ paths: [String], at place: Place) throws {
        for path in paths {
            try report(
                SyncReport(
                    .duplicateName, at: place.path + path,
                    expected: "each name once in an object; the last member counts", found: "the name twice"))
        }
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
