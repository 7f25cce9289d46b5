import SyncPersistence

/// Reads the resources of documents as plain objects.
struct ResourceReader {
    /// Identifies resources by the keys of their attributes.
    private let mapper: ObjectMapper
    /// The entity of the document's primary data.
    private let map: EntityMap
    /// Finds the entity of a resource's `type`.
    private let types: ResourceTypes

    /// The objects of the list.
    private(set) var primary: [(value: Value, place: Place)] = []
    /// The objects of other entities, by entity.
    private(set) var others: [String: [(value: Value, place: Place)]] = [:]
    /// Whether a document has one resource instead of a list.
    private(set) var hasOneResource = false
    /// Whether an element of a list may be any resource, or a list has no resource of the entity.
    private(set) var isPartial = false
    /// The positions of included resources among the others, because several pages may include the same one.
    private var included: [Value: Int] = [:]

    /// Creates a reader of documents whose primary data is of an entity.
    init(_ mapper: ObjectMapper, _ map: EntityMap) {
        self.mapper = mapper
        self.map = map
        types = ResourceTypes(mapper.mapping.schema)
    }

    /// Reads the resources of a document.
    mutating func read(_ document: Value, at place: Place) throws {
        guard case .object(let members) = document, let data = members["data"], !members.hasErrors else {
            var found = document.finding
            if case .object(let members) = document {
                found = members["data"] == nil ? "an object without it" : "an object with 'errors'"
            }
            throw SyncError(
                .noObjects,
                "the payload is no document of JSON:API: expected an object with 'data', found \(found). Nothing has changed"
            )
        }
        switch data {
        case .array(let resources):
            let list = place.member("data")
            let count = primary.count
            for (index, resource) in resources.enumerated() { try add(resource, at: list.element(index)) }
            if !resources.isEmpty, primary.count == count { isPartial = true }
        case .object, .null:
            hasOneResource = true
            if !data.isNull { try add(data, at: place.member("data")) }
        default:
            throw SyncError(
                .noObjects,
                "the 'data' of the document is \(data.finding): expected a resource, an array of resources or null. Nothing "
                    + "has changed")
        }
        switch members["included"] ?? .null {
        case .null: return
        case .array(let resources):
            let list = place.member("included")
            for (index, resource) in resources.enumerated() {
                try add(resource, at: list.element(index), isIncluded: true)
            }
        case let other:
            try mapper.reports.add(
                .wrongShape, at: place.member("included"), expected: "an array of resources", found: other.finding)
        }
    }

    /// Adds a resource to the list, or to the others if it is included or of another entity.
    private mutating func add(_ resource: Value, at place: Place, isIncluded: Bool = false) throws {
        guard case .object(let members) = resource, let shape = try entity(of: members, at: place) else {
            if !resource.isObject { try mapper.reports.addNoObject(resource, at: place) }
            if !resource.isNull, !isIncluded { isPartial = true }
            return
        }
        let isInherited = shape.inherits(map.shape.name)
        let entity = try mapper.mapping.map(of: shape.name)
        guard entity.hasKey || isInherited && !isIncluded else {
            return try mapper.reports.add(
                .wrongEntity, at: place.member("type"), expected: "a type whose records have a primary key",
                found: (members["type"] ?? .null).finding)
        }
        let object = try object(of: members, entity, at: place)
        if isInherited, !isIncluded { return primary.append((object, place)) }
        let identity: Value = [members["type"] ?? .null, members["id"] ?? .null]
        if let position = included[identity], others[shape.name]?[position].value == object { return }
        included[identity] = others[shape.name]?.count ?? 0
        others[shape.name, default: []].append((object, place))
    }

    /// Returns the entity of a resource or resource identifier; nil if there is none, which has been reported.
    private func entity(of members: ValueObject, at place: Place) throws -> Shape? {
        if case .string(let type)? = members["type"], let shape = types.entity(of: type) { return shape }
        try mapper.reports.add(
            .wrongEntity, at: place.member("type"),
            expected: "the name of an entity, its plural, or the 'sync.discriminatorValue' of one",
            found: (members["type"] ?? .null).finding)
        return nil
    }

    /// Returns a resource as a plain object.
    private func object(of resource: ValueObject, _ map: EntityMap, at place: Place) throws -> Value {
        var object = ValueObject()
        if case .object(let attributes)? = resource["attributes"] {
            object = attributes
        } else if let attributes = resource["attributes"], !attributes.isNull {
            try mapper.reports.add(
                .wrongShape, at: place.member("attributes"), expected: "an object", found: attributes.finding)
        }
        if let discriminator = map.discriminator {
            object[discriminator] = .string(mapper.mapping.discriminatorValue(of: map.shape.name))
        }
        if case .object(let relationships)? = resource["relationships"] {
            for member in relationships.members {
                let place = place.member("relationships").member(member.name)
                try add(member.value, under: member.name, to: &object, map, at: place)
            }
        } else if let relationships = resource["relationships"], !relationships.isNull {
            try mapper.reports.add(
                .wrongShape, at: place.member("relationships"), expected: "an object", found: relationships.finding)
        }
        let key = map.keyParts.first.map { map.attributes[$0].definition.name } ?? "id"
        if let id = resource["id"] { object[map.keyUse(of: "id") == nil ? key : "id"] = id }
        return .object(object)
    }

    /// Adds the keys of a relationship to a plain object.
    private func add(
        _ json: Value, under name: String, to object: inout ValueObject, _ map: EntityMap, at place: Place
    ) throws {
        guard let relationship = map.relationship(under: name) else {
            return mapper.reports.addUnknown([name], of: map.shape.name)
        }
        guard case .object(let members) = json else {
            return try mapper.reports.add(
                .wrongShape, at: place, expected: "an object with 'data'", found: json.finding)
        }
        guard let data = members["data"] else { return }
        let place = place.member("data")
        var keys: Value?
        var isPartial = false
        switch data {
        case .null where !relationship.isToMany: keys = .null
        case .object(let identifier) where !relationship.isToMany:
            keys = try key(of: identifier, relationship, at: place)
        case .array(let identifiers) where relationship.isToMany:
            var found: [Value] = []
            for (index, identifier) in identifiers.enumerated() {
                guard case .object(let members) = identifier else {
                    try mapper.reports.addNoObject(identifier, at: place.element(index))
                    if !identifier.isNull { isPartial = true }
                    continue
                }
                if let key = try key(of: members, relationship, at: place.element(index)) {
                    found.append(key)
                } else {
                    isPartial = true
                }
            }
            if found.isEmpty == identifiers.isEmpty { keys = .array(found) }
        default:
            try mapper.reports.add(
                .wrongShape, at: place,
                expected: relationship.isToMany
                    ? "an array of resource identifiers" : "a resource identifier or null",
                found: data.finding)
        }
        guard let keys else { return }
        object[relationship.keysName] = keys
        let next = Value.object(members).located(at: PayloadPath("links.next")).content
        if relationship.isToMany, isPartial || next?.saysMore ?? false { object[relationship.moreName] = .bool(true) }
    }

    /// Returns the key of a resource identifier; nil if it cannot be used, which has been reported.
    private func key(of identifier: ValueObject, _ relationship: RelationshipMap, at place: Place) throws -> Value? {
        guard let shape = try entity(of: identifier, at: place) else { return nil }
        let destination = relationship.definition.destination
        guard shape.inherits(destination) else {
            try mapper.reports.add(
                .wrongEntity, at: place.member("type"), expected: "a type of '\(destination)'",
                found: (identifier["type"] ?? .null).finding)
            return nil
        }
        guard let id = identifier["id"], !id.isNull, !id.isObject, !id.isArray else {
            try mapper.reports.add(
                .noKey, at: place.member("id"), expected: "the key of a record of '\(destination)'",
                found: (identifier["id"] ?? .null).finding)
            return nil
        }
        return id
    }
}

extension ValueObject {
    /// Whether a document reports errors, so that its data is not the remote's.
    fileprivate var hasErrors: Bool {
        switch self["errors"] ?? .null {
        case .null: false
        case .array(let errors): !errors.isEmpty
        default: true
        }
    }
}

extension RelationshipMap {
    /// The name under which a plain object lists the keys.
    fileprivate var keysName: String {
        if let key = definition.remoteKey, path == nil { return key }
        return (NameWords(name) + [isToMany ? "ids" : "id"]).snakeCase
    }
}
