import SyncPersistence

/// Values that attributes take from the surroundings of an object.
extension ObjectMapper {
    /// Returns a part of the key from the surroundings of an object.
    ///
    /// A name in a map that the object contradicts is invalid, so that an error page is not read as a map. A value of
    /// the parent replaces the object's own value, because the object is also linked with that parent.
    ///
    /// - Parameters:
    ///   - source: The value from the surroundings.
    ///   - own: The value that the object itself has for the attribute.
    ///   - attribute: The part of the key.
    ///   - isReported: Whether a different parent is reported elsewhere.
    ///   - place: The place of the object.
    func keyPart(
        _ source: SourcedValue, beside own: (json: Value, place: Place)?, _ attribute: AttributeMap, isReported: Bool,
        at place: Place
    ) throws -> ObjectKey {
        let stated = own.flatMap { own in own.json.isNull ? nil : own }
        let value: Value
        switch source {
        case .constant(let constant): value = constant
        case .inherited(let inherited):
            guard let stated else { return inherited.isNull ? .absent : .key(inherited) }
            let own = try keyPart(stated.json, attribute, at: stated.place)
            guard case .key(let other) = own, !inherited.isNull else { return own }
            if other != inherited, !isReported { try reportOtherValue(stated, than: inherited, attribute, of: nil) }
            return .key(inherited)
        case .remote(let json):
            let part = try keyPart(json, attribute, at: place)
            guard case .key(let known) = part else { return part }
            value = known
        }
        guard let stated, attribute.keyValue(of: stated.json) != value else { return .key(value) }
        try reportOtherValue(stated, than: value, attribute, of: nil)
        if case .remote = source { return .invalid }
        return .key(value)
    }

    /// Sets a record's attributes to the values from the surroundings of an object.
    func fillSources(
        of record: inout Record, from object: ValueObject, _ map: EntityMap, _ plan: Plan,
        _ surroundings: Surroundings, _ place: Place
    ) throws {
        for position in map.sources.attributes where !map.keyParts.contains(position) {
            let attribute = map.attributes[position]
            guard let source = map.sources.value(of: position, attribute.type, surroundings) else { continue }
            guard let value = attribute.value(of: source) else {
                if case .remote(let json) = source {
                    try reports.add(
                        .unconvertible, at: place, of: record.id, attribute.definition.name,
                        expected: attribute.expectation(insteadOf: json), found: json.finding)
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

    /// Reports a value of the object that differs from the value of its surroundings.
    private func reportOtherValue(
        _ own: (json: Value, place: Place), than value: Value, _ attribute: AttributeMap, of id: RecordID?
    ) throws {
        try reports.add(
            .contradiction, at: own.place, of: id, attribute.definition.name,
            expected: "the value that follows from the object's place, \(value.finding)", found: own.json.finding)
    }

    /// Returns an object with the values from its surroundings, as `willInsert` receives it.
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

extension AttributeMap {
    /// Returns the value of the attribute from its source; nil if it cannot be converted.
    func value(of source: SourcedValue) -> Value? {
        switch source {
        case .constant(let value), .inherited(let value): value
        case .remote(let json): converted(json)
        }
    }
}

extension Plan {
    /// Returns the value that an object itself has for an attribute.
    fileprivate func own(
        _ position: Int, _ attribute: AttributeMap, of object: ValueObject, at place: Place
    ) -> (json: Value, place: Place)? {
        if let leaf = leaf(.attribute(position), of: object, at: place) { return leaf }
        return attributes.first { $0.attribute === attribute }.map { member, _ in
            (object.values[member], place.member(object.names[member]))
        }
    }
}
