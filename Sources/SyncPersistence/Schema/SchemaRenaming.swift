/// What the entities and properties of an older schema are called in a newer one.
///
/// A name that both have is the same thing. One that only the newer has, and that is renamed from a name that only the
/// older has, is that one's new name; so hints at renamings that were long ago do no harm. A hint that was there in the
/// older schema already leads to the same: `a`, renamed to `b`, and then to `c` with the hint at `a`.
struct SchemaRenaming {
    private var entities: [String: String] = [:]

    /// By the older schema's names, the topmost entity that declares it first.
    private var properties: [SlotID: String] = [:]

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
            func note(_ older: [Named], _ newer: [Named]) {
                let names = SchemaRenaming.names(
                    from: older.filter { !taken.contains($0.name) }, to: newer.filter { !kept.contains($0.name) })
                for (old, new) in names { properties[SlotID(declaredBy: entity.name, name: old)] = new }
            }
            note(
                entity.attributes.map { Named(name: $0.name, oldName: $0.renamedFrom) },
                now.attributes.map { Named(name: $0.name, oldName: $0.renamedFrom) })
            note(
                entity.relationships.map { Named(name: $0.name, oldName: $0.renamedFrom) },
                now.relationships.map { Named(name: $0.name, oldName: $0.renamedFrom) })
        }
    }

    private struct Named {
        let name: String
        let oldName: String?
    }

    /// The new names of what is called otherwise now.
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
    /// What an entity is called now.
    func entity(_ name: String) -> String { entities[name] ?? name }

    /// What a property is called now.
    func property<Property>(_ property: DeclaredProperty<Property>) -> String {
        properties[property.id] ?? property.name
    }

    /// The older definitions under their new names.
    ///
    /// What they were called before is noted of each, so that all that goes by names is as it was.
    func renamed(_ old: Schema) -> RenamedDefinitions {
        let families = EntityFamily.families(of: old.entities)
        var result = RenamedDefinitions()
        for entity in old.entities {
            guard let family = families[entity.name] else { continue }
            var renamed = entity
            renamed.name = self.entity(entity.name)
            renamed.renamedFrom = entity.renamedFrom ?? entity.name
            renamed.parent = entity.parent.map { self.entity($0) }
            func note(_ declaredBy: String, _ name: String) {
                guard declaredBy == entity.name else { return }
                result.firstDeclarations.insert(SlotID(declaredBy: renamed.name, name: name))
            }
            for (position, attribute) in entity.attributes.enumerated() {
                guard let declared = family.attribute(named: attribute.name) else { continue }
                renamed.attributes[position].name = property(declared)
                renamed.attributes[position].renamedFrom = attribute.renamedFrom ?? attribute.name
                note(declared.declaredBy, property(declared))
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
                note(declared.declaredBy, property(declared))
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

    /// The properties that no entity above theirs declares, in the older schema.
    var firstDeclarations: Set<SlotID> = []
}
