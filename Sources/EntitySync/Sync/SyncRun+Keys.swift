import SyncPersistence

extension SyncRun {
    /// What tells an object apart.
    enum ObjectKey {
        case key(Value)
        /// There is none, or null.
        case absent
        /// There is one that is of no use, which has been reported.
        case invalid
    }

    /// What tells an object apart.
    ///
    /// - Parameter record: A record that the object is about. Of a key of several parts, those that the object does not
    ///   state are the record's.
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
                guard case .key(let value) = part else { return part }
                parts.append(value)
                continue
            }
            guard let (json, place) = found, !json.isNull else {
                guard let record, map.keyParts.count > 1 else { return .absent }
                parts.append(record.values[attribute.slot])
                continue
            }
            guard let value = attribute.keyValue(of: json) else {
                try report(
                    SyncReport(
                        .unconvertible, at: place.path, expected: attribute.expectation(insteadOf: json),
                        found: json.finding))
                return .invalid
            }
            parts.append(value)
        }
        return parts.isEmpty ? .absent : .key(map.key(of: parts))
    }

    /// What tells an object apart whose one part of the key has been read; nil if that makes none.
    func key(of json: Value, of map: EntityMap) -> Value? {
        map.attributes[map.keyParts[0]].keyValue(of: json)
    }

    /// What tells an object apart whose parts of the key have been read; nil if they make none.
    func key(of values: [Value], of map: EntityMap) -> Value? {
        guard values.count == map.keyParts.count else { return nil }
        var parts: [Value] = []
        for (part, json) in zip(map.keyParts, values) {
            guard let value = map.attributes[part].keyValue(of: json) else { return nil }
            parts.append(value)
        }
        return .array(parts)
    }

    /// The key that stands for a record where it is named; nil if it is of no use, which has been reported.
    ///
    /// - Parameter record: The record whose relationship names it, which may give parts of the key as the parent.
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
            try report(SyncReport(.wrongShape, at: place.path, expected: expected, found: json.finding))
            return nil
        }
        var parts: [Value] = []
        for (part, value) in zip(map.keyParts, values) {
            guard let converted = map.attributes[part].keyValue(of: value) else {
                try report(
                    SyncReport(
                        .unconvertible, at: place.path,
                        expected: "a key of '\(map.shape.name)': \(map.attributes[part].expectation(insteadOf: value))",
                        found: value.finding))
                return nil
            }
            parts.append(converted)
        }
        return map.key(of: parts)
    }
}

extension EntityMap {
    /// The parts of a key that is named without those that are the same for all records, or that a parent gives.
    func completed(_ values: [Value], in surroundings: Surroundings?) -> [Value] {
        let known = keyParts.map { part in
            sources.constant(part) ?? surroundings.flatMap { inherited(part, in: $0) }
        }
        let count = known.count { $0 == nil }
        if count == keyParts.count || count != values.count { return values }
        var rest = values[...]
        return known.map { value in value ?? rest.removeFirst() }
    }

    /// A part of the key that a parent gives; nil if it gives none.
    private func inherited(_ part: Int, in surroundings: Surroundings) -> Value? {
        guard case .inherited(let value)? = sources.value(of: part, attributes[part].type, surroundings) else {
            return nil
        }
        return value.isNull ? nil : value
    }
}

extension EntityMap {
    /// Whether a part of the key is that of the parent to which a relationship leads.
    func takesKeyPart(from relationship: String?) -> Bool {
        relationship != nil && keyParts.contains { sources.parent(of: $0) == relationship }
    }
}

extension AttributeMap {
    /// The value of a part of the key; nil if it is none that a remote can give.
    func keyValue(of json: Value) -> Value? {
        if case .bool = json, type != .bool, transformer == nil { return nil }
        guard let value = converted(json), !value.isNull, !value.isPartKey else { return nil }
        return value
    }
}

extension Plan {
    /// Whether a member says what a relationship leads to.
    fileprivate func connects(_ member: Int, with relationship: String?, _ map: EntityMap) -> Bool {
        relationships.contains {
            map.relationships[$0.relationship].name == relationship && ($0.ids == member || $0.objects == member)
        }
    }

    /// Whether an object has a value for an attribute deeper than its members, under the dotted remote key.
    func isDeeper(_ attribute: AttributeMap, in object: ValueObject, _ map: EntityMap) -> Bool {
        guard !paths.isEmpty, let position = map.attributes.firstIndex(where: { $0 === attribute }) else {
            return false
        }
        return leaf(.attribute(position), of: object, at: .root) != nil
    }

    /// The value of a property that stands deeper in an object, and its place.
    func leaf(_ leaf: PathTree.Leaf, of object: ValueObject, at place: Place) -> (Value, Place)? {
        for (member, tree) in paths {
            let place = place.member(object.names[member])
            if let found = tree.find(leaf, in: object.values[member], at: place) { return found }
        }
        return nil
    }
}

extension PathTree {
    fileprivate func find(_ leaf: Leaf, in value: Value, at place: Place) -> (Value, Place)? {
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
