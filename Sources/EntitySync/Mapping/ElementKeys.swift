import SyncPersistence

/// Identifies the elements of a list by their keys.
struct ElementKeys {
    /// The entity of the list.
    let map: EntityMap
    /// Reads the keys of objects.
    let mapper: ObjectMapper
    /// The parent that the call specifies, and the relationship that leads to it.
    let parent: (record: Record, relationship: RelationshipMap)?

    /// Returns the surroundings of an element; nil if no attribute needs them.
    ///
    /// - Parameters:
    ///   - name: The name of the element in a map.
    ///   - value: The value that replaces an object.
    func surroundings(named name: String?, _ value: Value?) -> Surroundings? {
        guard map.usesSurroundings else { return nil }
        return Surroundings(mapKey: name, element: value, parent: parent?.record, inverse: parent?.relationship.name)
    }

    /// Returns the key of an element.
    ///
    /// - Parameters:
    ///   - value: The element.
    ///   - name: Its name in a map.
    ///   - place: Its place.
    func key(of value: Value, named name: String?, at place: Place) throws -> ObjectKey {
        guard let (object, element) = map.object(for: value, inMap: name != nil) else { return .absent }
        let objectMap = try mapper.mapping.map(of: object, declaredAs: map) ?? map
        if name != nil, element == nil, objectMap.isForeign(object) {
            // An error page may be an object in an object. An error may also take the place of any record.
            try mapper.reports.addNoProperty(objectMap, at: place)
            return .invalid
        }
        let key = try mapper.key(of: object, objectMap, surroundings(named: name, element), at: place)
        if case .absent = key { try mapper.reports.addMissingKey(objectMap, at: place) }
        return key
    }

    /// Returns the key that an element of a list of deletions states, as an object or as a key.
    ///
    /// It is nil if the element cannot be used, which has been reported.
    func key(ofDeletion json: Value, at place: Place) throws -> Value? {
        if json.isObject {
            guard case .key(let key) = try key(of: json, named: nil, at: place) else { return nil }
            return key
        }
        var parts: [Value] = if map.keyParts.count > 1, case .array(let parts) = json { parts } else { [json] }
        parts = map.completed(parts, in: surroundings(named: nil, nil))
        if let key = map.key(ofParts: parts) { return key }
        try mapper.reports.add(.unconvertible, at: place, expected: "a key of '\(map.shape.name)'", found: json.finding)
        return nil
    }
}
