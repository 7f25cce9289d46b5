import SyncPersistence

extension SyncRun {
    /// Processes an object and those nested in it.
    ///
    /// - Returns: Whether the entity of the object can be determined.
    @discardableResult
    func process(_ filling: Filling) throws -> Bool {
        var isUsable = true
        var next: SyncTask? = .fill(filling)
        while let task = next {
            taskCount += 1
            if taskCount % 1_000 == 0 { try cancellation.check() }
            switch task {
            case .fill(let filling):
                let hasEntity = try fill(filling)
                if !filling.isNested { isUsable = hasEntity }
            case .connect(let connection): try settlement.connect(connection)
            }
            next = tasks.popLast()
        }
        return isUsable
    }

    /// Stores the record of an object, and adds the tasks for its relationships.
    ///
    /// - Returns: Whether the entity of the object can be determined.
    private func fill(_ filling: Filling) throws -> Bool {
        let key = filling.storedKey ?? filling.key
        if !filling.map.isKnownToKeepRecords {
            try requireRecords(of: filling.map.shape.name)
            filling.map.isKnownToKeepRecords = true
        }
        if try mapping.saysDeleted(filling.object, declaredAs: filling.map) {
            addDeletion(key, filling.map, at: filling.place, isNested: filling.isNested)
            return true
        }
        footprint.specify(filling.map.token(of: key))
        let present = try records.record(filling.map, key)
        if present == nil { try records.settleDeletion(of: key, filling.map) }
        guard
            var map = try mapper.entity(
                of: filling.object, declaredAs: filling.map, isStored: present != nil, at: filling.place)
        else {
            if let present { try connectOwner(filling, of: present) }
            return false
        }
        if let present, present.shape !== map.shape, !present.shape.inherits(filling.map.shape.name),
            mapping.isSilent(filling.object, declaredAs: filling.map)
        {
            try reports.add(
                SyncReport(
                    .wrongEntity, at: filling.place.path, expected: "a key that no record of another entity has",
                    found: "that of '\(present.id)'"))
            return false
        }
        let isNew = present.map { records.isDraft($0) } ?? true
        guard allows(filling.operation(isNew: isNew)) else {
            if let present { try connectOwner(filling, of: present) }
            return true
        }
        if let present, map.shape != present.shape, mapping.isSilent(filling.object, declaredAs: filling.map) {
            map = try mapping.map(of: present.shape.name)
        }
        var object = filling.object
        if present == nil, let willInsert = request.options.willInsert {
            object = try willInsert(
                mapper.completed(object, map, filling.surroundings), map.shape.name, filling.parent)
        }
        var record =
            present.map { $0.shape == map.shape ? $0 : map.record(from: $0) }
            ?? map.newRecord(filling.key, storedKey: filling.storedKey)
        if filling.isWhole, present != nil { record = map.emptied(record) }
        let plan = map.plan(for: object)
        try mapper.fillAttributes(of: &record, from: object, map, plan, filling.place)
        if let surroundings = filling.surroundings {
            try mapper.fillSources(of: &record, from: object, map, plan, surroundings, filling.place)
        }
        var next: [SyncTask] = []
        var links = map.links(of: object, plan, filling.place)
        if filling.isWhole, present != nil { links += filling.missingLinks(besides: links, map) }
        try pendingLinks.beginObject()
        // A record that is kept as a local change has links, although it is new for the remote.
        let isBare = try isNew && !records.existsLocally(map, key)
        for link in links {
            guard let seed = link.relationship.membershipSeed else { continue }
            footprint.specify(relationship: key.digest(seed: seed), isNew: isBare)
        }
        for link in links where !link.relationship.definition.isToMany {
            try linkReader.connectOne(link, of: &record, filling, isBare: isBare, &next)
        }
        if let owner = filling.owner { name(owner, in: &record, isNew: isNew) }
        let earlier = statements.add(plan, ownerSlot: filling.owner?.slot, of: filling.map.token(of: key))
        if let earlier, let present {
            try reports.addContradictions(
                to: earlier, present, record, map, plan, ownerSlot: filling.owner?.slot, at: filling.place)
        }
        if present == nil { try edits.complete(&record, map) }
        try records.store(record, present: present, map, filling.place)
        try edits.add(record, isKnown: present != nil, map, plan, ownerSlot: filling.owner?.slot)
        if !links.isEmpty {
            let isStored = try !records.isDraft(record) && !records.isDeletedLocally(map, record.key)
            for link in links where link.relationship.definition.isToMany {
                try linkReader.connectMany(link, of: record, filling, isBare: isBare, isStored: isStored, &next)
            }
            tasks.append(contentsOf: next.reversed())
        }
        try pendingLinks.endObject(record, key, map, inverse: filling.inverse, isNew: present == nil)
        return true
    }

    /// Connects a record with the owner that lists it, and changes nothing else.
    private func connectOwner(_ filling: Filling, of present: Record) throws {
        guard let owner = filling.owner, !records.isDraft(present) else { return }
        var record = present
        name(owner, in: &record, isNew: false)
        if record != present { try transaction.put(record, origin: origin) }
    }

    /// Stores the owner's key in a record, if the operations allow that.
    private func name(_ owner: Filling.Owner, in record: inout Record, isNew: Bool) {
        guard let slot = record.shape.slot(named: owner.slot) else { return }
        let current = record.values[slot]
        if current != owner.key {
            guard owner.isParent || isNew || operations.mayReplace(current) else {
                return
            }
            record.values[slot] = owner.key
            if let slot = owner.positionSlot { record[slot] = .null }
        }
        settlement.keep(record, at: owner.slot, of: owner.key)
        settlement.supersede(owner.slot, of: record)
        if let place = owner.place, let slot = owner.positionSlot { record[slot] = .integer(Int64(place)) }
    }
}

extension Filling {
    /// Returns null for the relationships that an element of a replaced list does not state.
    fileprivate func missingLinks(besides links: [LinkStatement], _ map: EntityMap) -> [LinkStatement] {
        let stated = Set(links.map(\.relationship.name))
        return map.relationships.filter { !stated.contains($0.name) && $0.name != inverse }.map {
            LinkStatement(relationship: $0, objects: (.null, place))
        }
    }

    /// Returns the operation that stores the object.
    fileprivate func operation(isNew: Bool) -> SyncOperations {
        if isNested { return isNew ? .insertRelationships : .updateRelationships }
        return isNew ? .insert : .update
    }
}
