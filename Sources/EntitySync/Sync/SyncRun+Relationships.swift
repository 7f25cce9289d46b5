import DifferentialSync
import SyncPersistence

/// What an object says of one relationship.
struct LinkStatement {
    let relationship: RelationshipMap
    /// What stands under a name for objects.
    var objects: (json: Value, place: Place)?
    /// Whether keys may stand there too.
    var objectsMayBeKeys = true
    /// Whether those that are not listed stay members.
    var isPartial = false
    /// What stands under a name for keys.
    var ids: (json: Value, place: Place)?
}

extension SyncRun {
    /// What an object says of relationships, in the order of the schema.
    func links(of object: ValueObject, _ map: EntityMap, _ plan: Plan, _ place: Place) -> [LinkStatement] {
        if map.relationships.isEmpty { return [] }
        var statements: [LinkStatement] = []
        for members in plan.relationships {
            let relationship = map.relationships[members.relationship]
            statements.append(
                LinkStatement(
                    relationship: relationship,
                    objects: members.objects.map { (object.values[$0], place.member(object.names[$0])) },
                    objectsMayBeKeys: members.objectsMayBeKeys,
                    isPartial: relationship.isPartial(in: object),
                    ids: members.ids.map { (object.values[$0], place.member(object.names[$0])) }))
        }
        if plan.paths.isEmpty { return statements }
        for relationship in map.relationships {
            guard let path = relationship.path else { continue }
            let found = Value.object(object).located(at: path)
            guard var json = found.content else { continue }
            if path.listDepth != nil, case .array(let elements) = json {
                json = .array(elements.map { $0.inner(at: found.inner) })
            }
            let place = found.steps.reduce(place) { $0.member($1) }.list(inner: found.inner)
            statements.removeAll { $0.relationship.name == relationship.name }
            statements.append(
                LinkStatement(
                    relationship: relationship, objects: (json, place), isPartial: relationship.isPartial(in: object)))
        }
        return statements
    }

    /// What an object says of a relationship that leads to one record.
    func connectOne(
        _ link: LinkStatement, of record: inout Record, _ filling: Filling, isBare: Bool, _ next: inout [SyncTask]
    ) throws {
        let relationship = link.relationship
        let destination = try mapping.destination(of: relationship)
        let isInverse = relationship.name == filling.inverse
        let owner = isInverse ? filling.parent?.key : nil
        if let (json, place) = link.objects {
            switch json {
            case .null:
                if !isInverse, link.ids.map({ $0.json.isNull }) ?? true {
                    return try disconnect(
                        relationship, of: &record, isByKey: false, isBare: isBare, place, &next)
                }
            case .object(let object) where try mapping.saysDeleted(object, declaredAs: destination):
                let surroundings = destination.surroundings(nil, in: record, relationship)
                try addDeletion(of: object, destination, surroundings, at: place, isNested: true)
                if isInverse { return }
                return try disconnect(relationship, of: &record, isByKey: true, isBare: isBare, place, &next)
            case let json where destination.takes(json):
                return try connectOne(json, link, of: &record, owner, isBare: isBare, place, &next)
            case .array where !link.objectsMayBeKeys || destination.keyParts.count < 2,
                _ where !link.objectsMayBeKeys:
                try report(
                    SyncReport(
                        .wrongShape, at: place.path, of: record.id, relationship.name,
                        expected: link.objectsMayBeKeys
                            ? "an object, a key or null"
                            : "an object or null; a key stands under '\(relationship.idName)'",
                        found: json.finding))
                if link.ids == nil { return }
            default:
                return try connectOne(
                    relationship, of: &record, named: json, destination, owner, isBare: isBare, place, &next)
            }
        }
        guard let (json, place) = link.ids else { return }
        if json.isNull {
            if !isInverse {
                try disconnect(relationship, of: &record, isByKey: true, isBare: isBare, place, &next)
            }
            return
        }
        try connectOne(relationship, of: &record, named: json, destination, owner, isBare: isBare, place, &next)
    }

    /// Connects a record with that of an object, or of a value in the place of one.
    private func connectOne(
        _ json: Value, _ link: LinkStatement, of record: inout Record, _ owner: Value?, isBare: Bool, _ place: Place,
        _ next: inout [SyncTask]
    ) throws {
        let relationship = link.relationship
        let destination = try mapping.destination(of: relationship)
        let current = try linked(relationship, of: record, isBare: isBare)
        guard let target = try target(json, relationship, destination, current, record, place) else { return }
        let key = target.storedKey ?? target.key
        if let (named, place) = link.ids, !named.isNull,
            let other = try mapper.key(named, namedIn: relationship, destination, of: record, at: place),
            other != target.key
        {
            try report(
                SyncReport(
                    .contradiction, at: place.path, of: record.id, relationship.name,
                    expected: "the key of the object that stands here as well, \(target.key)",
                    found: other.finding))
        }
        if let owner, owner != key { return try contradict(owner, relationship, record, place, key) }
        next.append(.fill(target))
        if owner != nil { return }
        if current != key { try noteDeparture(of: current, from: record, relationship, isByKey: false, place) }
        try connect(relationship, of: &record, to: key, by: target, place, &next)
    }

    /// Connects a record with one that is named by its key.
    private func connectOne(
        _ relationship: RelationshipMap, of record: inout Record, named json: Value, _ destination: EntityMap,
        _ owner: Value?, isBare: Bool, _ place: Place, _ next: inout [SyncTask]
    ) throws {
        if json.isObject || json.isArray && destination.keyParts.count < 2 {
            return try report(
                SyncReport(
                    .wrongShape, at: place.path, of: record.id, relationship.name, expected: "a key or null",
                    found: json.finding))
        }
        guard let key = try mapper.key(json, namedIn: relationship, destination, of: record, at: place) else { return }
        if let owner {
            if owner != key { try contradict(owner, relationship, record, place, key) }
            return
        }
        let current = try linked(relationship, of: record, isBare: isBare)
        if current.isPartKey { try noteDeparture(of: current, from: record, relationship, isByKey: true, place) }
        try connect(relationship, of: &record, to: key, by: nil, place, &next)
    }

    private func contradict(
        _ owner: Value, _ relationship: RelationshipMap, _ record: Record, _ place: Place, _ key: Value
    ) throws {
        try report(
            SyncReport(
                .contradiction, at: place.path, of: record.id, relationship.name,
                expected: "the object in which this one stands, with the key \(owner)", found: key.finding))
    }

    /// Connects a record with another, now if that is kept in the record itself, or when it has been stored.
    private func connect(
        _ relationship: RelationshipMap, of record: inout Record, to key: Value, by object: Filling?, _ place: Place,
        _ next: inout [SyncTask]
    ) throws {
        if allows(.updateRelationships) { say(relationship.name, of: record) }
        let connection = Connection(of: record, relationship, to: [key], isByKey: object == nil, at: place)
        guard case .reference(let slot, _, _) = relationship.storage else { return next.append(.connect(connection)) }
        let map = try mapping.destination(of: relationship)
        var target: Value? = key
        if let object {
            if try isGone(map, key) { return }
            // The object is next; whether it can be stored is seen then, unless that is sure.
            if try !isSure(object, map) { return next.append(.connect(connection)) }
        } else {
            target = try named(key, map)
        }
        guard let target else { return putOff(connection) }
        let current = record[slot]
        guard current == target || (current.isNull ? mayConnect : allows(.updateRelationships)) else { return }
        try claim(target, for: record, relationship, at: place)
        record[slot] = target
        stay(record, at: slot, with: target)
    }

    /// Whether an object that is filled in next is sure to be a record then to which a relationship can lead.
    private func isSure(_ object: Filling, _ destination: EntityMap) throws -> Bool {
        if let present = try record(destination, object.storedKey ?? object.key) {
            return !isDraft(present) && present.shape.inherits(destination.shape.name)
        }
        guard allows(.insertRelationships), let map = try mapping.map(of: object.object, declaredAs: destination),
            !map.shape.isAbstract
        else { return false }
        return map.mandatorySlots.isEmpty || request.options.willInsert == nil && map.isCompleted(by: object.object)
    }

    /// The primary key of a stored record that is named by a key; nil if there is none.
    func named(_ key: Value, _ map: EntityMap) throws -> Value? {
        if map.isKeyPrimary {
            guard let record = try record(map, key), !isDraft(record), record.shape.inherits(map.shape.name) else {
                return nil
            }
            return try isGone(map, key) ? .none : .some(key)
        }
        return try transaction.records(Query(map.shape.name, where: map.filter(key: key), limit: 1)).first?.key
    }

    private func disconnect(
        _ relationship: RelationshipMap, of record: inout Record, isByKey: Bool, isBare: Bool, _ place: Place,
        _ next: inout [SyncTask]
    ) throws {
        guard allows(.deleteRelationships) else { return }
        say(relationship.name, of: record)
        for key in try [linked(relationship, of: record, isBare: isBare)] + withdrawn(relationship, of: record) {
            try noteDeparture(of: key, from: record, relationship, isByKey: isByKey, place)
        }
        guard case .reference(let slot, _, _) = relationship.storage else {
            if isBare { return }
            return next.append(
                .connect(Connection(of: record, relationship, to: [], isByKey: isByKey, at: place)))
        }
        if record[slot].isNull { return }
        if relationship.definition.isOptional {
            record[slot] = .null
        } else {
            try report(
                SyncReport(
                    .missingValue, at: place.path, of: record.id, relationship.name,
                    expected: "a record, as the relationship is mandatory", found: "null"))
        }
    }

    /// The key of the record that a relationship leads to now.
    func linked(_ relationship: RelationshipMap, of record: Record, isBare: Bool) throws -> Value {
        if case .reference(let slot, _, _) = relationship.storage { return record[slot] }
        return try isBare ? .null : related(record.id, relationship.name).first ?? .null
    }

    /// What is to be filled with an object that stands in another; nil if it cannot be told apart.
    private func target(
        _ json: Value, _ relationship: RelationshipMap, _ declared: EntityMap, _ current: Value, _ owner: Record,
        _ place: Place
    ) throws -> Filling? {
        guard let (object, element) = declared.object(for: json) else { return nil }
        let map = try mapping.map(of: object, declaredAs: declared) ?? declared
        let surroundings = map.surroundings(element, in: owner, relationship)
        if map.hasKey {
            switch try mapper.key(of: object, map, surroundings, at: place) {
            case .key(let key):
                let filling = Filling(
                    object: object, map: declared, key: key, place: place, isNested: true,
                    inverse: relationship.definition.inverse, parent: owner.id)
                filling.surroundings = surroundings
                if !map.isKeyPrimary { filling.storedKey = try implicitKeys.storedKey(map, key) }
                return filling
            case .invalid: return nil
            case .absent: break
            }
        }
        let part = try objectParts.part(object, relationship, declared, map, current, owner.id, place)
        part?.surroundings = surroundings
        return part
    }
}
