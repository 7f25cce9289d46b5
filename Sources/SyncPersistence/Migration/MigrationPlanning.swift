/// Derives the conversions of records from the effects of steps on definitions.
struct MigrationPlanning {
    /// The conversions of records, by the name of their shape.
    private(set) var conversions: [String: RecordConversion] = [:]
    /// The shapes whose records are dropped, with the step that drops them.
    private(set) var droppedShapes: [String: MigrationStep]

    /// The schema of the stored records.
    private let old: Schema
    /// The older schema without what steps drop.
    private let reduced: Schema
    /// The effects of steps on definitions.
    private let definitions: MigrationDefinitions

    /// The steps that drop the order of a relationship, by the slot or the shape of links that stores it.
    private var droppedOrders: [SlotID: MigrationStep] = [:]

    /// Plans the conversions of all shapes, including internal ones.
    init(old: Schema, reduced: Schema, definitions: MigrationDefinitions) {
        self.old = old
        self.reduced = reduced
        self.definitions = definitions
        droppedShapes = definitions.droppedEntities
        for shape in old.shapes { findDroppedStorage(of: shape) }
        for shape in old.shapes + old.internalShapes {
            if case .journal? = shape.role { continue }
            if let now = reduced[shape.name] { conversions[shape.name] = conversion(of: shape, to: now) }
        }
    }

    /// Adds the places that dropped relationships use besides slots of their own.
    private mutating func findDroppedStorage(of shape: Shape) {
        for relationship in shape.relationships where relationship.declaredBy == shape.name {
            let id = SlotID(declaredBy: shape.name, name: relationship.definition.name)
            guard let step = definitions.droppedEntities[shape.name] ?? definitions.droppedProperties[id] else {
                continue
            }
            switch relationship.storage {
            case .reference: break
            case .inverse(_, let position):
                if let position {
                    droppedOrders[SlotID(declaredBy: relationship.definition.destination, name: position)] = step
                }
            case .links(let links, let end):
                if reduced[links] == nil { droppedShapes[links] = droppedShapes[links] ?? step }
                droppedOrders[SlotID(declaredBy: links, name: end.position)] = step
            }
        }
    }

    /// Returns the conversion of a shape's records to those of the reduced schema.
    private func conversion(of shape: Shape, to now: Shape) -> RecordConversion {
        var dropped: [Int: MigrationStep] = [:]
        for (position, slot) in shape.slots.enumerated() {
            let step = definitions.droppedProperties[slot.id] ?? droppedOrders[slot.id]
            if let step { dropped[position] = step }
        }
        let sources = now.slots.map { slot in
            var source = RecordConversion.Source(
                position: shape.slot(named: slot.name).flatMap { dropped[$0] == nil ? $0 : nil },
                defaultValue: slot.defaultValue)
            if let position = source.position {
                source.convert = definitions.convertedAttributes[shape.slots[position].id]
            }
            source.fill = definitions.fill(slot, of: shape)
            if case .reference(let destination, _, _) = slot.content {
                source.droppedTargets = droppedHeirs(of: destination)
            }
            return source
        }
        return RecordConversion(now, sources, from: shape, dropped: dropped)
    }

    /// Returns the steps that drop heirs of a kept entity, by the heirs.
    private func droppedHeirs(of entity: String) -> [String: MigrationStep] {
        guard let shape = old[entity], reduced[entity] != nil else { return [:] }
        return definitions.droppedEntities.filter { name, _ in
            old[name]?.root == shape.root && old[name]?.inherits(entity) == true
        }
    }
}
