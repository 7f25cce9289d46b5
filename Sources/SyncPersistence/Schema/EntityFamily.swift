/// An entity with all that it inherits.
package struct EntityFamily {
    /// The names of the entity and those that it inherits, up to the root.
    package let lineage: [String]

    /// Own and inherited attributes, those of the root first.
    package private(set) var attributes: [DeclaredProperty<Attribute>]

    /// Own and inherited relationships, those of the root first.
    package private(set) var relationships: [DeclaredProperty<Relationship>]

    private var attributesByName: [String: Int]
    private var relationshipsByName: [String: Int]

    init(of entity: Entity, parent: EntityFamily?) {
        lineage = [entity.name] + (parent?.lineage ?? [])
        attributes = parent?.attributes ?? []
        relationships = parent?.relationships ?? []
        attributesByName = parent?.attributesByName ?? [:]
        relationshipsByName = parent?.relationshipsByName ?? [:]
        for attribute in entity.attributes {
            Self.add(attribute, attribute.name, of: entity, to: &attributes, at: &attributesByName)
        }
        for relationship in entity.relationships {
            Self.add(relationship, relationship.name, of: entity, to: &relationships, at: &relationshipsByName)
        }
    }

    private static func add<Property>(
        _ property: Property, _ name: String, of entity: Entity, to properties: inout [DeclaredProperty<Property>],
        at positions: inout [String: Int]
    ) {
        if let position = positions[name] {
            properties[position].definition = property
        } else {
            positions[name] = properties.count
            properties.append(
                DeclaredProperty(definition: property, origin: property, declaredBy: entity.name, name: name))
        }
    }

    /// The attribute with a name, its own or an inherited one.
    package func attribute(named name: String) -> DeclaredProperty<Attribute>? {
        attributesByName[name].map { attributes[$0] }
    }

    /// The relationship with a name, its own or an inherited one.
    package func relationship(named name: String) -> DeclaredProperty<Relationship>? {
        relationshipsByName[name].map { relationships[$0] }
    }
}

extension EntityFamily {
    /// The families of all entities, whose names are unique and whose parents lead to a root.
    ///
    /// - Complexity: O(number of properties, inherited ones counted for each entity)
    package static func families(of entities: [Entity]) -> [String: EntityFamily] {
        let byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        var families: [String: EntityFamily] = [:]
        for entity in entities {
            var path: [Entity] = []
            var next: Entity? = entity
            while let entity = next, families[entity.name] == nil {
                path.append(entity)
                next = entity.parent.flatMap { byName[$0] }
            }
            for entity in path.reversed() {
                families[entity.name] = EntityFamily(of: entity, parent: entity.parent.flatMap { families[$0] })
            }
        }
        return families
    }
}

/// A property of an entity, which it declares itself or inherits.
package struct DeclaredProperty<Property> {
    /// As the entity declares it, or the nearest that it inherits.
    package var definition: Property

    /// As the topmost entity declares it, which says where it is kept.
    package let origin: Property

    /// The topmost entity that declares it.
    package let declaredBy: String

    /// The name.
    package let name: String

    /// What tells it from the properties of all entities.
    var id: SlotID { SlotID(declaredBy: declaredBy, name: name) }
}
