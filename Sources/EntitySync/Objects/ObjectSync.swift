import SyncPersistence

/// The sync of single objects, which are not part of a list.
///
/// An object is stored with the objects nested in it. Other records are left alone, because no list states that they
/// were deleted.
struct ObjectSync {
    /// The name of the entity; an object may be of one that inherits from it.
    private let entity: String
    /// The sync that the objects are part of.
    private let run: SyncRun
    private var transaction: any PayloadStore { run.transaction }
    private var mapping: Mapping { run.mapping }
    private var processor: ObjectProcessor { run.processor }

    /// Creates the sync of objects of an entity within a run.
    init(of entity: String, in run: SyncRun) { (self.entity, self.run) = (entity, run) }

    /// Stores an object as a new record, or updates the existing record with its key.
    func insertOrUpdate(_ json: Value) throws -> Record? {
        try requireRecords()
        let map = try mapping.map(of: entity)
        guard let given = try run.reader.single(json, of: map), let object = given.object else {
            throw SyncError(.noKey, "one object is to be stored, and \(json.finding) was given")
        }
        let objectMap = try mapping.map(of: object, declaredAs: map) ?? map
        let surroundings = objectMap.usesSurroundings ? Surroundings() : nil
        guard case .key(let key) = try run.mapper.key(of: object, objectMap, surroundings, at: given.place) else {
            throw SyncError(
                .noKey,
                "the object has no value of the primary key, \(map.keyNames) of '\(map.shape.name)': give it one")
        }
        let stored = try processor.records.implicitKeys.storedKey(objectMap, key)
        let source = PayloadObject(
            object: object, map: map, key: key, storedKey: stored, place: given.place, isNested: false)
        source.surroundings = surroundings
        return try process([source] + objects(given.included), map, stored)
    }

    /// Updates an existing record from an object; returns nil if there is none.
    func update(_ key: Value, with json: Value) throws -> Record? {
        try requireRecords()
        guard let record = try transaction.fetch(key, mapping.map(of: entity)) else { return nil }
        let map = try mapping.map(of: record.entity)
        guard let given = try run.reader.single(json, of: map), let object = given.object else {
            throw SyncError(.noKey, "an object is to be taken over, and \(json.finding) was given")
        }
        var stored = record.key
        if map.isKeyPrimary, case .key(let new) = try run.mapper.key(of: object, map, over: record, at: given.place),
            new != stored
        {
            stored = try transaction.changeKey(of: record.id, to: new, origin: run.origin, merging: nil, since: nil).key
            try transaction.renameChildren(of: record, to: new, mapping, run.origin)
        }
        for case (let part, let member?) in zip(map.keyParts, map.plan(for: object).keyMembers)
        where object.values[member].isNull {
            try run.reports.add(
                .missingValue, at: given.place.member(object.names[member]), of: record.id,
                map.attributes[part].definition.name, expected: "a value, as it is the primary key", found: "null")
        }
        let new = try identifyingKey(of: object, stored, map, at: given.place)
        if !map.isKeyPrimary, let other = try processor.records.implicitKeys.primaryKey(map, of: new), other != stored {
            throw PersistenceError(
                .mismatch, "another record has the \(map.keyNames) \(new): delete one of them first", id: record.id)
        }
        let source = PayloadObject(
            object: object, map: map, key: new, storedKey: stored, place: given.place, isNested: false)
        return try process([source] + objects(given.included), map, stored)
    }

    /// Returns the key that identifies a stored record once an object has updated it.
    ///
    /// - Parameter key: The primary key of the record.
    func identifyingKey(of object: ValueObject, _ key: Value, _ map: EntityMap, at place: Place) throws -> Value {
        let id = RecordID(map.shape.root, key)
        guard !map.isKeyPrimary, let record = try run.records.record(id) ?? transaction.record(id) else { return key }
        if case .key(let new) = try run.mapper.key(of: object, map, over: record, at: place) { return new }
        return map.identifyingKey(of: record)
    }

    /// Deletes the record with a key, as a payload that states the deletion does.
    func delete(_ key: Value) throws {
        let map = try mapping.map(of: entity)
        guard let key = try key.key(of: map), let stored = try run.records.implicitKeys.primaryKey(map, of: key) else {
            return
        }
        processor.edits.beginMerging()
        processor.addDeletion(stored, map, at: .root, isNested: false)
        try run.finish(deleting: [])
    }

    /// Processes objects that are not part of a list; returns the record with a key.
    func process(_ sources: [PayloadObject], _ map: EntityMap, _ key: Value) throws -> Record? {
        processor.edits.beginMerging()
        for source in sources { try processor.process(source) }
        try run.finish(deleting: [])
        return try transaction.record(RecordID(map.shape.root, key))
    }

    /// Returns the included objects that have a key.
    func objects(_ included: [(value: Value, place: Place, map: EntityMap)]) throws -> [PayloadObject] {
        try included.compactMap { value, place, map in
            let keys = ElementKeys(map: map, mapper: run.mapper, parent: nil)
            guard case .object(let object) = value, case .key(let key) = try keys.key(of: value, named: nil, at: place)
            else { return nil }
            let stored = try processor.records.implicitKeys.storedKey(map, key)
            let source = PayloadObject(
                object: object, map: map, key: key, storedKey: stored, place: place, isNested: false)
            source.surroundings = keys.surroundings(named: nil, nil)
            return source
        }
    }

    /// Checks the options, and that the entity stores records.
    func requireRecords() throws {
        try mapping.requireOptions()
        try processor.requireRecords(of: entity)
    }
}

extension ReadTransaction {
    /// Returns the record with a key, in any form that a remote uses for the key; nil if there is none.
    func fetch(_ key: Value, _ map: EntityMap) throws -> Record? {
        guard let key = try key.key(of: map) else { return nil }
        if map.isKeyPrimary { return try record(RecordID(map.shape.name, key)) }
        return try records(Query(map.shape.name, where: map.filter(key: key), limit: 1)).first
    }
}
