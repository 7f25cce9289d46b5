import SyncPersistence

/// Reads the keys and attributes of a remote's objects, and reports the values that cannot be used.
///
/// It has no access to the store.
struct ObjectMapper {
    /// The maps of all entities.
    let mapping: Mapping
    /// Receives values that cannot be converted.
    let reports: SyncReports
}

/// The key of an object.
enum ObjectKey {
    /// The key of a record.
    case key(Value)
    /// The key is missing or null.
    case absent
    /// The key cannot be used, which has been reported.
    case invalid
}

extension ObjectMapper {
    /// Returns the key of an object.
    ///
    /// A key of several parts is invalid if one of them is, although others may be absent.
    ///
    /// - Parameter record: The record that the object updates. It provides the parts of the key that the object does
    ///   not state.
    func key(
        of object: ValueObject, _ map: EntityMap, _ surroundings: Surroundings? = nil, over record: Record? = nil,
        at place: Place
    ) throws -> ObjectKey {
        let plan = map.plan(for: object)
        if map.keyParts.count == 1, surroundings == nil, plan.paths.isEmpty, let member = plan.keyMembers[0],
            let value = map.attributes[map.keyParts[0]].keyValue(of: object.values[member])
        {
            return .key(value)
        }
        var parts: [Value] = []
        for (part, member) in zip(map.keyParts, plan.keyMembers) {
            let attribute = map.attributes[part]
            let found =
                plan.leaf(.attribute(part), of: object, at: place)
                ?? member.map { (object.values[$0], place.member(object.names[$0])) }
            if let surroundings, let source = map.sources.value(of: part, attribute.type, surroundings) {
                let isReported = member.map { plan.connects($0, with: map.sources.parent(of: part), map) } ?? false
                let part = try keyPart(source, beside: found, attribute, isReported: isReported, at: place)
                if case .invalid = part { return part }
                if case .key(let value) = part { parts.append(value) }
                continue
            }
            guard let (json, place) = found, !json.isNull else {
                // A later part may be invalid.
                if let record, map.keyParts.count > 1 { parts.append(record.values[attribute.slot]) }
                continue
            }
            let part = try keyPart(json, attribute, at: place)
            guard case .key(let value) = part else { return part }
            parts.append(value)
        }
        return parts.isEmpty || parts.count < map.keyParts.count ? .absent : .key(map.key(of: parts))
    }

    /// Returns a part of the key from a remote's value.
    func keyPart(_ json: Value, _ attribute: AttributeMap, at place: Place) throws -> ObjectKey {
        if let value = attribute.keyValue(of: json) { return .key(value) }
        try reports.add(
            .unconvertible, at: place, expected: attribute.expectation(insteadOf: json), found: json.finding)
        return .invalid
    }

    /// Returns the key of the record that a relationship names; nil if the key cannot be used, which has been reported.
    ///
    /// - Parameter record: The record whose relationship names the other. It may provide parts of the key as the
    ///   parent.
    func key(
        _ json: Value, namedIn relationship: RelationshipMap, _ map: EntityMap, of record: Record, at place: Place
    ) throws -> Value? {
        var values: [Value] = [json]
        if map.keyParts.count > 1, case .array(let parts) = json { values = parts }
        values = map.completed(values, in: map.surroundings(nil, in: record, relationship))
        if map.keyParts.isEmpty || values.count != map.keyParts.count {
            let expected =
                map.keyParts.isEmpty
                ? "objects, as '\(map.shape.name)' has no primary key"
                : "\(map.keyParts.count) values in an array, which make a key of '\(map.shape.name)'"
            try reports.add(.wrongShape, at: place, expected: expected, found: json.finding)
            return nil
        }
        var parts: [Value] = []
        for (part, value) in zip(map.keyParts, values) {
            guard let converted = map.attributes[part].keyValue(of: value) else {
                try reports.add(
                    .unconvertible, at: place,
                    expected: "a key of '\(map.shape.name)': \(map.attributes[part].expectation(insteadOf: value))",
                    found: value.finding)
                return nil
            }
            parts.append(converted)
        }
        return map.key(of: parts)
    }
}

extension Plan {
    /// Whether a member states the target of a relationship.
    fileprivate func connects(_ member: Int, with relationship: String?, _ map: EntityMap) -> Bool {
        relationships.contains {
            map.relationships[$0.relationship].name == relationship && ($0.ids == member || $0.objects == member)
        }
    }

    /// Whether an object also has a value for an attribute in a nested object, under its dotted remote key.
    func isDeeper(_ attribute: AttributeMap, in object: ValueObject, _ map: EntityMap) -> Bool {
        guard !paths.isEmpty, let position = map.attributes.firstIndex(where: { $0 === attribute }) else {
            return false
        }
        return leaf(.attribute(position), of: object, at: .root) != nil
    }

    /// Returns the value of a property in a nested object, and its place.
    func leaf(_ leaf: PropertyLeaf, of object: ValueObject, at place: Place) -> (Value, Place)? {
        for (member, tree) in paths {
            let place = place.member(object.names[member])
            if let found = tree.find(leaf, in: object.values[member], at: place) { return found }
        }
        return nil
    }
}

extension PathTree<PropertyLeaf> {
    /// Returns the value of a property within a nested object, and its place.
    fileprivate func find(_ leaf: PropertyLeaf, in value: Value, at place: Place) -> (Value, Place)? {
        if leaves.contains(leaf) { return (value, place) }
        guard case .object(let object) = value else { return nil }
        for branch in branches {
            if let value = object[branch.name],
                let found = branch.tree.find(leaf, in: value, at: place.member(branch.name))
            {
                return found
            }
        }
        return nil
    }
}
