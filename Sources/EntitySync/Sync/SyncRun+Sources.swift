import SyncPersistence

/// Values that attributes take from where an object stands.
extension SyncRun {
    /// A part of the key that an attribute takes from where an object stands.
    ///
    /// A name in a map that the object contradicts is of no use, so that an error page is not taken for a map. What the
    /// parent gives counts before what the object says, as the object is linked with that parent as well.
    ///
    /// - Parameters:
    ///   - own: What the object says of the attribute itself.
    ///   - isReported: Whether another parent than the object's is reported elsewhere.
    func keyPart(
        _ source: SourcedValue, beside own: (json: Value, place: Place)?, _ attribute: AttributeMap, isReported: Bool,
        at place: Place
    ) throws -> ObjectKey {
        let said = own.flatMap { own in own.json.isNull ? nil : own }
        let value: Value
        switch source {
        case .constant(let constant): value = constant
        case .inherited(let inherited):
            guard let said else { return inherited.isNull ? .absent : .key(inherited) }
            let own = try remotePart(said.json, attribute, at: said.place)
            guard case .key(let other) = own, !inherited.isNull else { return own }
            if other != inherited, !isReported { try reportOtherValue(said, than: inherited, attribute, of: nil) }
            return .key(inherited)
        case .remote(let json):
            let part = try remotePart(json, attribute, at: place)
            guard case .key(let known) = part else { return part }
            value = known
        }
        guard let said, attribute.keyValue(of: said.json) != value else { return .key(value) }
        try reportOtherValue(said, than: value, attribute, of: nil)
        if case .remote = source { return .invalid }
        return .key(value)
    }

    /// A part of the key by a remote's value.
    private func remotePart(_ json: Value, _ attribute: AttributeMap, at place: Place) throws -> ObjectKey {
        if let value = attribute.keyValue(of: json) { return .key(value) }
        try report(
            SyncReport(
                .unconvertible, at: place.path, expected: attribute.expectation(insteadOf: json), found: json.finding))
        return .invalid
    }

    /// A record's attributes take over the values that they have from where an object stands.
    func fillSources(
        of record: inout Record, from object: ValueObject, _ map: EntityMap, _ plan: Plan,
        _ surroundings: Surroundings, _ place: Place
    ) throws {
        for position in map.sources.attributes where !map.keyParts.contains(position) {
            let attribute = map.attributes[position]
            guard let source = map.sources.value(of: position, attribute.type, surroundings) else { continue }
            guard let value = attribute.value(of: source) else {
                if case .remote(let json) = source {
                    try report(
                        SyncReport(
                            .unconvertible, at: place.path, of: record.id, attribute.definition.name,
                            expected: attribute.expectation(insteadOf: json), found: json.finding))
                }
                continue
            }
            if value.isNull && attribute.isMandatory { continue }
            if let own = plan.own(position, attribute, of: object, at: place), !own.json.isNull,
                attribute.converted(own.json) != value
            {
                try reportOtherValue(own, than: value, attribute, of: record.id)
            }
            record.values[attribute.slot] = value
        }
    }

    private func reportOtherValue(
        _ own: (json: Value, place: Place), than value: Value, _ attribute: AttributeMap, of id: RecordID?
    ) throws {
        try report(
            SyncReport(
                .contradiction, at: own.place.path, of: id, attribute.definition.name,
                expected: "the value that follows from the object's place, \(value.finding)", found: own.json.finding))
    }

    /// An object with the values that attributes have from where it stands, for those that look at it.
    func completed(_ object: ValueObject, _ map: EntityMap, _ surroundings: Surroundings?) -> ValueObject {
        guard let surroundings else { return object }
        var object = object
        for position in map.sources.attributes {
            let attribute = map.attributes[position]
            let name = attribute.definition.remoteKey ?? attribute.definition.name
            switch map.sources.value(of: position, attribute.type, surroundings) {
            case .constant(let value), .inherited(let value), .remote(let value):
                if object[name] == nil { object[name] = value }
            case nil: break
            }
        }
        return object
    }
}

extension SyncRun {
    /// What an object of the payload itself stands in; nil if no attribute asks for that.
    ///
    /// - Parameters:
    ///   - name: The name of the object in a map.
    ///   - element: The value that stands in the place of an object.
    ///   - map: The entity.
    func rootSurroundings(named name: String?, _ element: Value?, _ map: EntityMap) -> Surroundings? {
        guard map.usesSurroundings else { return nil }
        return Surroundings(
            mapKey: name, element: element, parent: scopeParent?.record,
            inverse: scopeParent?.relationship)
    }

    /// What tells an element of the payload apart.
    ///
    /// - Parameters:
    ///   - value: The element.
    ///   - name: Its name in a map.
    ///   - place: Where it stands.
    ///   - map: The entity.
    func rootKey(of value: Value, named name: String?, at place: Place, _ map: EntityMap) throws -> ObjectKey {
        guard let (object, element) = map.object(for: value, inMap: name != nil) else { return .absent }
        let map = try mapping.map(of: object, declaredAs: map) ?? map
        let isInMap = name != nil && element == nil
        if isInMap, !object.names.isEmpty, map.plan(for: object).unknown.count == object.names.count {
            // An error page may be an object in an object.
            try reportHollow(map, at: place)
            return .invalid
        }
        let key = try key(of: object, map, rootSurroundings(named: name, element, map), at: place)
        if isInMap, object.names.isEmpty, !map.hasKeyAlone, case .key(let key) = key {
            if try !map.isKeyPrimary || record(map, key) == nil { hollow.append(place) }
        }
        if case .absent = key { try reportMissingKey(map, at: place) }
        return key
    }
}

extension SyncRun {
    /// Reports an object in a map that says nothing of a record.
    func reportHollow(_ map: EntityMap, at place: Place) throws {
        try report(
            SyncReport(
                .noObject, at: place.path, expected: "an object with a property of '\(map.shape.name)'",
                found: "an object without any"))
    }
}

extension EntityMap {
    /// Whether its records have nothing but their keys.
    fileprivate var hasKeyAlone: Bool {
        relationships.isEmpty
            && attributes.indices.allSatisfy { keyParts.contains($0) || sources.attributes.contains($0) }
    }

    /// Whether what tells an object apart stands in its members alone.
    var hasPlainKey: Bool {
        if !usesSurroundings { return true }
        return sources.mapKey == nil && sources.element == nil && !keyParts.contains { sources.attributes.contains($0) }
    }

    /// Whether a value is an object of the entity, or may stand in the place of one.
    func takes(_ json: Value, inMap: Bool = false) -> Bool {
        if case .object = json { return true }
        guard inMap ? sources.takesElementsInMaps : sources.takesElements else { return false }
        return !json.isNull && !json.isArray
    }

    /// The object that a value is, and the value if it stands in the place of one; nil for other values.
    func object(for json: Value, inMap: Bool = false) -> (object: ValueObject, element: Value?)? {
        if case .object(let object) = json { return (object, nil) }
        return takes(json, inMap: inMap) ? (ValueObject(), json) : nil
    }

    /// The elements of an array, or the objects of a map and their names; nil if it is neither.
    func objects(in json: Value) -> (elements: [Value], names: [String]?)? {
        let elements: [Value]
        var names: [String]?
        switch json {
        case .array(let values): elements = values
        case .object(let object) where sources.mapKey != nil: (elements, names) = (object.values, object.names)
        default: return nil
        }
        return names == nil || elements.allSatisfy { $0.isNull || takes($0, inMap: true) } ? (elements, names) : nil
    }

    /// Whether an object that is a whole payload is a record by itself, not a map of records: it says all parts of its
    /// key, which no map of objects does.
    func isRecord(_ object: ValueObject) -> Bool {
        if sources.mapKey == nil { return true }
        // Any word may be a name in a map of texts.
        if sources.takesElementsInMaps { return false }
        let plan = plan(for: object)
        return zip(keyParts, plan.keyMembers).allSatisfy { part, member in
            if sources.constant(part) != nil { return true }
            let leaf = plan.leaf(.attribute(part), of: object, at: .root)?.0
            guard let value = leaf ?? member.map({ object.values[$0] }) else { return false }
            return !value.isNull && !value.isObject && !value.isArray
        }
    }

    /// Whether a part of the key is what a name stands for, or stands deeper under it.
    func isOfKey(_ name: String) -> Bool {
        names.uses(of: name).contains { use in
            switch use.target {
            case .attribute(let attribute): keyParts.contains(attribute)
            case .paths(let tree): keyParts.contains { tree.contains(.attribute($0)) }
            case .relationship: false
            }
        }
    }

    /// What an object stands in that stands in another; nil if no attribute asks for that.
    func surroundings(
        mapKey: String? = nil, _ element: Value?, in parent: Record, _ relationship: RelationshipMap
    ) -> Surroundings? {
        guard usesSurroundings else { return nil }
        return Surroundings(
            mapKey: mapKey, element: element, parent: parent, inverse: relationship.definition.inverse)
    }
}

extension AttributeMap {
    /// The value of the attribute that a source gives; nil if it is none.
    func value(of source: SourcedValue) -> Value? {
        switch source {
        case .constant(let value), .inherited(let value): value
        case .remote(let json): converted(json)
        }
    }
}

extension Plan {
    /// What an object says of an attribute itself.
    fileprivate func own(
        _ position: Int, _ attribute: AttributeMap, of object: ValueObject, at place: Place
    ) -> (json: Value, place: Place)? {
        if let leaf = leaf(.attribute(position), of: object, at: place) { return leaf }
        return attributes.first { $0.attribute === attribute }.map { member, _ in
            (object.values[member], place.member(object.names[member]))
        }
    }
}
