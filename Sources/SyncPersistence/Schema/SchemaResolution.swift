/// The shapes of definitions that ``SchemaValidation`` has found valid.
struct SchemaResolution {
    /// The shapes of the app's records and of links.
    private(set) var shapes: [Shape] = []
    /// The shapes of the library's own rows, such as those of journals.
    private(set) var internalShapes: [Shape] = []

    /// The definitions, by name.
    let entities: [String: Entity]
    /// The entities with what they inherit, by name.
    let families: [String: EntityFamily]

    /// The slots and links that refer to records of an entity, without a relationship of the entity that covers them.
    var incoming: [String: [IncomingReference]] = [:]

    /// The slots of an entity's records for their positions in ordered relationships of others.
    var positions: [String: [Slot]] = [:]

    /// The relationships whose rule may leave references to deleted records.
    var relationshipsWithoutAction: Set<SlotID> = []

    /// Makes the shapes of valid definitions.
    ///
    /// - Complexity: O(number of properties, inherited ones counted for each entity)
    init(_ definitions: [Entity]) {
        entities = Dictionary(definitions.map { ($0.name, $0) }) { first, _ in first }
        families = EntityFamily.families(of: definitions)
        let declared = definitions.flatMap { entity in
            entity.relationships.compactMap { families[entity.name]?.relationship(named: $0.name) }
        }
        for relationship in declared where relationship.definition.deleteRule == .noAction {
            relationshipsWithoutAction.insert(relationship.id)
        }
        var seen: Set<SlotID> = []
        let relationships = declared.filter { seen.insert($0.id).inserted }
        for relationship in relationships { addSlots(for: relationship) }
        let links = relationships.compactMap { linkShape(of: $0) }
        for shape in links {
            for slot in shape.slots {
                guard case .reference(let destination, _, _) = slot.content else { continue }
                incoming[destination, default: []].append(IncomingReference(shape: shape.name, slot: slot.name))
            }
        }
        shapes = definitions.compactMap { shape(of: $0) }
        let synced = shapes + links
        internalShapes = links + synced.map { SchemaResolution.journal(of: $0) } + SchemaResolution.ownShapes
    }
}

extension SchemaResolution {
    /// Returns the shape of an entity's records; nil for an unknown entity.
    private func shape(of entity: Entity) -> Shape? {
        guard let family = families[entity.name] else { return nil }
        let keyNames = Set(keyAttributes(of: entity.name).map(\.name))
        var slots: [Slot] = []
        if keyNames == [Schema.implicitKey] {
            slots.append(
                Slot(
                    Schema.implicitKey, .attribute(.integer), isOptional: false,
                    declaredBy: family.lineage.last ?? entity.name, isInternal: true))
        }
        for attribute in family.attributes {
            let definition = attribute.definition
            slots.append(
                Slot(
                    definition.name, .attribute(definition.type),
                    isOptional: definition.isOptional && !keyNames.contains(definition.name),
                    default: definition.defaultValue, isIndexed: definition.isIndexed,
                    declaredBy: attribute.declaredBy, renamedFrom: attribute.origin.renamedFrom))
        }
        slots += family.relationships.compactMap { referenceSlot(of: $0) }
        slots += family.lineage.reversed().flatMap { positions[$0] ?? [] }
        return Shape(
            name: entity.name, lineage: family.lineage, isAbstract: entity.isAbstract, slots: slots,
            keySlots: slots.indices.filter { keyNames.contains(slots[$0].name) },
            relationships: family.relationships.map {
                ShapeRelationship(definition: $0.definition, declaredBy: $0.declaredBy, storage: storage(of: $0))
            },
            incoming: family.lineage.flatMap { incoming[$0] ?? [] }, role: nil)
    }

    /// Returns the attributes of the primary key: those of the topmost entity, or the implicit one.
    func keyAttributes(of entity: String) -> [Attribute] {
        let root = families[entity]?.lineage.last.flatMap { entities[$0] }
        let own = root?.attributes.filter(\.isPrimaryKey) ?? []
        return own.isEmpty ? [Attribute(Schema.implicitKey, .integer, isPrimaryKey: true)] : own
    }
}
