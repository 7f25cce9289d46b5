import SyncPersistence

/// Stores the records of objects, each with those nested in it: attributes first, then relationships.
///
/// What can only be done once all objects have been processed is left to ``LinkSettlement``, ``LocalEdits`` and
/// ``RecordDeleter``.
final class ObjectProcessor {
    /// The transaction that stores the records.
    let transaction: any PayloadStore
    /// The options of the call; the allowed operations may differ for each list.
    let options: SyncOptions
    /// The maps of all entities.
    let mapping: Mapping
    /// The reader of keys and attributes.
    let mapper: ObjectMapper
    /// Receives values and keys that cannot be stored.
    let reports: SyncReports
    /// Ends the sync when its task is cancelled.
    private let cancellation: Cancellation

    /// The changes that may be made for the current list.
    var operations = SyncOperations.all

    /// The stored records and the drafts.
    let records: SyncRecords
    /// The local changes of the records.
    let edits: LocalEdits
    /// The links that wait for records of a later payload.
    let pendingLinks: PendingLinks
    /// The connections between the records of the payload.
    let settlement: LinkSettlement

    /// Finds and makes the records of objects without a key.
    private(set) lazy var objectParts = ObjectParts(self)
    /// Reads what objects state about relationships.
    private(set) lazy var linkReader = LinkReader(self)

    /// The remaining tasks of the current object; the last element is processed next.
    private var tasks: [SyncTask] = []
    /// The number of tasks of all objects so far, and of values that were searched for records.
    private var taskCount = 0

    /// The tokens that the objects specify, and that the sync writes.
    let footprint = SyncFootprint()

    /// The statements about each record, to find contradictions.
    private var statements = PayloadStatements()

    /// The records that the payload states to be deleted, in its order.
    private(set) var deletions: [StatedDeletion] = []

    init(
        _ options: SyncOptions, in transaction: any PayloadStore, _ reports: SyncReports, _ cancellation: Cancellation
    ) {
        self.options = options
        (self.transaction, self.reports, self.cancellation) = (transaction, reports, cancellation)
        mapping = Mapping(transaction.schema, options)
        mapper = ObjectMapper(mapping: mapping, reports: reports)
        records = SyncRecords(in: transaction, mapping, origin: options.origin)
        edits = LocalEdits(of: records, options.conflictPolicy)
        pendingLinks = PendingLinks(of: records)
        settlement = LinkSettlement(of: records, edits, pendingLinks, reports, options)
    }

    /// Whose changes the transaction stores: the remote's, or local ones of an app that imports a payload.
    var origin: ChangeSet.Origin { options.origin }

    /// Whether some operations are allowed for the list that is processed.
    func allows(_ operations: SyncOperations) -> Bool { self.operations.contains(operations) }

    /// Throws if an entity stores the elements of a collection.
    ///
    /// Otherwise marks it, so that no collection uses it.
    func requireRecords(of entity: String) throws {
        if try transaction.keepsElements(entity) {
            throw SyncError(
                .collection,
                "'\(entity)' keeps the elements of a collection, whose JSON only their type knows: sync into an "
                    + "entity of the schema")
        }
        try transaction.markForJSON(entity)
    }

    /// Releases the statements about each record; no object may follow.
    func forgetStatements() { statements = PayloadStatements() }
}

extension ObjectProcessor {
    /// Processes an object and those nested in it.
    ///
    /// - Returns: Whether the entity of the object can be determined.
    @discardableResult
    func process(_ source: PayloadObject) throws -> Bool {
        var isUsable = true
        var next: SyncTask? = .fill(source)
        while let task = next {
            try countTask()
            switch task {
            case .fill(let source):
                let hasEntity = try fill(source)
                if !hasEntity { try specifyRecords(nestedIn: source.object, source.map) }
                if !source.isNested { isUsable = hasEntity }
            case .connect(let connection): try settlement.connect(connection)
            }
            next = tasks.popLast()
        }
        return isUsable
    }

    /// Counts a task, and throws at every thousandth if the sync was cancelled.
    func countTask() throws {
        taskCount += 1
        if taskCount % 1_000 == 0 { try cancellation.check() }
    }

    /// Stores the record of an object, and adds the tasks for its relationships.
    ///
    /// - Returns: Whether the entity of the object can be determined.
    private func fill(_ source: PayloadObject) throws -> Bool {
        let key = source.storedKey ?? source.key
        if !source.map.isKnownToKeepRecords {
            try requireRecords(of: source.map.shape.name)
            source.map.isKnownToKeepRecords = true
        }
        if try mapping.saysDeleted(source.object, declaredAs: source.map) {
            addDeletion(key, source.map, at: source.place, isNested: source.isNested)
            return true
        }
        footprint.specify(source.map.token(of: key))
        let present = try records.record(source.map, key)
        if present == nil { try records.settleDeletion(of: key, source.map) }
        guard
            var map = try mapper.entity(
                of: source.object, declaredAs: source.map, isStored: present != nil, at: source.place)
        else {
            if let present { try connectOwner(source, of: present) }
            return false
        }
        if let present, present.shape !== map.shape, !present.shape.inherits(source.map.shape.name),
            mapping.isSilent(source.object, declaredAs: source.map)
        {
            try reports.add(
                .wrongEntity, at: source.place, expected: "a key that no record of another entity has",
                found: "that of '\(present.id)'")
            return false
        }
        if let present, let name = try records.requiredOwnership(of: present, asEntityOf: map),
            !mapping.isSilent(source.object, declaredAs: source.map)
        {
            try reports.add(
                .wrongEntity, at: source.place, of: present.id,
                expected: "an entity with '\(name)', as its members there must have an owner",
                found: "'\(map.shape.name)', so the record is not changed")
            try connectOwner(source, of: present)
            return false
        }
        let former = try present ?? records.recordKeptByDependents(map, key)
        let isNew = present.map { records.isDraft($0) } ?? true
        guard allows(source.operation(isNew: isNew)) else {
            if let present { try connectOwner(source, of: present) }
            return true
        }
        if let present, map.shape != present.shape, mapping.isSilent(source.object, declaredAs: source.map) {
            map = try mapping.map(of: present.shape.name)
        }
        var object = source.object
        if former == nil, let willInsert = options.willInsert {
            object = try willInsert(
                mapper.completed(object, map, source.surroundings), map.shape.name, source.parent)
        }
        var record =
            former.map { $0.shape == map.shape ? $0 : map.record(from: $0) }
            ?? map.newRecord(source.key, storedKey: source.storedKey)
        if source.isWhole, former != nil { record = map.emptied(record) }
        // The values that identify a record without a primary key may change.
        if !map.isKeyPrimary, former != nil { map.setKey(of: &record, to: source.key) }
        let plan = map.plan(for: object)
        try mapper.fillAttributes(of: &record, from: object, map, plan, source.place)
        if let surroundings = source.surroundings {
            try mapper.fillSources(of: &record, from: object, map, plan, surroundings, source.place)
        }
        var next: [SyncTask] = []
        var links = map.links(of: object, plan, source.place)
        if source.isWhole, former != nil { links += source.missingLinks(besides: links, map) }
        try pendingLinks.beginObject()
        // A record that is kept as a local change has links, although it is new for the remote.
        let isUnlinked = try isNew && !records.existsLocally(map, key)
        for link in links {
            guard let seed = link.relationship.membershipSeed else { continue }
            footprint.specify(relationship: key.digest(seed: seed), isNew: isUnlinked)
        }
        for link in links where !link.relationship.definition.isToMany {
            try linkReader.connectOne(link, of: &record, source, isUnlinked: isUnlinked, &next)
        }
        if let owner = source.owner { name(owner, in: &record, isNew: isNew) }
        let token = source.map.token(of: key)
        if let present,
            let earlier = statements.latest(
                of: token, changedAt: try transaction.changeIndex(of: key, in: source.map.shape))
        {
            try reports.addContradictions(
                to: earlier, present, record, map, plan, ownerSlot: source.owner?.slot, at: source.place)
        }
        if present == nil { try edits.complete(&record, map) }
        try records.store(record, present: present, map, source.place)
        statements.add(
            plan, ownerSlot: source.owner?.slot, of: token,
            changedAt: try transaction.changeIndex(of: key, in: source.map.shape))
        try edits.add(record, isKnown: present != nil, from: object, map, plan, source)
        if !links.isEmpty {
            let isStored = try !records.isDraft(record) && !records.isDeletedLocally(map, record.key)
            for link in links where link.relationship.definition.isToMany {
                try linkReader.connectMany(link, of: record, source, isUnlinked: isUnlinked, isStored: isStored, &next)
            }
            tasks.append(contentsOf: next.reversed())
        }
        try pendingLinks.endObject(record, key, map, inverse: source.inverse, isNew: present == nil)
        return true
    }

    /// Connects a record with the owner that lists it, and changes nothing else.
    private func connectOwner(_ source: PayloadObject, of present: Record) throws {
        guard let owner = source.owner, !records.isDraft(present) else { return }
        var record = present
        name(owner, in: &record, isNew: false)
        if record != present { try transaction.put(record, origin: origin) }
    }

    /// Stores the owner's key in a record, if the operations allow that.
    private func name(_ owner: PayloadObject.Owner, in record: inout Record, isNew: Bool) {
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

extension ObjectProcessor {
    /// Adds the record of an object that states its deletion.
    func addDeletion(
        of object: ValueObject, _ map: EntityMap, _ surroundings: Surroundings?, at place: Place, isNested: Bool
    ) throws {
        let objectMap = try mapping.map(of: object, declaredAs: map) ?? map
        switch try mapper.key(of: object, objectMap, surroundings, at: place) {
        case .key(let key):
            if let stored = try records.implicitKeys.primaryKey(objectMap, of: key) {
                addDeletion(stored, map, at: place, isNested: isNested)
            }
        case .absent: try reports.addMissingKey(objectMap, at: place)
        case .invalid: return
        }
    }

    /// Adds a record that the payload states to be deleted, if the operations allow that.
    func addDeletion(_ key: Value, _ map: EntityMap, at place: Place, isNested: Bool) {
        guard allows(isNested ? .deleteRelationships : .delete) else { return }
        deletions.append(StatedDeletion(map: map, key: key, place: place))
        // Otherwise, a later object that names the record could be skipped.
        footprint.write(map.token(of: key))
    }
}

extension PayloadObject {
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
