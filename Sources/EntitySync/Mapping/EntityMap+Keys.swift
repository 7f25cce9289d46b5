import SyncPersistence

extension EntityMap {
    /// Returns the key of a single part as the remote writes it; nil if it is invalid.
    func key(ofPart json: Value) -> Value? { attributes[keyParts[0]].keyValue(of: json) }

    /// Returns the key of several parts as the remote writes them; nil if they are invalid.
    func key(ofParts values: [Value]) -> Value? {
        guard values.count == keyParts.count else { return nil }
        var parts: [Value] = []
        for (part, json) in zip(keyParts, values) {
            guard let value = attributes[part].keyValue(of: json) else { return nil }
            parts.append(value)
        }
        return key(of: parts)
    }

    /// Returns the key of converted parts.
    func key(of parts: [Value]) -> Value { parts.count == 1 ? parts[0] : .array(parts) }

    /// Returns the condition for records with a key that is not the primary key.
    func filter(key: Value) -> Filter {
        let values: [Value] = if keyParts.count > 1, case .array(let parts) = key { parts } else { [key] }
        let parts: [Filter] = zip(keyParts, values).map {
            .comparison(path: attributes[$0].definition.name, .equal, $1)
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// Returns all parts of a key that is written without constants and without the parts of the parent.
    func completed(_ values: [Value], in surroundings: Surroundings?) -> [Value] {
        let known = keyParts.map { part in
            sources.constant(part) ?? surroundings.flatMap { inherited(part, in: $0) }
        }
        let count = known.count { $0 == nil }
        if count == keyParts.count || count != values.count { return values }
        var rest = values[...]
        return known.map { value in value ?? rest.removeFirst() }
    }

    /// Returns the part of the key that a parent provides; nil if it provides none.
    private func inherited(_ part: Int, in surroundings: Surroundings) -> Value? {
        guard case .inherited(let value)? = sources.value(of: part, attributes[part].type, surroundings) else {
            return nil
        }
        return value.isNull ? nil : value
    }

    /// Whether a relationship leads to the parent that provides a part of the key.
    func takesKeyPart(from relationship: String?) -> Bool {
        relationship != nil && keyParts.contains { sources.parent(of: $0) == relationship }
    }

    /// Whether the key of an object is in its members alone.
    var hasPlainKey: Bool {
        if !usesSurroundings { return true }
        return sources.mapKey == nil && sources.element == nil && !keyParts.contains { sources.attributes.contains($0) }
    }

    /// Whether records have no properties other than their keys.
    var hasKeyAlone: Bool {
        relationships.isEmpty
            && attributes.indices.allSatisfy { keyParts.contains($0) || sources.attributes.contains($0) }
    }

    /// Whether a name matches a part of the key, or an object that contains one.
    func isOfKey(_ name: String) -> Bool {
        names.uses(of: name).contains { use in
            switch use.target {
            case .attribute(let attribute): keyParts.contains(attribute)
            case .paths(let tree): keyParts.contains { tree.allLeaves.contains(.attribute($0)) }
            case .relationship: false
            }
        }
    }
}

extension AttributeMap {
    /// Returns the value of a part of the key; nil if a remote cannot use it as a key.
    func keyValue(of json: Value) -> Value? {
        if case .bool = json, type != .bool, transformer == nil { return nil }
        guard let value = converted(json), !value.isNull, !value.isPartKey else { return nil }
        return value
    }
}

extension Value {
    /// Returns the value as a key of an entity; nil if no record can have it.
    func key(of map: EntityMap) throws -> Value? {
        guard map.hasKey else {
            throw SyncError(.noPrimaryKey, "'\(map.shape.name)' has no primary key to find records by")
        }
        var values = [self]
        if map.keyParts.count > 1 {
            guard case .array(let parts) = self else { return nil }
            values = parts
        }
        guard values.count == map.keyParts.count else { return nil }
        let parts: [Value] = zip(map.keyParts, values).map { part, value in
            let attribute = map.attributes[part]
            if case .bool = value, attribute.type != .bool, attribute.transformer == nil { return .null }
            return attribute.converted(value) ?? attribute.type.converted(value) ?? .null
        }
        return parts.contains { $0.isNull } ? .none : .some(map.key(of: parts))
    }
}
