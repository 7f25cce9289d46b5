import SyncPersistence

/// The mapping of a remote's objects to records of one entity.
final class EntityMap {
    /// The shape of the entity's records.
    let shape: Shape
    /// The mappings of the attributes, in the order of their slots.
    let attributes: [AttributeMap]
    /// The relationships that objects may state, in the order of the schema.
    let relationships: [RelationshipMap]

    /// The indices in `attributes` of the attributes that identify objects: usually the primary key.
    ///
    /// There are none if the entity has neither a primary key nor a flagged attribute.
    let keyParts: [Int]

    /// Whether the attributes that identify objects are the primary key of the records.
    let isKeyPrimary: Bool

    /// The JSON key whose value names the entity of an object: this one or one that inherits from it.
    let discriminator: String?

    /// The path of a value that states whether an object's record is deleted.
    let deletedPath: PayloadPath?

    /// Whether the remote key of a relationship leads through an array.
    let hasListPaths: Bool

    /// The names of members that describe a record or list and are not properties.
    var flagNames: Set<String> { Set((relationships.map(\.morePath) + [deletedPath]).compactMap { $0?.steps.first }) }

    /// The values of a new record.
    let defaults: [Value]
    /// The slots of the default values that are not null.
    let defaultSlots: [Int]

    /// The slots of the attributes and relationships that must have a value.
    let mandatorySlots: [Int]

    /// Whether the key is text, and every text is a valid key.
    let hasTextKey: Bool

    /// Whether the sync has checked that the entity stores records, not the elements of a collection.
    var isKnownToKeepRecords = false

    /// The attributes whose values come from the place of an object.
    let sources: AttributeSources

    /// Whether an attribute of the hierarchy gets its values from the place of an object.
    let usesSurroundings: Bool

    /// The names that match the properties.
    let names: PropertyNames
    /// The plans of up to 16 lists of names.
    private var plans: [Plan] = []
    /// The plan that was used last.
    private var latest: Plan?

    init(
        _ shape: Shape, in schema: Schema, lineage: [Entity], _ transformers: [String: AttributeTransformer],
        constants: [String: Value], usesSurroundings: Bool
    ) throws {
        if let error = lineage.lazy.flatMap(\.invalidDateFormats).first { throw error }
        if let error = lineage.lazy.flatMap(\.invalidUnlisted).first { throw error }
        var definitions: [String: Attribute] = [:]
        for entity in lineage {
            for attribute in entity.attributes where definitions[attribute.name] == nil {
                definitions[attribute.name] = attribute
            }
        }
        self.shape = shape
        let attributes = shape.slots.indices.compactMap { position -> AttributeMap? in
            let slot = shape.slots[position]
            guard case .attribute = slot.content, !slot.isInternal, let definition = definitions[slot.name] else {
                return nil
            }
            return AttributeMap(
                definition, slot: position, isMandatory: !slot.isOptional,
                transformer: definition.transformer.flatMap { transformers[$0] },
                needsTransformer: definition.userInfo[EntityVocabulary.isTransformable] == "YES")
        }
        self.attributes = attributes
        relationships = shape.relationships.map { RelationshipMap($0, in: schema) }
        isKeyPrimary = !shape.hasImplicitKey
        keyParts =
            isKeyPrimary
            ? shape.keySlots.compactMap { slot in attributes.firstIndex { $0.slot == slot } }
            : attributes.indices.filter { attributes[$0].definition.isFlaggedKey }
        hasTextKey = isKeyPrimary && keyParts.count == 1 && attributes[keyParts[0]].takesText
        sources = try AttributeSources(
            of: shape, attributes, keyParts: keyParts, in: schema, constants: constants)
        self.usesSurroundings = usesSurroundings
        discriminator = lineage.lazy.compactMap { $0.userInfo[EntityVocabulary.discriminator] }.first
        deletedPath = lineage.lazy.compactMap { $0.userInfo[EntityVocabulary.deletedPath] }.first.map {
            PayloadPath($0)
        }
        hasListPaths = relationships.contains { $0.path?.listDepth != nil }
        defaults = shape.slots.map(\.defaultValue)
        defaultSlots = shape.slots.indices.filter { !shape.slots[$0].defaultValue.isNull }
        mandatorySlots = shape.slots.indices.filter { !shape.slots[$0].isOptional && !shape.keySlots.contains($0) }
        names = try PropertyNames(of: shape, attributes, relationships)
    }
}

extension EntityMap {
    /// Whether objects of the entity can be identified.
    var hasKey: Bool { !keyParts.isEmpty }

    /// Returns the discriminator's value of an object; nil if it has none.
    func discriminatorValue(of object: ValueObject) -> Value? {
        guard let discriminator, let value = object[discriminator], !value.isNull else { return nil }
        return value
    }

    /// Returns the relationship that a name matches; nil if there is none.
    func relationship(under name: String) -> RelationshipMap? {
        for use in names.uses(of: name) {
            if case .relationship(let position, _) = use.target { return relationships[position] }
        }
        return nil
    }

    /// Whether an object states that its record is deleted.
    func saysDeleted(_ object: ValueObject) -> Bool {
        deletedPath.flatMap { Value.object(object).located(at: $0).content?.saysDeleted } ?? false
    }

    /// Returns how the members of an object with the given names are used.
    ///
    /// - Complexity: O(1) for names of an earlier object of the same list, else O(number of names)
    func plan(for object: ValueObject) -> Plan {
        if let latest, object.hasNames(of: latest.example) { return latest }
        for plan in plans where object.hasNames(of: plan.example) {
            latest = plan
            return plan
        }
        let plan = Plan(for: object, names, of: self)
        if plans.count == 16 { plans.removeFirst() }
        plans.append(plan)
        latest = plan
        return plan
    }

    /// Returns the part of the key that a member forms, and how directly its name matches; nil for other members.
    func keyUse(of name: String) -> (part: Int, rank: Int)? {
        for use in names.uses(of: name) {
            if case .attribute(let attribute) = use.target, let part = keyParts.firstIndex(of: attribute) {
                return (part, use.rank)
            }
        }
        return nil
    }

    /// Returns the token of a record, which is equal for equal keys.
    func token(of key: Value) -> UInt64 { RecordToken.record(key, of: shape) }
}
