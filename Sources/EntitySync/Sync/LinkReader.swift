import DifferentialSync
import SyncPersistence

/// Reads what an object states about the relationships of its record.
///
/// It adds the tasks that store nested objects and connect the record with others. Targets that the record itself
/// stores are set at once.
final class LinkReader {
    unowned let processor: ObjectProcessor

    /// Creates a reader that processes nested objects with a processor.
    init(_ processor: ObjectProcessor) { self.processor = processor }

    /// The stored records and the drafts.
    var records: SyncRecords { processor.records }
    /// Connects records at the end of the sync.
    var settlement: LinkSettlement { processor.settlement }
    /// The maps of all entities.
    var mapping: Mapping { processor.mapping }
    /// Reads keys of related records.
    var mapper: ObjectMapper { processor.mapper }
    /// Receives keys that lead to no record.
    var reports: SyncReports { processor.reports }
}

extension LinkReader {
    /// Records that an object specifies a relationship, and discards deferred connections and pending links of it.
    func specify(_ relationship: String, of record: Record) {
        processor.pendingLinks.specify(relationship)
        settlement.supersede(relationship, of: record)
    }

    /// Removes a child that its owner no longer lists, if that deletes the child.
    ///
    /// Children are deleted if they are parts, or if they belong to the owner and were listed as objects.
    func removeChild(
        _ key: Value, of owner: Record, _ relationship: RelationshipMap, isByKey: Bool, _ place: Place
    ) throws {
        guard processor.allows(.deleteRelationships), !key.isNull,
            key.isPartKey
                || !isByKey && relationship.unlisted != .separate && (relationship.isOwning || relationship.isCascading)
        else { return }
        let map = try mapping.destination(of: relationship)
        let id = RecordID(map.shape.root, key)
        settlement.remove(RemovedChildren.Child(id, map, of: owner, relationship, place))
        // Otherwise, a later object that names the owner could be skipped.
        processor.footprint.write(map.token(of: key))
    }
}

extension LinkReader {
    /// Connects a record as an object states it for a to-one relationship.
    ///
    /// | Value | Effect |
    /// | --- | --- |
    /// | null | The record is disconnected. |
    /// | an object | Its record is stored and connected. |
    /// | an object that states its deletion | Its record is deleted, and the record is disconnected. |
    /// | a key | The record is connected with the record of the key, at the end if it is still missing. |
    ///
    /// If the object is nested in its owner, the owner stays connected, and another target is reported.
    ///
    /// - Parameter isUnlinked: Whether the record is new, so that no other record leads to it.
    func connectOne(
        _ link: LinkStatement, of record: inout Record, _ source: PayloadObject, isUnlinked: Bool,
        _ next: inout [SyncTask]
    ) throws {
        let relationship = link.relationship
        let destination = try mapping.destination(of: relationship)
        let isInverse = relationship.name == source.inverse
        let owner = isInverse ? source.parent?.key : nil
        if let (json, place) = link.objects {
            switch json {
            case .null:
                if !isInverse, link.ids.map({ $0.json.isNull }) ?? true {
                    return try disconnect(
                        relationship, of: &record, isByKey: false, isUnlinked: isUnlinked, place, &next)
                }
            case .object(let object) where try mapping.saysDeleted(object, declaredAs: destination):
                let surroundings = destination.surroundings(nil, in: record, relationship)
                try processor.addDeletion(of: object, destination, surroundings, at: place, isNested: true)
                if isInverse { return }
                return try disconnect(relationship, of: &record, isByKey: true, isUnlinked: isUnlinked, place, &next)
            case let json where destination.takes(json):
                return try connectOne(json, link, of: &record, owner, isUnlinked: isUnlinked, place, &next)
            case .array where !link.objectsMayBeKeys || destination.keyParts.count < 2,
                _ where !link.objectsMayBeKeys:
                try reports.add(
                    .wrongShape, at: place, of: record.id, relationship.name,
                    expected: link.objectsMayBeKeys
                        ? "an object, a key or null"
                        : "an object or null; a key stands under '\(relationship.idName)'",
                    found: json.finding)
                try processor.specifyRecords(in: json, relationship)
                if link.ids == nil { return }
            default:
                return try connectOne(
                    relationship, of: &record, named: json, destination, owner, isUnlinked: isUnlinked, place, &next)
            }
        }
        guard let (json, place) = link.ids else { return }
        if json.isNull {
            if !isInverse {
                try disconnect(relationship, of: &record, isByKey: true, isUnlinked: isUnlinked, place, &next)
            }
            return
        }
        try connectOne(relationship, of: &record, named: json, destination, owner, isUnlinked: isUnlinked, place, &next)
    }

    /// Connects a record with the record of a nested object, or of a value that represents one.
    private func connectOne(
        _ json: Value, _ link: LinkStatement, of record: inout Record, _ owner: Value?, isUnlinked: Bool,
        _ place: Place,
        _ next: inout [SyncTask]
    ) throws {
        let relationship = link.relationship
        let destination = try mapping.destination(of: relationship)
        let current = try records.target(of: relationship, of: record, isUnlinked: isUnlinked)
        guard let target = try target(json, relationship, destination, current, record, place) else { return }
        let key = target.storedKey ?? target.key
        if let (named, place) = link.ids, !named.isNull,
            let other = try mapper.key(named, namedIn: relationship, destination, of: record, at: place),
            other != target.key
        {
            try reports.add(
                .contradiction, at: place, of: record.id, relationship.name,
                expected: "the key of the object that stands here as well, \(target.key)", found: other.finding)
        }
        if let owner, owner != key {
            try processor.specifyRecords(of: target)
            return try contradict(owner, relationship, record, place, key)
        }
        next.append(.fill(target))
        if owner != nil { return }
        if current != key { try removeChild(current, of: record, relationship, isByKey: false, place) }
        try connect(relationship, of: &record, to: key, by: target, place, &next)
    }

    /// Connects a record with the record that a key identifies.
    private func connectOne(
        _ relationship: RelationshipMap, of record: inout Record, named json: Value, _ destination: EntityMap,
        _ owner: Value?, isUnlinked: Bool, _ place: Place, _ next: inout [SyncTask]
    ) throws {
        if json.isObject || json.isArray && destination.keyParts.count < 2 {
            try processor.specifyRecords(in: json, relationship)
            return try reports.add(
                .wrongShape, at: place, of: record.id, relationship.name, expected: "a key or null",
                found: json.finding)
        }
        guard let key = try mapper.key(json, namedIn: relationship, destination, of: record, at: place) else { return }
        if let owner {
            if owner != key { try contradict(owner, relationship, record, place, key) }
            return
        }
        let current = try records.target(of: relationship, of: record, isUnlinked: isUnlinked)
        if current.isPartKey { try removeChild(current, of: record, relationship, isByKey: true, place) }
        try connect(relationship, of: &record, to: key, by: nil, place, &next)
    }

    /// Reports another owner than the object in which this one is nested.
    private func contradict(
        _ owner: Value, _ relationship: RelationshipMap, _ record: Record, _ place: Place, _ key: Value
    ) throws {
        try reports.add(
            .contradiction, at: place, of: record.id, relationship.name,
            expected: "the object in which this one stands, with the key \(owner)", found: key.finding)
    }

    /// Sets the target of a to-one relationship at once if the record stores it, or adds a task for it.
    private func connect(
        _ relationship: RelationshipMap, of record: inout Record, to key: Value, by object: PayloadObject?,
        _ place: Place,
        _ next: inout [SyncTask]
    ) throws {
        if processor.allows(.updateRelationships) { specify(relationship.name, of: record) }
        func connection() -> Connection {
            Connection(of: record, relationship, to: [key], isByKey: object == nil, processor.operations, at: place)
        }
        guard case .reference(let slot, _, _) = relationship.storage else {
            return next.append(.connect(connection()))
        }
        let map = try mapping.destination(of: relationship)
        var target: Value? = key
        if let object {
            // The object is stored next, if it can be stored.
            if try records.isDeletedLocally(map, key) || !isSure(object, map) {
                return next.append(.connect(connection()))
            }
        } else {
            // A record may refer to itself before it is stored.
            let isItself = key == record.key && map.isKeyPrimary && record.shape.inherits(map.shape.name)
            target = isItself ? key : try records.storedKey(map, namedBy: key, for: relationship)
        }
        guard let target else { return settlement.postpone(connection()) }
        let current = record[slot]
        guard current == target || processor.operations.mayReplace(current) else { return }
        try settlement.claim(target, for: record, relationship, at: place)
        record[slot] = target
        settlement.keep(record, at: slot, of: target)
    }

    /// Whether it is certain that an object will be stored next as a record of a relationship's destination.
    private func isSure(_ object: PayloadObject, _ destination: EntityMap) throws -> Bool {
        if let present = try records.record(destination, object.storedKey ?? object.key) {
            return !records.isDraft(present) && present.shape.inherits(destination.shape.name)
        }
        guard processor.allows(.insertRelationships),
            let map = try mapping.map(of: object.object, declaredAs: destination),
            !map.shape.isAbstract
        else { return false }
        return map.mandatorySlots.isEmpty || processor.options.willInsert == nil && map.isCompleted(by: object.object)
    }

    /// Removes the target of a to-one relationship.
    private func disconnect(
        _ relationship: RelationshipMap, of record: inout Record, isByKey: Bool, isUnlinked: Bool, _ place: Place,
        _ next: inout [SyncTask]
    ) throws {
        guard processor.allows(.deleteRelationships) else { return }
        specify(relationship.name, of: record)
        let target = try records.target(of: relationship, of: record, isUnlinked: isUnlinked)
        for key in try [target] + records.deletedRemotely(relationship, of: record) {
            try removeChild(key, of: record, relationship, isByKey: isByKey, place)
        }
        guard case .reference(let slot, _, _) = relationship.storage else {
            if isUnlinked { return }
            return next.append(
                .connect(
                    Connection(of: record, relationship, to: [], isByKey: isByKey, processor.operations, at: place)))
        }
        if record[slot].isNull { return }
        if relationship.definition.isOptional {
            record[slot] = .null
        } else {
            try reports.add(
                .missingValue, at: place, of: record.id, relationship.name,
                expected: "a record, as the relationship is mandatory", found: "null")
        }
    }

    /// Returns a nested object with its key; nil if it has no valid key, which was reported.
    private func target(
        _ json: Value, _ relationship: RelationshipMap, _ declared: EntityMap, _ current: Value, _ owner: Record,
        _ place: Place
    ) throws -> PayloadObject? {
        guard let (object, element) = declared.object(for: json) else { return nil }
        let map = try mapping.map(of: object, declaredAs: declared) ?? declared
        let surroundings = map.surroundings(element, in: owner, relationship)
        if map.hasKey {
            switch try mapper.key(of: object, map, surroundings, at: place) {
            case .key(let key):
                let source = PayloadObject(
                    object: object, map: declared, key: key, place: place, isNested: true,
                    inverse: relationship.definition.inverse, parent: owner.id)
                source.surroundings = surroundings
                if !map.isKeyPrimary { source.storedKey = try records.implicitKeys.storedKey(map, key) }
                return source
            case .invalid:
                try processor.specifyRecords(nestedIn: object, declared)
                return nil
            case .absent: break
            }
        }
        let part = try processor.objectParts.part(object, relationship, declared, map, current, owner.id, place)
        part?.surroundings = surroundings
        if part == nil { try processor.specifyRecords(nestedIn: object, declared) }
        return part
    }
}
