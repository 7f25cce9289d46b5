/// The effects of migration steps on a store's schema and records, before ``SchemaChanges`` adds and renames.
///
/// An adapter creates a ``MigrationRun`` on a storage with the older schema, converts all records with it, and finishes it
/// on a storage with ``reduced``. Then it makes the changes from ``reduced`` to the newer schema.
package struct Migration: Sendable {
    /// The older schema.
    let old: Schema

    /// The older schema under its own names, without dropped items, with the new types of converted attributes.
    package let reduced: Schema

    /// Whether there is nothing to do.
    package let isEmpty: Bool

    /// The conversion of each shape's records, except for the journal's; nil for dropped shapes.
    let conversions: [String: RecordConversion]

    /// The steps that drop shapes.
    let droppedShapes: [String: MigrationStep]

    /// The roots of the hierarchies whose records change, including their journals.
    private let changedRoots: Set<String>

    /// Finds the effects of steps on a schema.
    ///
    /// - Throws: ``PersistenceError`` if a kept item depends on a dropped one, or if two steps convert or fill one
    ///   attribute.
    /// - Complexity: O(number of slots of all shapes)
    package init(from old: Schema, to new: Schema, by steps: [MigrationStep]) throws(PersistenceError) {
        self.old = old
        let definitions = old == new || steps.isEmpty ? nil : MigrationDefinitions(from: old, to: new, by: steps)
        guard let definitions else {
            (reduced, isEmpty, conversions, droppedShapes, changedRoots) = (old, true, [:], [:], [])
            return
        }
        var repetitions = Migration.repetitions(of: steps) { Migration.attribute(of: $0, in: new) }
        // An attribute that was renamed twice may have a name in the older schema that the newer one does not state.
        if repetitions.isEmpty { repetitions = Migration.repetitions(of: steps) { definitions.attribute(of: $0) } }
        let faults = repetitions + Migration.faults(of: definitions)
        if !faults.isEmpty { throw SchemaChanges.refusal(faults.map(\.description)) }
        do {
            reduced = try Schema(definitions.reduced)
        } catch {
            throw SchemaChanges.refusal(error.faults.map(\.description))
        }
        let moved = Migration.movedRelationships(from: old, to: reduced)
        if !moved.isEmpty { throw SchemaChanges.refusal(moved.map(\.description)) }
        let planning = MigrationPlanning(old: old, reduced: reduced, definitions: definitions)
        (conversions, droppedShapes) = (planning.conversions, planning.droppedShapes)
        let changed = old.roots.filter { [conversions] root in
            let records = if case .journal(let entity)? = root.role { old[entity] ?? root } else { root }
            return old.hierarchy(of: records).contains { conversions[$0.name].map { !$0.isIdentity } ?? true }
        }
        changedRoots = Set(changed.map(\.name))
        isEmpty = reduced == old && changed.isEmpty
    }

    /// Returns a fault for each attribute of the newer schema that several steps convert, or that several steps fill.
    ///
    /// Only one of these steps would take effect, also on a store of a version that another step is for. Several steps
    /// that all convert by the rules of the types have one effect.
    ///
    /// - Parameters:
    ///   - steps: The steps.
    ///   - attributeOf: Returns the attribute of the newer schema that a step names; nil if there is none.
    private static func repetitions(
        of steps: [MigrationStep], by attributeOf: (MigrationStep) -> SlotID?
    ) -> [SchemaError.Fault] {
        var counts: [String: (steps: Int, functions: Int)] = [:]
        return steps.compactMap { step in
            guard let attribute = attributeOf(step) else { return nil }
            let (owner, name) = (attribute.declaredBy, attribute.name)
            let message: String
            var hasFunction = true
            switch step.action {
            case .drop, .dropEntity: return nil
            case .convert(let function):
                hasFunction = function != nil
                message =
                    "several steps convert it: pass one '\(MigrationStep.text(convert: owner, name))', whose function "
                    + "converts the values of all older types"
            case .fill:
                message =
                    "several steps fill it: pass one '\(MigrationStep.text(fill: owner, name))', whose value suits the "
                    + "records of all older versions"
            }
            let former = counts[message, default: (steps: 0, functions: 0)]
            let now = (steps: former.steps + 1, functions: former.functions + (hasFunction ? 1 : 0))
            counts[message] = now
            // The fault is reported once.
            let wasFault = former.steps > 1 && former.functions > 0
            if wasFault || now.steps < 2 || now.functions == 0 { return nil }
            return SchemaError.Fault(entity: owner, property: name, message: message)
        }
    }

    /// Returns the attribute that a step names by its name in the newer schema, or by its `renamedFrom`; nil if there
    /// is none.
    private static func attribute(of step: MigrationStep, in new: Schema) -> SlotID? {
        let entity =
            new.entities.first { $0.name == step.entity } ?? new.entities.first { $0.renamedFrom == step.entity }
        let attribute =
            entity?.attributes.first { $0.name == step.property }
            ?? entity?.attributes.first { $0.renamedFrom == step.property }
        guard let owner = entity?.name, let name = attribute?.name else { return nil }
        return SlotID(declaredBy: owner, name: name)
    }

    /// Returns the heirs that would be left without the entity that they inherit.
    private static func faults(of definitions: MigrationDefinitions) -> [SchemaError.Fault] {
        definitions.reduced.compactMap { entity in
            guard let parent = entity.parent, let step = definitions.droppedEntities[parent] else { return nil }
            return SchemaError.Fault(
                entity: entity.name,
                message: "it inherits '\(parent)', which '\(step)' drops: pass "
                    + "'\(MigrationStep.text(dropEntity: entity.name))' too")
        }
    }

    /// Returns the relationships that would be stored elsewhere without the dropped end.
    private static func movedRelationships(from old: Schema, to reduced: Schema) -> [SchemaError.Fault] {
        old.shapes.flatMap { shape in
            shape.relationships.compactMap { relationship in
                let name = relationship.definition.name
                guard relationship.declaredBy == shape.name,
                    let now = reduced[shape.name]?.relationship(named: name),
                    !relationship.storage.canBecome(now.storage)
                else { return nil }
                return SchemaError.Fault(
                    entity: shape.name, property: name,
                    message: "it is kept with its inverse, which is dropped: pass "
                        + "'\(MigrationStep.text(drop: shape.name, name))' too, or keep both ends")
            }
        }
    }
}

extension Migration {
    /// Whether the records of a hierarchy change.
    ///
    /// - Parameter shape: A shape of the older schema, also that of a journal.
    /// - Complexity: O(1)
    func changesRecords(of shape: Shape) -> Bool { changedRoots.contains(shape.root) }

    /// Whether the records of a shape are dropped, while others of their hierarchy are kept.
    package func dropsHeir(_ shape: Shape) -> Bool {
        shape.role == nil && reduced[shape.name] == nil && reduced[shape.root] != nil
    }
}

/// The conversion of the records of one shape.
struct RecordConversion: Sendable {
    /// The shape that the converted records have in the new schema.
    let shape: Shape

    /// The source of the value of each slot.
    let slots: [Source]

    /// The steps that drop slots, by the slots' positions in the older shape.
    let dropped: [Int: MigrationStep]

    /// Whether records do not change.
    let isIdentity: Bool

    /// Creates the conversion of a shape's records.
    init(_ shape: Shape, _ slots: [Source], from old: Shape, dropped: [Int: MigrationStep]) {
        self.shape = shape
        self.slots = slots
        self.dropped = dropped
        isIdentity =
            slots.count == old.slots.count
            && slots.enumerated().allSatisfy { position, source in source.isPlain(at: position) }
    }

    /// The source of the value of a slot.
    struct Source: Sendable {
        /// The position of the older value; nil if there is none.
        let position: Int?
        /// The value without an older one.
        let defaultValue: Value
        /// The step that converts the value; nil if it is kept.
        var convert: MigrationStep?
        /// The step that provides a value; nil for none.
        var fill: MigrationStep?
        /// The steps that drop records to which the slot may refer, by their shapes.
        var droppedTargets: [String: MigrationStep] = [:]

        /// Whether the value is taken from the same position without a change.
        fileprivate func isPlain(at position: Int) -> Bool {
            self.position == position && convert == nil && fill == nil && droppedTargets.isEmpty
        }
    }
}
