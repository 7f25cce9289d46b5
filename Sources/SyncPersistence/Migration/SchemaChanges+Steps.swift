import DifferentialSync

extension SchemaChanges {
    /// Returns the steps that rename the parts of an older schema.
    ///
    /// `renamed` has the older definitions in their order, so that shapes and slots correspond by their positions.
    static func renamings(_ old: Schema, _ renamed: Schema, _ new: Schema) -> [Step] {
        var steps: [Step] = []
        for (oldRoot, renamedRoot) in zip(old.roots, renamed.roots) {
            guard let root = new[renamedRoot.name] else { continue }
            if oldRoot.name != root.name { steps.append(.renameHierarchy(from: oldRoot, to: root)) }
            for (oldShape, shape) in zip(old.hierarchy(of: oldRoot), renamed.hierarchy(of: renamedRoot)) {
                guard oldShape.name != shape.name, let shape = new[shape.name] else { continue }
                steps.append(.renameShape(from: oldShape, to: shape))
            }
            let slots = zip(old.columns(of: oldRoot), renamed.columns(of: renamedRoot)).filter { $0.id != $1.id }
            if slots.isEmpty { continue }
            let now = Dictionary(uniqueKeysWithValues: new.columns(of: root).map { ($0.id, $0) })
            for (oldSlot, slot) in slots {
                steps.append(.renameSlot(from: oldSlot, to: now[slot.id] ?? slot, root: root))
            }
        }
        return steps
    }

    /// Returns the steps from an older schema, under its new names, to a newer one: their diff.
    static func additions(_ renamed: Schema, _ new: Schema) -> [Step] {
        var steps: [Step] = []
        for root in new.roots {
            guard let renamedRoot = renamed[root.name] else {
                steps.append(.addHierarchy(root))
                continue
            }
            let shapes = diff(
                wins: new.hierarchy(of: root).map(\.name), loses: renamed.hierarchy(of: renamedRoot).map(\.name))
            steps += shapes?.add.compactMap { new[$0].map { .addShape($0) } } ?? []
            let slots = uncheckedDiff(
                wins: new.columns(of: root), loses: renamed.columns(of: renamedRoot), primaryKey: \.id)
            for slot in slots?.add ?? [] {
                steps.append(.addSlot(slot, root: root))
                if slot.slot.isIndexed { steps.append(.addIndex(slot, root: root)) }
            }
            for change in slots?.replacements ?? [] where change.old.slot.isIndexed != change.new.slot.isIndexed {
                let slot = change.new
                steps.append(slot.slot.isIndexed ? .addIndex(slot, root: root) : .dropIndex(slot, root: root))
            }
        }
        return steps
    }

    /// Returns the conditions that the stored records must satisfy.
    static func conditions(_ old: Schema, _ renamed: Schema, _ new: Schema) -> [Condition] {
        var conditions: [Condition] = []
        for (oldShape, renamedShape) in zip(old.shapes, renamed.shapes) where !oldShape.isAbstract {
            guard let shape = new[renamedShape.name] else { continue }
            let journal = old.journal(of: oldShape)
            /// Adds a condition.
            ///
            /// Records without a value in `slot` violate it, or all records if `slot` is nil. `faulty` describes their
            /// fault.
            func require(
                _ property: String?, _ slot: String?, _ change: String, _ faulty: String, _ remedies: [String]
            ) {
                func addCondition(_ shape: Shape?, _ place: String, _ remedies: [String]) {
                    guard let shape else { return }
                    let remedy =
                        (remedies.count > 1 ? remedies.dropLast().joined(separator: ", ") + ", or " : "")
                        + (remedies.last ?? "")
                    let fault = SchemaError.Fault(
                        entity: renamedShape.name, property: property,
                        message: "\(change), and \(place) records \(faulty): \(remedy)")
                    conditions.append(Condition(shape: shape, slot: slot, message: fault.description))
                }
                addCondition(oldShape, "there are", remedies)
                addCondition(journal, "the shadow has", ["synchronize first"] + remedies.dropFirst())
            }
            func fill(_ slot: Slot) -> [String] {
                guard case .attribute = slot.content else { return [] }
                return ["pass '\(MigrationStep.text(fill: shape.name, slot.name))'"]
            }
            if shape.isAbstract {
                require(
                    nil, nil, "it is abstract in the schema", "of it", ["delete them first", "keep it as it is"])
                continue
            }
            for slot in shape.slots where !slot.isOptional && !slot.isInternal {
                if let position = renamedShape.slot(named: slot.name) {
                    if !oldShape.slots[position].isOptional { continue }
                    require(
                        slot.name, oldShape.slots[position].name, "it is mandatory in the schema", "without it",
                        ["give it to them first", "keep it optional"] + fill(slot))
                } else if slot.defaultValue.isNull {
                    require(
                        slot.name, nil, "it is new and mandatory", "that lack it",
                        ["give it a default value", "make it optional"] + fill(slot))
                }
            }
            for relationship in shape.relationships where !relationship.definition.isOptional {
                let name = relationship.definition.name
                guard case .inverse = relationship.storage, renamedShape.relationship(named: name) == nil else {
                    continue
                }
                require(name, nil, "it is new and mandatory", "that lack it", ["make it optional"])
            }
        }
        return conditions
    }

    /// Returns the conversion of each shape's records.
    static func conversions(_ old: Schema, _ renamed: Schema, _ new: Schema) -> [String: Conversion] {
        var conversions: [String: Conversion] = [:]
        let pairs = zip(old.shapes + old.internalShapes, renamed.shapes + renamed.internalShapes)
        for (oldShape, renamedShape) in pairs {
            guard let shape = new[renamedShape.name] else { continue }
            conversions[oldShape.name] = Conversion(
                shape: shape, positions: shape.slots.map { renamedShape.slot(named: $0.name) })
        }
        return conversions
    }
}
