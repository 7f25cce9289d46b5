import SyncPersistence

extension SyncRun {
    /// Does all that is to be done for an object, and for those in it.
    func process(_ filling: Filling) throws {
        var next: SyncTask? = .fill(filling)
        while let task = next {
            taskCount += 1
            if taskCount % 1_000 == 0 { try cancellation.check() }
            switch task {
            case .fill(let filling): try fill(filling)
            case .connect(let connection): try connect(connection)
            }
            next = tasks.popLast()
        }
    }

    /// A record takes over what an object says.
    private func fill(_ filling: Filling) throws {
        let key = filling.storedKey ?? filling.key
        if !filling.map.isKnownToKeepRecords {
            try requireRecords(of: filling.map.shape.name)
            filling.map.isKnownToKeepRecords = true
        }
        if try mapping.saysDeleted(filling.object, declaredAs: filling.map) {
            return try tellDeletion(key, filling.map, at: filling.place, isNested: filling.isNested)
        }
        footprint.specify(filling.map.token(of: key))
        let present = try record(filling.map, key)
        if present == nil { try settleDeletion(of: key, filling.map) }
        guard var map = try entity(of: filling, present) else {
            if !filling.isNested { misfitCount += 1 }
            if let present { try connectOwner(filling, of: present) }
            return
        }
        if let present, present.shape !== map.shape, !present.shape.inherits(filling.map.shape.name),
            mapping.isSilent(filling.object, declaredAs: filling.map)
        {
            if !filling.isNested { misfitCount += 1 }
            return try report(
                SyncReport(
                    .wrongEntity, at: filling.place.path, expected: "a key that no record of another entity has",
                    found: "that of '\(present.id)'"))
        }
        let isNew = present.map { isDraft($0) } ?? true
        guard allows(filling.operation(isNew: isNew)) else {
            if let present { try connectOwner(filling, of: present) }
            return
        }
        if let present, map.shape != present.shape, mapping.isSilent(filling.object, declaredAs: filling.map) {
            map = try mapping.map(of: present.shape.name)
        }
        var object = filling.object
        if present == nil, let willInsert = request.options.willInsert {
            object = try willInsert(
                completed(object, map, filling.surroundings), map.shape.name, filling.parent)
        }
        var record = present.map { $0.shape == map.shape ? $0 : map.record(from: $0) } ?? map.newRecord(filling)
        if filling.isWhole, present != nil { record = map.emptied(record) }
        let plan = map.plan(for: object)
        try fillAttributes(of: &record, from: object, map, plan, filling.place)
        if let surroundings = filling.surroundings {
            try fillSources(of: &record, from: object, map, plan, surroundings, filling.place)
        }
        var next: [SyncTask] = []
        var links = links(of: object, map, plan, filling.place)
        if filling.isWhole, present != nil { links += unsaidLinks(links, filling, map) }
        spoken = try hasPendingLinks() ? [] : nil
        // One that the remote has deleted and that was held back has links, though it is new for the remote.
        let isBare = try isNew && !isHere(map, key)
        for link in links {
            guard let seed = link.relationship.membershipSeed else { continue }
            footprint.specify(relationship: key.digest(seed: seed), isNew: isBare)
        }
        for link in links where !link.relationship.definition.isToMany {
            try connectOne(link, of: &record, filling, isBare: isBare, &next)
        }
        if let owner = filling.owner { name(owner, in: &record, isNew: isNew) }
        let earlier = statements.add(plan, ownerSlot: filling.owner?.slot, of: filling.map.token(of: key))
        if let earlier, let present {
            try reportContradictions(earlier, present, record, map, plan, filling)
        }
        if present == nil { try completeFromEdit(&record, map) }
        try store(record, present: present, map, filling.place)
        try noteEdit(of: record, isKnown: present != nil, map, plan, filling)
        if !links.isEmpty {
            let isStored = try !isDraft(record) && !isGone(map, record.key)
            for link in links where link.relationship.definition.isToMany {
                try connectMany(link, of: record, filling, isBare: isBare, isStored: isStored, &next)
            }
            tasks.append(contentsOf: next.reversed())
        }
        if var spoken {
            // That one object stands in another says all of a relationship to one.
            if let inverse = filling.inverse, map.shape.relationship(named: inverse)?.definition.isToMany == false {
                spoken.insert(inverse)
            }
            try forgetPending(of: record) { present == nil || spoken.contains($0) }
            arrivals.append(Arrival(map: map, key: key, spoken: spoken))
        }
    }

    /// The entity of an object; nil if there is none that it can be, which has been reported.
    func entity(of filling: Filling, _ present: Record?) throws -> EntityMap? {
        if filling.map.discriminator == nil && !filling.map.shape.isAbstract { return filling.map }
        guard let map = try mapping.map(of: filling.object, declaredAs: filling.map) else {
            let name = filling.map.discriminator ?? ""
            try report(
                SyncReport(
                    .wrongEntity, at: filling.place.member(name).path,
                    expected: "what stands for '\(filling.map.shape.name)' or an entity that inherits it",
                    found: (filling.object[name] ?? .null).finding))
            return nil
        }
        if !map.shape.isAbstract || present != nil && mapping.isSilent(filling.object, declaredAs: filling.map) {
            return map
        }
        try report(
            SyncReport(
                .wrongEntity, at: filling.place.path,
                expected: "an object that says of which entity it is, as '\(map.shape.name)' is abstract",
                found: "one that does not"))
        return nil
    }

    /// Stores a record, unless it is as it was; what lacks something mandatory waits.
    func store(_ record: Record, present: Record?, _ map: EntityMap, _ place: Place) throws {
        if let present, present == record, !isDraft(present) { return }
        if map.mandatorySlots.contains(where: { record.values[$0].isNull }) {
            let id = RecordID(record.shape.root, record.key)
            drafts[id] = Draft(record: record, map: map, place: drafts[id]?.place ?? place)
            return
        }
        if !drafts.isEmpty { drafts[RecordID(record.shape.root, record.key)] = nil }
        if let present, present.shape !== record.shape, present.shape != record.shape {
            try disconnect(present, becoming: record)
        }
        try transaction.put(record, origin: origin)
    }

    /// Takes away the links of relationships that a record does not have any more as one of another entity.
    private func disconnect(_ present: Record, becoming record: Record) throws {
        guard try transaction.record(present.id)?.shape == present.shape else { return }
        for relationship in present.shape.relationships {
            let name = relationship.definition.name
            if case .reference = relationship.storage { continue }
            if record.shape.relationship(named: name) != nil { continue }
            // Links that were made here are held back from what comes, and go as they came.
            for origin in origin == .local ? [.local] : [origin, .local] {
                if try transaction.related(present.id, name).isEmpty { break }
                var changes = ChangeSet(origin: origin)
                changes.setLinks(present.id, name, to: [])
                try transaction.apply(changes)
            }
        }
    }

    /// Connects a record that is not to be changed otherwise with the owner that lists it.
    private func connectOwner(_ filling: Filling, of present: Record) throws {
        guard let owner = filling.owner, !isDraft(present) else { return }
        var record = present
        name(owner, in: &record, isNew: false)
        if record != present { try transaction.put(record, origin: origin) }
    }

    /// Names the owner in a record, as far as operations allow for that.
    private func name(_ owner: Filling.Owner, in record: inout Record, isNew: Bool) {
        guard let slot = record.shape.slot(named: owner.slot) else { return }
        let current = record.values[slot]
        if current != owner.key {
            guard owner.isParent || isNew || (current.isNull ? mayConnect : allows(.updateRelationships)) else {
                return
            }
            record.values[slot] = owner.key
            if let slot = owner.positionSlot { record[slot] = .null }
        }
        stay(record, at: owner.slot, with: owner.key)
        outdate(owner.slot, of: RecordID(record.shape.root, record.key))
        if let place = owner.place, let slot = owner.positionSlot { record[slot] = .integer(Int64(place)) }
    }
}

extension Filling {
    /// What has to be allowed for the record to take over what the object says.
    fileprivate func operation(isNew: Bool) -> SyncOperations {
        if isNested { return isNew ? .insertRelationships : .updateRelationships }
        return isNew ? .insert : .update
    }
}

extension EntityMap {
    /// Whether a new record has all that is mandatory once it has taken over what an object says.
    func isCompleted(by object: ValueObject) -> Bool {
        let plan = plan(for: object)
        return mandatorySlots.allSatisfy { slot in
            if !defaults[slot].isNull { return true }
            guard let (member, attribute) = plan.attributes.first(where: { $0.attribute.slot == slot }) else {
                return false
            }
            return attribute.converted(object.values[member]).map { !$0.isNull } ?? false
        }
    }

    /// A record with the values that attributes have by default.
    fileprivate func emptied(_ record: Record) -> Record {
        var record = record
        for attribute in attributes where !shape.keySlots.contains(attribute.slot) {
            record.values[attribute.slot] = defaults[attribute.slot]
        }
        return record
    }

    /// A new record with nothing but its key and what records have by default.
    fileprivate func newRecord(_ filling: Filling) -> Record {
        // Made anew, as a copy would count the references of what is replaced; and of a collection, for which there is
        // code for these elements.
        var values = Array(repeatElement(Value.null, count: shape.slots.count))
        for slot in defaultSlots { values[slot] = defaults[slot] }
        if keyParts.count == 1 {
            values[attributes[keyParts[0]].slot] = filling.key
        } else if case .array(let parts) = filling.key {
            for (part, value) in zip(keyParts, parts) { values[attributes[part].slot] = value }
        }
        var record = Record(shape, slots: values)
        if !isKeyPrimary, let key = filling.storedKey { record[Schema.implicitKey] = key }
        return record
    }

    /// A record in the place of one of another entity, with what both have.
    fileprivate func record(from other: Record) -> Record {
        var record = Record(shape, slots: defaults)
        for (position, slot) in shape.slots.enumerated() {
            guard let known = other.shape.slot(named: slot.name), other.shape.slots[known].declaredBy == slot.declaredBy
            else { continue }
            record.values[position] = other.values[known]
        }
        return record
    }
}
