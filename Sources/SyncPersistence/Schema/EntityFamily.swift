/// An entity with its own and its inherited properties.
package struct EntityFamily {
    /// The names of the entity and of those that it inherits, up to the root.
    package let lineage: [String]

    /// The own and inherited attributes, those of the root first.
    package private(set) var attributes: [DeclaredProperty<Attribute>]

    /// The own and inherited relationships, those of the root first.
    package private(set) var relationships: [DeclaredProperty<Relationship>]

    /// The positions of the attributes, by name.
    private var attributesByName: [String: Int]
    /// The positions of the relationships, by name.
    private var relationshipsByName: [String: Int]

    /// Creates the family of an entity from that of its parent.
    ///
    /// - Complexity: O(number of own and inherited properties)
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

    /// Adds a property, or replaces the inherited one with its name at its position.
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

    /// Returns the own or inherited attribute with a name.
    package func attribute(named name: String) -> DeclaredProperty<Attribute>? {
        attributesByName[name].map { attributes[$0] }
    }

    /// Returns the own or inherited relationship with a name.
    package func relationship(named name: String) -> DeclaredProperty<Relationship>? {
        relationshipsByName[name].map { relationships[$0] }
    }
}

extension EntityFamily {
    /// Returns the families of all entities.
    ///
    /// Names must be unique, and parents must lead to a root.
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

/// A property that an entity declares or inherits.
package struct DeclaredProperty<Property> {
    /// The declaration by the entity, or by the nearest one that it inherits.
    package var definition: Property

    /// The declaration by the topmost entity, which determines where the property is stored.
    let origin: Property

    /// The topmost entity that declares it.
    let declaredBy: String

    /// The name, which the property has in all entities of the hierarchy.
    package let name: String

    /// The identifier of the property among those of all entities.
    var id: SlotID { SlotID(declaredBy: declaredBy, name: name) }
}
