import DifferentialSync

/// The changes of definitions that would lose data.
struct SchemaRefusals {
    /// The faults, in the order of the definitions.
    private(set) var faults: [SchemaError.Fault] = []

    /// The properties that no older ancestor declares.
    private let firstDeclarations: Set<SlotID>
    /// The newer entities with what they inherit.
    private let families: [String: EntityFamily]

    /// Creates the refusals from the differences between two schemas' definitions.
    init(from renamed: RenamedDefinitions, to new: [Entity]) {
        let old = renamed.entities
        firstDeclarations = renamed.firstDeclarations
        families = EntityFamily.families(of: new)
        for name in diff(wins: new.map(\.name), loses: old.map(\.name))?.delete ?? [] {
            fail(name, nil, SchemaRefusals.removal(MigrationStep.text(dropEntity: name)))
        }
        let oldByName = Dictionary(uniqueKeysWithValues: old.map { ($0.name, $0) })
        for new in new {
            guard let old = oldByName[new.name] else { continue }
            if old.parent != new.parent {
                fail(
                    new.name, nil,
                    "it inherits \(SchemaRefusals.quoted(old.parent)) in the store, and "
                        + "\(SchemaRefusals.quoted(new.parent)) in the schema: keep the parent, or pass "
                        + "'\(MigrationStep.text(dropEntity: new.name))'")
            } else if old.parent == nil {
                compareKeys(old, new)
            }
            compareProperties(old, new)
        }
    }

    /// Adds a fault of an entity or of its property.
    private mutating func fail(_ entity: String, _ property: String?, _ message: String) {
        faults.append(SchemaError.Fault(entity: entity, property: property, message: message))
    }

    /// Returns the remedies for a removed definition, with the step that drops it.
    private static func removal(_ step: String) -> String {
        "it is not in the schema: keep it, name what has become of it by 'renamedFrom', or pass '\(step)'"
    }

    /// Returns a name in quotes; `nothing` for nil.
    private static func quoted(_ name: String?) -> String { name.map { "'\($0)'" } ?? "nothing" }
}

extension SchemaRefusals {
    /// Adds a fault if the primary key has other attributes than before.
    private mutating func compareKeys(_ old: Entity, _ new: Entity) {
        let (before, now) = (old.attributes.filter(\.isPrimaryKey), new.attributes.filter(\.isPrimaryKey))
        if before.map(\.name) == now.map(\.name) { return }
        func text(_ key: [Attribute]) -> String {
            key.isEmpty ? "counted up by the store" : key.map { "'\($0.name)'" }.joined(separator: ", ")
        }
        fail(
            new.name, nil,
            "its primary key is \(text(before)) in the store, and \(text(now)) in the schema: keep the key, or pass "
                + "'\(MigrationStep.text(dropEntity: new.name))'")
    }

    /// Adds a fault for each property that was removed, or is stored in another way.
    private mutating func compareProperties(_ old: Entity, _ new: Entity) {
        let changes = uncheckedDiff(
            wins: PropertyKind.kinds(of: new), loses: PropertyKind.kinds(of: old), primaryKey: \.name)
        for kind in changes?.deletions ?? [] where isFirst(kind.name, new.name) && origin(kind.name, new.name) == nil {
            let step =
                kind.isKey
                ? MigrationStep.text(dropEntity: new.name) : MigrationStep.text(drop: new.name, kind.name)
            fail(new.name, kind.name, SchemaRefusals.removal(step))
        }
        for change in changes?.replacements ?? [] {
            let (old, now) = (change.old, change.new)
            if old.description != now.description {
                fail(
                    new.name, now.name,
                    "it is \(old.description) in the store, and \(now.description) in the schema: keep it, and give "
                        + "what is new another name, or pass \(steps(new, now.name, from: old, to: now))")
            } else if old.isOrdered {
                fail(
                    new.name, now.name,
                    "it has an order in the store: keep the order, or pass '\(MigrationStep.text(drop: new.name, now.name))'"
                )
            }
        }
        for kind in PropertyKind.kinds(of: old) where isFirst(kind.name, new.name) {
            guard let origin = origin(kind.name, new.name), origin != new.name else { continue }
            fail(
                new.name, kind.name,
                "'\(origin)', which it inherits, has a property of this name in the schema, but not in the store: give "
                    + "that another name")
        }
    }

    /// Returns the migration steps that allow a property to become another kind of property.
    private func steps(_ entity: Entity, _ name: String, from old: PropertyKind, to new: PropertyKind) -> String {
        if old.isKey { return "'\(MigrationStep.text(dropEntity: entity.name))'" }
        let drop = "'\(MigrationStep.text(drop: entity.name, name))'"
        let isConvertible = old.isAttribute && new.isAttribute
        return isConvertible ? "'\(MigrationStep.text(convert: entity.name, name))' or \(drop)" : drop
    }

    /// Whether an entity of the older schema is the topmost one that declares a property.
    private func isFirst(_ property: String, _ entity: String) -> Bool {
        firstDeclarations.contains(SlotID(declaredBy: entity, name: property))
    }

    /// Returns the topmost entity that declares a property of an entity in the newer schema.
    private func origin(_ property: String, _ entity: String) -> String? {
        let family = families[entity]
        return family?.attribute(named: property)?.declaredBy ?? family?.relationship(named: property)?.declaredBy
    }
}

extension SchemaRefusals {
    /// Compares where relationships are stored, for definitions that are otherwise alike.
    mutating func compareStorage(_ old: Schema, _ new: Schema) {
        for shape in old.shapes {
            for relationship in shape.relationships where relationship.declaredBy == shape.name {
                let name = relationship.definition.name
                guard let now = new[shape.name]?.relationship(named: name) else { continue }
                if relationship.storage.canBecome(now.storage) { continue }
                fail(
                    shape.name, name,
                    "where it is kept depends on its inverse, on which of both ends is mandatory, and on their first "
                        + "names, and that has changed: keep both ends as they are in the store, or pass '.drop' for both"
                )
            }
        }
    }
}

extension ShapeRelationship.Storage {
    /// Whether data stored in this way can be read in another way.
    func canBecome(_ other: ShapeRelationship.Storage) -> Bool {
        switch (self, other) {
        case (.reference(let slot, let isExclusive, _), .reference(let otherSlot, let isOtherExclusive, _)):
            slot == otherSlot && (isExclusive || !isOtherExclusive)
        case (.inverse(let slot, let position), .inverse(let otherSlot, let otherPosition)):
            slot == otherSlot && (position == nil || position == otherPosition)
        default:
            self == other
        }
    }
}

/// The characteristics of a property that determine whether its stored data can be kept.
private struct PropertyKind: Equatable {
    /// The name of the property.
    let name: String
    /// The kind in words.
    let description: String
    /// Whether it is a relationship with an order.
    let isOrdered: Bool
    /// Whether it is an attribute.
    let isAttribute: Bool
    /// Whether it belongs to the primary key.
    let isKey: Bool

    /// Returns the properties that an entity declares itself.
    static func kinds(of entity: Entity) -> [PropertyKind] {
        entity.attributes.map {
            PropertyKind(
                name: $0.name, description: "an attribute of type \($0.type.rawValue)", isOrdered: false,
                isAttribute: true, isKey: $0.isPrimaryKey)
        }
            + entity.relationships.map {
                PropertyKind(
                    name: $0.name,
                    description: "a relationship to \($0.isToMany ? "many" : "one") '\($0.destination)'",
                    isOrdered: $0.isOrdered, isAttribute: false, isKey: false)
            }
    }
}
