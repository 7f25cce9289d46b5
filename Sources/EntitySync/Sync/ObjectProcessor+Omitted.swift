import SyncPersistence

/// Objects and other values that are reported and omitted.
extension ObjectProcessor {
    /// Records that the payload specifies the records nested in an omitted object, so that they are not deleted.
    ///
    /// They are not stored either. Nested objects whose key cannot be read are searched in the same way.
    func specifyRecords(nestedIn object: ValueObject, _ declared: EntityMap) throws {
        let map = try mapping.map(of: object, declaredAs: declared) ?? declared
        try specifyRecords(in: map.relatedValues(of: object))
    }

    /// Records that the payload specifies the record of an omitted object, and those nested in it.
    func specifyRecords(of omitted: PayloadObject) throws {
        let key = omitted.storedKey ?? omitted.key
        if omitted.map.hasKey, !key.isPartKey { footprint.specify(omitted.map.token(of: key)) }
        try specifyRecords(nestedIn: omitted.object, omitted.map)
    }

    /// Records that the payload specifies the records in a value that cannot be used for a relationship.
    func specifyRecords(in json: Value, _ relationship: RelationshipMap) throws {
        try specifyRecords(in: [RelatedValue(json: json, relationship: relationship)])
    }

    /// Records that the payload specifies the records in values of any shape.
    private func specifyRecords(in values: [RelatedValue]) throws {
        if values.isEmpty { return }
        // The values have been reported as a whole.
        let mapper = ObjectMapper(mapping: mapping, reports: SyncReports(isStrict: false, limit: 0))
        var pending = values
        while let value = pending.popLast() {
            try countTask()
            let (json, relationship) = (value.json, value.relationship)
            let destination = try mapping.destination(of: relationship)
            if !value.isElement, relationship.isToMany, case .object(let map) = json,
                !destination.isRecord(map) || destination.isForeign(map)
            {
                pending += zip(map.names, map.values).map {
                    RelatedValue(json: $1, relationship: relationship, name: $0, isElement: true)
                }
            } else if let (object, element) = destination.object(for: json, inMap: value.name != nil) {
                let map = try mapping.map(of: object, declaredAs: destination) ?? destination
                if map.saysDeleted(object) { continue }
                let surroundings = map.usesSurroundings ? Surroundings(mapKey: value.name, element: element) : nil
                if map.hasKey, case .key(let key) = try mapper.key(of: object, map, surroundings, at: .root),
                    let stored = try records.implicitKeys.primaryKey(map, of: key)
                {
                    footprint.specify(destination.token(of: stored))
                }
                pending += map.relatedValues(of: object)
            } else if case .array(let elements) = json {
                pending += elements.map { RelatedValue(json: $0, relationship: relationship, isElement: true) }
            }
        }
    }
}

/// A value that an object states for a relationship, or an element of it.
private struct RelatedValue {
    /// The value.
    let json: Value
    /// The relationship.
    let relationship: RelationshipMap
    /// The name of the value in a map.
    var name: String?
    /// Whether it is an element of an array or a map.
    ///
    /// An object that is an element is a record, not a map.
    var isElement = false
}

extension EntityMap {
    /// Returns the values that an object states for its relationships.
    fileprivate func relatedValues(of object: ValueObject) -> [RelatedValue] {
        links(of: object, plan(for: object), .root).compactMap { link in
            link.objects.map { RelatedValue(json: $0.json, relationship: link.relationship) }
        }
    }
}
