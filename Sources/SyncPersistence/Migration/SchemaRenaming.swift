/// The new names of an older schema's entities and properties.
///
/// A name that both schemas have refers to the same thing. A name that only the newer schema has is a new name if its
/// `renamedFrom` is a name that only the older schema has. So hints at earlier renamings do no harm.
///
/// A hint that the older schema has too is followed as well: `a` becomes `b` and later `c`, both with the hint `a`.
struct SchemaRenaming {
    /// The new names of renamed entities, by their older names.
    private var entities: [String: String] = [:]

    /// The new names of properties, by their names in the older schema and the topmost entities that declare them.
    private var properties: [SlotID: String] = [:]

    /// Finds the renamed entities and properties.
    ///
    /// - Complexity: O(number of properties of both schemas)
    init(from old: Schema, to new: Schema) {
        let names = SchemaRenaming.names(
            from: old.entities.map { Named(name: $0.name, oldName: $0.renamedFrom) },
            to: new.entities.map { Named(name: $0.name, oldName: $0.renamedFrom) })
        entities = names
        let byName = Dictionary(new.entities.map { ($0.name, $0) }) { first, _ in first }
        for entity in old.entities {
            guard let now = byName[names[entity.name] ?? entity.name] else { continue }
            let kept = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
            let taken = Set(now.attributes.map(\.name) + now.relationships.map(\.name))
            func addNames(_ older: [Named], _ newer: [Named]) {
                let names = SchemaRenaming.names(
                    from: older.filter { !taken.contains($0.name) }, to: newer.filter { !kept.contains($0.name) })
                for (old, new) in names { properties[SlotID(declaredBy: entity.name, name: old)] = new }
            }
            addNames(
                entity.attributes.map { Named(name: $0.name, oldName: $0.renamedFrom) },
                now.attributes.map { Named(name: $0.name, oldName: $0.renamedFrom) })
            addNames(
                entity.relationships.map { Named(name: $0.name, oldName: $0.renamedFrom) },
                now.relationships.map { Named(name: $0.name, oldName: $0.renamedFrom) })
        }
    }

    /// A definition by its name, and the older name that it states.
    private struct Named {
        /// The name.
        let name: String
        /// The name in `renamedFrom`; nil if there is none.
        let oldName: String?
    }

    /// Returns the new names of renamed items, by their older names.
    private static func names(from old: [Named], to new: [Named]) -> [String: String] {
        let kept = Set(old.map(\.name))
        let taken = Set(new.map(\.name))
        let gone = old.filter { !taken.contains($0.name) }
        let added = new.filter { !kept.contains($0.name) && $0.oldName != nil }
        var names: [String: String] = [:]
        let goneNames = Set(gone.map(\.name))
        for item in added {
            if let name = item.oldName, goneNames.contains(name) { names[name] = item.name }
        }
        let goneByHint = Dictionary(gone.map { ($0.oldName, $0.name) }) { first, _ in first }
        for item in added {
            guard let name = goneByHint[item.oldName], names[name] == nil, !goneNames.contains(item.oldName ?? "")
            else { continue }
            names[name] = item.name
        }
        return names
    }
}

extension SchemaRenaming {
    /// Returns the new name of an entity.
    func entity(_ name: String) -> String { entities[name] ?? name }

    /// Returns the new name of a property.
    func property<Property>(_ property: DeclaredProperty<Property>) -> String {
        properties[property.id] ?? property.name
    }

    /// Returns the older definitions under their new names.
    ///
    /// Each has its older name as `renamedFrom`, so that everything derived from names is unchanged.
    func renamed(_ old: Schema) -> RenamedDefinitions {
        let families = EntityFamily.families(of: old.entities)
        var result = RenamedDefinitions()
        for entity in old.entities {
            guard let family = families[entity.name] else { continue }
            var renamed = entity
            renamed.name = self.entity(entity.name)
            renamed.renamedFrom = entity.renamedFrom ?? entity.name
            renamed.parent = entity.parent.map { self.entity($0) }
            func addDeclaration(_ declaredBy: String, _ name: String) {
                guard declaredBy == entity.name else { return }
                result.firstDeclarations.insert(SlotID(declaredBy: renamed.name, name: name))
            }
            for (position, attribute) in entity.attributes.enumerated() {
                guard let declared = family.attribute(named: attribute.name) else { continue }
                renamed.attributes[position].name = property(declared)
                renamed.attributes[position].renamedFrom = attribute.renamedFrom ?? attribute.name
                addDeclaration(declared.declaredBy, property(declared))
            }
            for (position, relationship) in entity.relationships.enumerated() {
                guard let declared = family.relationship(named: relationship.name) else { continue }
                let inverse = relationship.inverse.flatMap {
                    families[relationship.destination]?.relationship(named: $0)
                }
                renamed.relationships[position].name = property(declared)
                renamed.relationships[position].renamedFrom = relationship.renamedFrom ?? relationship.name
                renamed.relationships[position].destination = self.entity(relationship.destination)
                renamed.relationships[position].inverse = inverse.map { property($0) }
                addDeclaration(declared.declaredBy, property(declared))
            }
            result.entities.append(renamed)
        }
        return result
    }
}

/// The definitions of an older schema under their new names.
struct RenamedDefinitions {
    /// The definitions, in their order.
    var entities: [Entity] = []

    /// The properties of the older schema, each with the topmost entity that declares it.
    var firstDeclarations: Set<SlotID> = []
}
