/// Makes shapes of definitions that ``SchemaValidation`` has found sound.
struct SchemaResolution {
    private(set) var shapes: [Shape] = []
    private(set) var internalShapes: [Shape] = []

    private let entities: [String: Entity]

    /// The relationships without an inverse, and those kept elsewhere, as slots that name a record of an entity.
    private var incoming: [String: [IncomingReference]] = [:]

    init(_ definitions: [Entity]) {
        entities = Dictionary(definitions.map { ($0.name, $0) }) { first, _ in first }
        let links = definitions.flatMap { linkShapes(of: $0) }
        for entity in definitions { noteIncoming(of: entity) }
        for shape in links {
            for slot in shape.slots {
                guard case .reference(let destination, _, _) = slot.content else { continue }
                incoming[destination, default: []].append(IncomingReference(shape: shape.name, slot: slot.name))
            }
        }
        shapes = definitions.map { shape(of: $0) }
        let synced = shapes + links
        internalShapes = links + synced.map { SchemaResolution.journal(of: $0) } + SchemaResolution.ownShapes
    }
}

extension SchemaResolution {
    /// The names of an entity and those that it inherits.
    private func lineage(of entity: Entity) -> [String] {
        var names = [entity.name]
        var parent = entity.parent
        while let name = parent, let entity = entities[name] {
            names.append(name)
            parent = entity.parent
        }
        return names
    }

    private func shape(of entity: Entity) -> Shape {
        let lineage = lineage(of: entity)
        let family = lineage.reversed().compactMap { entities[$0] }
        var slots: [Slot] = []
        func add(_ slot: Slot) {
            // A property may be declared anew by an entity that inherits it; the last word counts.
            if let position = slots.firstIndex(where: { $0.name == slot.name }) {
                slots[position] = slot
            } else {
                slots.append(slot)
            }
        }
        if !family.contains(where: { $0.attributes.contains(where: \.isPrimaryKey) }) {
            add(
                Slot(
                    Schema.implicitKey, .attribute(.integer), isOptional: false,
                    declaredBy: lineage.last ?? entity.name,
                    isInternal: true))
        }
        for ancestor in family {
            for attribute in ancestor.attributes {
                add(
                    Slot(
                        attribute.name, .attribute(attribute.type), isOptional: attribute.isOptional,
                        default: attribute.defaultValue, isIndexed: attribute.isIndexed, declaredBy: ancestor.name,
                        renamedFrom: attribute.renamedFrom))
            }
        }
        for ancestor in family {
            for relationship in ancestor.relationships { referenceSlots(of: relationship, in: ancestor).forEach(add) }
        }
        // Places in the ordered relationships of others that lead to this entity and are kept in its records.
        for other in entities.values.sorted(by: { $0.name < $1.name }) {
            for relationship in other.relationships where lineage.contains(relationship.destination) {
                guard case .inverse(_, let position?) = storage(of: relationship, in: other) else { continue }
                add(
                    Slot(
                        position, .attribute(.integer), declaredBy: relationship.destination, isInternal: true))
            }
        }
        let keyNames = Set(keyAttributes(of: entity).map(\.name))
        var relationships: [ShapeRelationship] = []
        for ancestor in family {
            for relationship in ancestor.relationships {
                let resolved = ShapeRelationship(
                    definition: relationship, declaredBy: ancestor.name,
                    storage: storage(of: relationship, in: ancestor))
                relationships.removeAll { $0.definition.name == relationship.name }
                relationships.append(resolved)
            }
        }
        return Shape(
            name: entity.name, lineage: lineage, isAbstract: entity.isAbstract, slots: slots,
            keySlots: slots.indices.filter { keyNames.contains(slots[$0].name) }, relationships: relationships,
            incoming: lineage.flatMap { incoming[$0] ?? [] }, role: nil)
    }

    /// The attributes of the primary key: those of the topmost entity, or the implicit one.
    private func keyAttributes(of entity: Entity) -> [Attribute] {
        let family = lineage(of: entity).reversed().compactMap { entities[$0] }
        let own = family.first { $0.attributes.contains(where: \.isPrimaryKey) }
        return own?.attributes.filter(\.isPrimaryKey) ?? [Attribute(Schema.implicitKey, .integer, isPrimaryKey: true)]
    }

    private func keyTypes(of name: String) -> [AttributeType] {
        entities[name].map { keyAttributes(of: $0).map(\.type) } ?? []
    }
}

extension SchemaResolution {
    /// The relationship that leads back, and the entity that declares it.
    private func inverse(of relationship: Relationship) -> (relationship: Relationship, entity: Entity)? {
        guard let name = relationship.inverse, let destination = entities[relationship.destination] else { return nil }
        for ancestor in lineage(of: destination).compactMap({ entities[$0] }) {
            if let inverse = ancestor.relationships.first(where: { $0.name == name }) { return (inverse, ancestor) }
        }
        return nil
    }

    private func storage(of relationship: Relationship, in entity: Entity) -> ShapeRelationship.Storage {
        let inverse = inverse(of: relationship)
        let isSymmetric = inverse.map { $0.entity.name == entity.name && $0.relationship.name == relationship.name }
        if relationship.isToMany {
            if let inverse, !inverse.relationship.isToMany {
                return .inverse(
                    slot: inverse.relationship.name,
                    position: relationship.isOrdered ? "sync.position.\(entity.name).\(relationship.name)" : nil)
            }
            if isSymmetric == true { return .links(linkName(relationship, entity), .both) }
            if let inverse, (inverse.entity.name, inverse.relationship.name) < (entity.name, relationship.name) {
                return .links(linkName(inverse.relationship, inverse.entity), .target)
            }
            return .links(linkName(relationship, entity), .source)
        }
        guard let inverse else {
            return .reference(slot: relationship.name, isExclusive: false, isSymmetric: false)
        }
        if inverse.relationship.isToMany {
            return .reference(slot: relationship.name, isExclusive: false, isSymmetric: false)
        }
        if isSymmetric == true { return .reference(slot: relationship.name, isExclusive: true, isSymmetric: true) }
        // Of two ends with one record each, the mandatory one keeps the key; of two alike, the first by name.
        let here = (relationship.isOptional ? 1 : 0, entity.name, relationship.name)
        let there = (inverse.relationship.isOptional ? 1 : 0, inverse.entity.name, inverse.relationship.name)
        return here < there
            ? .reference(slot: relationship.name, isExclusive: true, isSymmetric: false)
            : .inverse(slot: inverse.relationship.name, position: nil)
    }

    private func linkName(_ relationship: Relationship, _ entity: Entity) -> String {
        "sync.links.\(entity.name).\(relationship.name)"
    }

    private func referenceSlots(of relationship: Relationship, in entity: Entity) -> [Slot] {
        guard case .reference(let name, _, _) = storage(of: relationship, in: entity) else { return [] }
        return [
            Slot(
                name,
                .reference(
                    to: relationship.destination, keyTypes(of: relationship.destination),
                    isEnforced: inverse(of: relationship)?.relationship.deleteRule != .noAction),
                isOptional: relationship.isOptional, isIndexed: true, declaredBy: entity.name,
                renamedFrom: relationship.renamedFrom)
        ]
    }

    private mutating func noteIncoming(of entity: Entity) {
        for relationship in entity.relationships where inverse(of: relationship) == nil {
            guard case .reference(let slot, _, _) = storage(of: relationship, in: entity) else { continue }
            incoming[relationship.destination, default: []].append(IncomingReference(shape: entity.name, slot: slot))
        }
    }

    private func linkShapes(of entity: Entity) -> [Shape] {
        entity.relationships.compactMap { relationship in
            let storage = storage(of: relationship, in: entity)
            guard case .links(let name, let end) = storage, end != .target else { return nil }
            var slots = [("source", entity.name), ("target", relationship.destination)].map { slot, destination in
                Slot(
                    slot, .reference(to: destination, keyTypes(of: destination), isEnforced: true), isOptional: false,
                    isIndexed: slot == "target", declaredBy: name)
            }
            if relationship.isOrdered {
                slots.append(Slot("position", .attribute(.integer), declaredBy: name, isInternal: true))
            }
            if end != .both, inverse(of: relationship)?.relationship.isOrdered == true {
                slots.append(Slot("inversePosition", .attribute(.integer), declaredBy: name, isInternal: true))
            }
            return Shape(
                name: name, lineage: [name], isAbstract: false, slots: slots, keySlots: [0, 1], relationships: [],
                incoming: [], role: .links)
        }
    }
}

extension SchemaResolution {
    /// The shape of the old images of the records of a shape.
    private static func journal(of shape: Shape) -> Shape {
        let slots = shape.slots.enumerated().map { position, slot in
            var content = slot.content
            if case .reference(let destination, let types, _) = content {
                content = .reference(to: destination, types, isEnforced: false)
            }
            return Slot(
                slot.name, content, isOptional: !shape.keySlots.contains(position), declaredBy: slot.declaredBy,
                renamedFrom: slot.renamedFrom, isInternal: slot.isInternal)
        }
        let name = JournalEntry.shapeName(of: shape.name)
        return Shape(
            name: name, lineage: shape.lineage.map(JournalEntry.shapeName), isAbstract: shape.isAbstract,
            slots: slots + JournalEntry.ownSlots(declaredBy: JournalEntry.shapeName(of: shape.root)),
            keySlots: shape.keySlots, relationships: [], incoming: [], role: .journal(of: shape.name))
    }

    private static let ownShapes = [
        Shape(
            name: "sync.metadata", lineage: ["sync.metadata"], isAbstract: false,
            slots: [
                Slot("name", .attribute(.string), isOptional: false, declaredBy: "sync.metadata"),
                Slot("value", .attribute(.string), isOptional: false, declaredBy: "sync.metadata"),
            ], keySlots: [0], relationships: [], incoming: [], role: .metadata),
        Shape(
            name: "sync.tombstones", lineage: ["sync.tombstones"], isAbstract: false,
            slots: [
                Slot("entity", .attribute(.string), isOptional: false, declaredBy: "sync.tombstones"),
                Slot("key", .attribute(.string), isOptional: false, declaredBy: "sync.tombstones"),
                Slot(
                    "sequence", .attribute(.integer), isOptional: false, isIndexed: true,
                    declaredBy: "sync.tombstones"),
            ], keySlots: [0, 1], relationships: [], incoming: [], role: .tombstones),
    ]
}
