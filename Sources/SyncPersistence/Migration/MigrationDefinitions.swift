/// The definitions of a schema that the steps of a migration concern, and the remaining definitions.
///
/// A step concerns a definition only if the newer schema lacks it or has another one. All names are those of the older
/// schema, because items are renamed afterwards.
struct MigrationDefinitions {
    /// The older definitions without dropped items, with the new types of converted attributes.
    private(set) var reduced: [Entity] = []

    /// The steps that drop entities.
    private(set) var droppedEntities: [String: MigrationStep] = [:]

    /// The steps that drop properties.
    private(set) var droppedProperties: [SlotID: MigrationStep] = [:]

    /// The steps that convert attributes.
    private(set) var convertedAttributes: [SlotID: MigrationStep] = [:]

    /// The steps that fill attributes.
    private(set) var filledAttributes: [SlotID: MigrationStep] = [:]

    /// The filled attributes that the older schema does not have.
    private(set) var newAttributes: Set<SlotID> = []

    /// The schema of the stored records.
    private let old: Schema
    /// The schema that the store is opened with.
    private let new: Schema
    /// The steps that the app has passed, needed or not.
    private let steps: [MigrationStep]
    /// The new names of older definitions.
    private let renaming: SchemaRenaming
    /// The older entities with what they inherit.
    private let families: [String: EntityFamily]
    /// The newer entities with what they inherit.
    private let newFamilies: [String: EntityFamily]
    /// The newer entities by name.
    private let newEntities: [String: Entity]
    /// The older schema under its new names; nil if these names are unsound together.
    private let renamed: Schema?

    /// Finds which of the steps apply to the difference of two schemas.
    ///
    /// - Complexity: O(number of properties × number of steps)
    init(from old: Schema, to new: Schema, by steps: [MigrationStep]) {
        self.old = old
        self.new = new
        self.steps = steps
        renaming = SchemaRenaming(from: old, to: new)
        families = EntityFamily.families(of: old.entities)
        newFamilies = EntityFamily.families(of: new.entities)
        newEntities = Dictionary(new.entities.map { ($0.name, $0) }) { first, _ in first }
        renamed = try? Schema(renaming.renamed(old).entities)
        findDroppedEntities()
        for entity in old.entities where droppedEntities[entity.name] == nil {
            findAttributes(of: entity)
            findRelationships(of: entity)
        }
        for entity in old.entities where droppedEntities[entity.name] == nil { reduced.append(remainder(of: entity)) }
    }
}

extension MigrationDefinitions {
    /// Returns the first step of a kind for an entity, under its older or its newer name.
    private func step(_ entity: String, where isMatch: (MigrationStep) -> Bool) -> MigrationStep? {
        let now = renaming.entity(entity)
        return steps.first { $0.entity == now && isMatch($0) } ?? steps.first { $0.entity == entity && isMatch($0) }
    }

    /// Returns the first step of a kind for a property, under its older or its newer name.
    private func step(
        _ id: SlotID, _ now: String, where isMatch: (MigrationStep.Action) -> Bool
    ) -> MigrationStep? {
        step(id.declaredBy) { $0.property == now && isMatch($0.action) }
            ?? step(id.declaredBy) { $0.property == id.name && isMatch($0.action) }
    }

    /// Returns the attribute of the newer schema that a step names by its newer or older name; nil if the older schema
    /// lacks it.
    func attribute(of step: MigrationStep) -> SlotID? {
        let names = old.entities.map(\.name)
        let entity = names.first { renaming.entity($0) == step.entity } ?? step.entity
        let own = families[entity]?.attributes.filter { $0.declaredBy == entity } ?? []
        let named = own.first { renaming.property($0) == step.property } ?? own.first { $0.name == step.property }
        guard let attribute = named, newAttribute(attribute, of: entity) != nil else { return nil }
        return SlotID(declaredBy: renaming.entity(entity), name: renaming.property(attribute))
    }

    /// Returns the newer entity that an older one has become; nil if there is none.
    private func newFamily(_ entity: String) -> EntityFamily? { newFamilies[renaming.entity(entity)] }

    /// Returns the step that fills an empty slot of a shape's records: of a new attribute, or of one that has become
    /// mandatory.
    func fill(_ slot: Slot, of shape: Shape) -> MigrationStep? {
        guard let step = filledAttributes[slot.id] else { return nil }
        if newAttributes.contains(slot.id) { return step }
        guard let declared = families[shape.name]?.attribute(named: slot.name),
            declared.definition.isOptional || convertedAttributes[slot.id] != nil
        else { return nil }
        return newAttribute(declared, of: shape.name)?.isOptional == false ? step : nil
    }

    /// Returns the newer schema's attribute for an older one.
    private func newAttribute(_ attribute: DeclaredProperty<Attribute>, of entity: String) -> Attribute? {
        newFamily(entity)?.attribute(named: renaming.property(attribute))?.definition
    }
}

extension MigrationDefinitions {
    /// Parents come before their heirs, which must be dropped with them.
    private mutating func findDroppedEntities() {
        let order = old.entities.sorted {
            (families[$0.name]?.lineage.count ?? 0) < (families[$1.name]?.lineage.count ?? 0)
        }
        for entity in order where isToBeDropped(entity) {
            droppedEntities[entity.name] = step(entity.name) { if case .dropEntity = $0.action { true } else { false } }
        }
    }

    /// Whether an entity is missing in the newer schema, or inherits one that is dropped.
    private func isToBeDropped(_ entity: Entity) -> Bool {
        guard let now = newEntities[renaming.entity(entity.name)] else { return true }
        if let parent = entity.parent, droppedEntities[parent] != nil { return true }
        if entity.parent.map({ renaming.entity($0) }) != now.parent { return true }
        return entity.parent == nil && keys(of: entity, renamed: true) != keys(of: now, renamed: false)
    }

    /// Returns the primary key of an entity, as names with types.
    private func keys(of entity: Entity, renamed: Bool) -> [[String]] {
        entity.attributes.filter(\.isPrimaryKey).map { attribute in
            let declared = renamed ? families[entity.name]?.attribute(named: attribute.name) : nil
            return [declared.map { renaming.property($0) } ?? attribute.name, attribute.type.rawValue]
        }
    }

    /// Finds the attributes of an entity that a step drops or converts.
    private mutating func findAttributes(of entity: Entity) {
        for attribute in entity.attributes {
            guard let declared = families[entity.name]?.attribute(named: attribute.name),
                declared.declaredBy == entity.name, !attribute.isPrimaryKey
            else { continue }
            let name = renaming.property(declared)
            if let now = newAttribute(declared, of: entity.name) {
                if now.type != attribute.type {
                    let convert = step(declared.id, name) { if case .convert = $0 { true } else { false } }
                    if let convert { convertedAttributes[declared.id] = convert }
                }
                if now.type == attribute.type || convertedAttributes[declared.id] != nil {
                    filledAttributes[declared.id] = step(declared.id, name) {
                        if case .fill = $0 { true } else { false }
                    }
                    continue
                }
            }
            droppedProperties[declared.id] = dropStep(declared.id, name)
        }
    }

    /// Returns the step that drops a property; nil if there is none.
    private func dropStep(_ id: SlotID, _ now: String) -> MigrationStep? {
        step(id, now) { if case .drop = $0 { true } else { false } }
    }

    /// Finds the relationships of an entity that a step drops.
    private mutating func findRelationships(of entity: Entity) {
        for relationship in entity.relationships {
            guard let declared = families[entity.name]?.relationship(named: relationship.name),
                declared.declaredBy == entity.name
            else { continue }
            if let step = droppedEntities[relationship.destination] {
                droppedProperties[declared.id] = step
            } else if !isKept(relationship, declared, of: entity.name) {
                droppedProperties[declared.id] = dropStep(declared.id, renaming.property(declared))
            }
        }
    }

    /// Whether the newer schema stores a relationship in the same way.
    private func isKept(
        _ relationship: Relationship, _ declared: DeclaredProperty<Relationship>, of entity: String
    ) -> Bool {
        guard let now = newFamily(entity)?.relationship(named: renaming.property(declared))?.definition else {
            return false
        }
        guard now.isToMany == relationship.isToMany, now.destination == renaming.entity(relationship.destination),
            now.isOrdered || !relationship.isOrdered
        else { return false }
        // Another inverse or another mandatory end may change where the relationship is stored.
        guard let renamed else {
            let inverse = relationship.inverse.flatMap { families[relationship.destination]?.relationship(named: $0) }
            let other = inverse.flatMap {
                newFamily(relationship.destination)?.relationship(named: renaming.property($0))?.definition
            }
            return now.inverse == inverse.map { renaming.property($0) } && now.isOptional == relationship.isOptional
                && other?.isOptional == inverse?.definition.isOptional
        }
        let (shape, name) = (renaming.entity(entity), renaming.property(declared))
        guard let before = renamed[shape]?.relationship(named: name)?.storage,
            let after = new[shape]?.relationship(named: name)?.storage
        else { return false }
        return before.canBecome(after)
    }
}

extension MigrationDefinitions {
    /// Returns a definition without dropped properties.
    private mutating func remainder(of entity: Entity) -> Entity {
        guard let family = families[entity.name] else { return entity }
        var remainder = entity
        remainder.attributes = entity.attributes.compactMap { attribute in
            guard let declared = family.attribute(named: attribute.name) else { return attribute }
            if droppedProperties[declared.id] != nil { return nil }
            guard convertedAttributes[declared.id] != nil, let now = newAttribute(declared, of: entity.name) else {
                return attribute
            }
            var converted = attribute
            converted.type = now.type
            converted.defaultValue = now.defaultValue
            return converted
        }
        remainder.relationships = entity.relationships.compactMap { relationship in
            guard let declared = family.relationship(named: relationship.name) else { return relationship }
            if droppedProperties[declared.id] != nil { return nil }
            let inverse = relationship.inverse.flatMap { families[relationship.destination]?.relationship(named: $0) }
            guard let inverse, droppedProperties[inverse.id] != nil else { return relationship }
            var alone = relationship
            alone.inverse = nil
            return alone
        }
        remainder.attributes += filledAttributes(newIn: entity)
        return remainder
    }

    /// Returns the new attributes that a step fills: without a default, and still optional.
    private mutating func filledAttributes(newIn entity: Entity) -> [Attribute] {
        guard let now = newEntities[renaming.entity(entity.name)], let lineage = families[entity.name]?.lineage else {
            return []
        }
        // Two entities that inherit one parent may each have a property of one name.
        var taken: Set<String> = []
        for (name, family) in families
        where droppedEntities[name] == nil && (lineage.contains(name) || family.lineage.contains(entity.name)) {
            for attribute in family.attributes where droppedProperties[attribute.id] == nil {
                taken.formUnion([attribute.name, renaming.property(attribute)])
            }
            for relationship in family.relationships where droppedProperties[relationship.id] == nil {
                taken.formUnion([relationship.name, renaming.property(relationship)])
            }
        }
        return now.attributes.compactMap { attribute in
            let id = SlotID(declaredBy: entity.name, name: attribute.name)
            guard !taken.contains(attribute.name), !attribute.isPrimaryKey,
                newFamily(entity.name)?.attribute(named: attribute.name)?.declaredBy == now.name,
                let step = step(id, attribute.name, where: { if case .fill = $0 { true } else { false } })
            else { return nil }
            filledAttributes[id] = step
            newAttributes.insert(id)
            var filled = attribute
            (filled.isOptional, filled.defaultValue, filled.renamedFrom) = (true, .null, nil)
            return filled
        }
    }
}
