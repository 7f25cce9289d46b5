import SyncPersistence

/// What documents say of records, read as plainly as can be: an object is the record with its key; what it does not
/// mention stays as it is; an object that stands in another is connected with it.
///
/// It reads the array style, of attributes and relationships whose keys are their names.
struct NaiveImport {
    let schema: Schema
    /// The entity and attributes of each record, by the root of its hierarchy and its key.
    private(set) var records: [RecordID: (entity: String, values: [String: Value])] = [:]
    /// What each relationship of a record leads to, both ends of a pair in step.
    private(set) var links: [Link: [Value]] = [:]

    struct Link: Hashable {
        let record: RecordID
        let relationship: String
    }

    init(_ schema: Schema) { self.schema = schema }

    /// Takes in the objects of an array.
    mutating func read(all document: Value, of entity: String) {
        for object in document.elements { _ = read(object, of: entity) }
    }

    /// Takes in an object and answers its key.
    @discardableResult
    mutating func read(_ object: Value, of declared: String) -> Value {
        var entity = declared
        if case .string(let name) = object["kind"] { entity = name }
        let shape = schema[entity]!
        let parts = shape.keySlots.map { object[shape.slots[$0].name] }
        precondition(!parts.contains(.null), "an object of \(entity) without its key: \(object)")
        let key = parts.count == 1 ? parts[0] : .array(parts)
        let id = RecordID(shape.root, key)
        var values = records[id]?.values ?? [:]
        for slot in shape.slots {
            guard case .attribute = slot.content, object.names.contains(slot.name) else { continue }
            values[slot.name] = object[slot.name]
        }
        records[id] = (entity, values)
        for relationship in shape.relationships {
            let name = relationship.definition.name
            guard object.names.contains(name) else { continue }
            let link = Link(record: id, relationship: name)
            let content = relationship.definition.isToMany ? object[name].elements : [object[name]]
            // All are connected first, so that those that lead back to this one find it.
            let keys = content.map { read($0, of: relationship.definition.destination) }
            set(link, relationship, keys)
        }
        return key
    }

    /// Makes a relationship lead to these and no others, and the one that leads back follow.
    private mutating func set(_ link: Link, _ relationship: ShapeRelationship, _ keys: [Value]) {
        let definition = relationship.definition
        let old = links[link] ?? []
        links[link] = keys
        guard let inverse = definition.inverse, let root = schema[definition.destination]?.root else { return }
        for key in old where !keys.contains(key) {
            links[Link(record: RecordID(root, key), relationship: inverse)]?.removeAll { $0 == link.record.key }
        }
        let isInverseToMany = schema[definition.destination]?.relationship(named: inverse)?.definition.isToMany ?? false
        for key in keys where !old.contains(key) {
            let back = Link(record: RecordID(root, key), relationship: inverse)
            if !isInverseToMany, let other = links[back]?.first, other != link.record.key {
                links[Link(record: RecordID(link.record.entity, other), relationship: definition.name)]?
                    .removeAll { $0 == key }
                links[back] = []
            }
            if links[back]?.contains(link.record.key) != true { links[back, default: []].append(link.record.key) }
        }
    }
}
