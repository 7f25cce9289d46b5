import SyncPersistence

extension SyncRun {
    /// The record of the entity that a key tells apart, in whatever form the key is given; nil if there is none.
    func fetch(_ key: Value) throws -> Record? {
        let map = try mapping.map(of: request.entity)
        guard let key = try key.key(of: map) else { return nil }
        if map.isKeyPrimary { return try transaction.record(RecordID(map.shape.name, key)) }
        return try transaction.records(Query(map.shape.name, where: map.filter(key: key), limit: 1)).first
    }

    /// Stores an object: as a new record, or in the record that has its key.
    func insertOrUpdate(_ json: Value) throws -> Record? {
        try requireRecords()
        let map = try mapping.map(of: request.entity)
        guard let given = try single(json, of: map), let object = given.object else {
            throw SyncError(.noKey, "one object is to be stored, and \(json.finding) was given")
        }
        let objectMap = try mapping.map(of: object, declaredAs: map) ?? map
        let surroundings = objectMap.usesSurroundings ? Surroundings() : nil
        guard case .key(let key) = try key(of: object, objectMap, surroundings, at: given.place) else {
            let names = map.keyParts.map { "'\(map.attributes[$0].definition.name)'" }.joined(separator: ", ")
            throw SyncError(
                .noKey, "the object has no value of the primary key, \(names) of '\(map.shape.name)': give it one")
        }
        let stored = try storedKey(objectMap, key)
        let filling = Filling(object: object, map: map, key: key, place: given.place, isNested: false)
        filling.surroundings = surroundings
        if stored != key { filling.storedKey = stored }
        return try settle([filling] + given.included, map, stored)
    }

    /// A record that is there takes over what an object says; nil if it is not there.
    func update(_ key: Value, with json: Value) throws -> Record? {
        try requireRecords()
        guard let record = try fetch(key) else { return nil }
        let map = try mapping.map(of: record.entity)
        guard let given = try single(json, of: map), let object = given.object else {
            throw SyncError(.noKey, "an object is to be taken over, and \(json.finding) was given")
        }
        var stored = record.key
        if map.isKeyPrimary, case .key(let new) = try self.key(of: object, map, over: record, at: given.place),
            new != stored
        {
            stored = try transaction.changeKey(of: record.id, to: new, origin: origin).key
            try renameChildren(of: record, to: new)
        }
        for case (let part, let member?) in zip(map.keyParts, map.plan(for: object).keyMembers)
        where object.values[member].isNull {
            try report(
                SyncReport(
                    .missingValue, at: given.place.member(object.names[member]).path, of: record.id,
                    map.attributes[part].definition.name, expected: "a value, as it is the primary key", found: "null"))
        }
        let filling = Filling(
            object: object, map: map, key: stored, storedKey: stored, place: given.place, isNested: false)
        return try settle([filling] + given.included, map, stored)
    }

    func settle(_ fillings: [Filling], _ map: EntityMap, _ key: Value) throws -> Record? {
        beginMergingEdits()
        for filling in fillings { try process(filling) }
        try finish(departing: [])
        return try transaction.record(RecordID(map.shape.root, key))
    }
}

extension Value {
    /// The key as an entity has it; nil if no record has such a one.
    func key(of map: EntityMap) throws -> Value? {
        guard map.hasKey else {
            throw SyncError(.noPrimaryKey, "'\(map.shape.name)' has no primary key to find records by")
        }
        var values = [self]
        if map.keyParts.count > 1 {
            guard case .array(let parts) = self else { return nil }
            values = parts
        }
        guard values.count == map.keyParts.count else { return nil }
        let parts: [Value] = zip(map.keyParts, values).map { part, value in
            let attribute = map.attributes[part]
            if case .bool = value, attribute.type != .bool, attribute.transformer == nil { return .null }
            return attribute.converted(value) ?? attribute.type.converted(value) ?? .null
        }
        return parts.contains { $0.isNull } ? .none : .some(map.key(of: parts))
    }
}
