import SyncPersistence

extension EntityMap {
    /// Whether a value is an object of the entity, or can replace one.
    func takes(_ json: Value, inMap: Bool = false) -> Bool {
        if case .object = json { return true }
        guard inMap ? sources.takesElementsInMaps : sources.takesElements else { return false }
        return !json.isNull && !json.isArray
    }

    /// Returns a value as an object, with the value itself if it replaces an object; nil for other values.
    func object(for json: Value, inMap: Bool = false) -> (object: ValueObject, element: Value?)? {
        if case .object(let object) = json { return (object, nil) }
        return takes(json, inMap: inMap) ? (ValueObject(), json) : nil
    }

    /// Returns the elements of an array, or the members of a map; nil for other values.
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

    /// Whether an object that is a whole payload is a record, not a map of records.
    ///
    /// A record states all parts of its key. A map of objects does not.
    func isRecord(_ object: ValueObject) -> Bool {
        if sources.mapKey == nil { return true }
        // Any word may be the name of a text in a map.
        if sources.takesElementsInMaps { return false }
        let plan = plan(for: object)
        return zip(keyParts, plan.keyMembers).allSatisfy { part, member in
            if sources.constant(part) != nil { return true }
            let leaf = plan.leaf(.attribute(part), of: object, at: .root)?.0
            guard let value = leaf ?? member.map({ object.values[$0] }) else { return false }
            return !value.isNull && !value.isObject && !value.isArray
        }
    }

    /// Returns the surroundings of an object that is nested in another; nil if no attribute needs them.
    func surroundings(
        mapKey: String? = nil, _ element: Value?, in parent: Record, _ relationship: RelationshipMap
    ) -> Surroundings? {
        guard usesSurroundings else { return nil }
        return Surroundings(
            mapKey: mapKey, element: element, parent: parent, inverse: relationship.definition.inverse)
    }

    /// Whether an object has members, but none of them matches the schema.
    func isForeign(_ object: ValueObject) -> Bool {
        !object.names.isEmpty && plan(for: object).unknown.count == object.names.count
    }

    /// Whether a new record has all mandatory values once it has the values of an object.
    func isCompleted(by object: ValueObject) -> Bool {
        let plan = plan(for: object)
        return mandatorySlots.allSatisfy { slot in
            if !defaults[slot].isNull { return true }
            guard let (member, attribute) = plan.attributes.first(where: { $0.attribute.slot == slot }) else {
                return false
            }
            return attribute.converted(object.values[member]).map { !$0.isNull } ?? false
        }
    }
}

extension EntityMap {
    /// Returns a new record with its key and default values.
    ///
    /// - Parameter storedKey: The primary key, if `key` is not the primary key.
    func newRecord(_ key: Value, storedKey: Value?) -> Record {
        // Fills slot by slot, because copying an array retains values that are replaced next.
        var values = Array(repeatElement(Value.null, count: shape.slots.count))
        for slot in defaultSlots { values[slot] = defaults[slot] }
        var record = Record(shape, slots: values)
        setKey(of: &record, to: key)
        if !isKeyPrimary, let storedKey { record[Schema.implicitKey] = storedKey }
        return record
    }

    /// Sets the attributes that identify a record.
    func setKey(of record: inout Record, to key: Value) {
        if keyParts.count == 1 {
            record.values[attributes[keyParts[0]].slot] = key
        } else if case .array(let parts) = key {
            for (part, value) in zip(keyParts, parts) { record.values[attributes[part].slot] = value }
        }
    }

    /// Calls `body` with the attributes for which an object or its surroundings have a value, and the values.
    ///
    /// Values that an attribute cannot store are left out.
    func forEachValue(
        of object: ValueObject, _ plan: Plan, _ surroundings: Surroundings?, _ body: (AttributeMap, Value) -> Void
    ) {
        func pass(_ attribute: AttributeMap, _ value: Value?) {
            if let value, !value.isNull || !attribute.isMandatory { body(attribute, value) }
        }
        for (member, attribute) in plan.attributes { pass(attribute, attribute.converted(object.values[member])) }
        for position in plan.paths.isEmpty ? [] : Array(attributes.indices) {
            guard let (json, _) = plan.leaf(.attribute(position), of: object, at: .root) else { continue }
            pass(attributes[position], attributes[position].converted(json))
        }
        guard let surroundings else { return }
        for position in sources.attributes {
            let attribute = attributes[position]
            let source = sources.value(of: position, attribute.type, surroundings)
            pass(attribute, source.flatMap { attribute.value(of: $0) })
        }
    }

    /// Returns a record with the default values of its attributes.
    func emptied(_ record: Record) -> Record {
        var record = record
        for attribute in attributes where !shape.keySlots.contains(attribute.slot) {
            record.values[attribute.slot] = defaults[attribute.slot]
        }
        return record
    }

    /// Returns a record of the entity that replaces one of another entity, with the values that both entities have.
    func record(from other: Record) -> Record {
        var record = Record(shape, slots: defaults)
        for (position, slot) in shape.slots.enumerated() {
            guard let known = other.shape.slot(named: slot.name), other.shape.slots[known].declaredBy == slot.declaredBy
            else { continue }
            record.values[position] = other.values[known]
        }
        return record
    }
}
