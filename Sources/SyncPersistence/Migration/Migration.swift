/// What migration steps make of a store's schema and records, before ``SchemaChanges`` adds and renames.
///
/// An adapter makes a ``MigrationRun`` on a storage with the older schema, converts all records by it, and lets it finish on
/// a storage with ``reduced``. From there it goes on with the changes from ``reduced`` to the newer schema.
package struct Migration: Sendable {
    /// The older schema.
    package let old: Schema

    /// The older schema under its own names, without what is dropped, with the types that attributes are converted to.
    package let reduced: Schema

    /// Whether there is nothing to do.
    package let isEmpty: Bool

    /// What becomes of the records of each shape of the older schema but the journal's; nil for what is dropped.
    let conversions: [String: RecordConversion]

    /// The steps that drop shapes.
    let droppedShapes: [String: MigrationStep]

    /// The roots of the hierarchies whose records change, those of their journals among them.
    private let changedRoots: Set<String>

    /// What steps make of a schema.
    ///
    /// - Throws: ``PersistenceError`` if what is kept depends on what is dropped.
    /// - Complexity: O(number of slots of all shapes)
    package init(from old: Schema, to new: Schema, by steps: [MigrationStep]) throws(PersistenceError) {
        self.old = old
        let definitions = old == new || steps.isEmpty ? nil : MigrationDefinitions(from: old, to: new, by: steps)
        guard let definitions else {
            (reduced, isEmpty, conversions, droppedShapes, changedRoots) = (old, true, [:], [:], [])
            return
        }
        let faults = Migration.faults(of: definitions)
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

    /// Heirs that are left without the entity that they inherit.
    private static func faults(of definitions: MigrationDefinitions) -> [SchemaError.Fault] {
        definitions.reduced.compactMap { entity in
            guard let parent = entity.parent, let step = definitions.droppedEntities[parent] else { return nil }
            return SchemaError.Fault(
                entity: entity.name,
                message: "it inherits '\(parent)', which '\(step)' drops: pass "
                    + "'\(MigrationStep.text(dropEntity: entity.name))' too")
        }
    }

    /// Relationships that would be kept elsewhere without the end that is dropped.
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
    /// Whether the records of a hierarchy are other records afterwards.
    ///
    /// - Parameter shape: A shape of the older schema; that of a journal stands for its entries. O(1)
    package func changesRecords(of shape: Shape) -> Bool { changedRoots.contains(shape.root) }

    /// Whether the records of a shape are dropped, while others of their hierarchy are kept.
    package func dropsHeir(_ shape: Shape) -> Bool {
        shape.role == nil && reduced[shape.name] == nil && reduced[shape.root] != nil
    }
}

/// What becomes of the records of one shape.
struct RecordConversion: Sendable {
    /// The shape that they have afterwards.
    let shape: Shape

    /// Where the value of each slot comes from.
    let slots: [Source]

    /// The steps that drop slots, by the slots' positions in the older shape.
    let dropped: [Int: MigrationStep]

    /// Whether records are as they were.
    let isIdentity: Bool

    init(_ shape: Shape, _ slots: [Source], from old: Shape, dropped: [Int: MigrationStep]) {
        self.shape = shape
        self.slots = slots
        self.dropped = dropped
        isIdentity =
            slots.count == old.slots.count
            && slots.enumerated().allSatisfy { position, source in source.isPlain(at: position) }
    }

    /// Where the value of a slot comes from.
    struct Source: Sendable {
        /// The position of the older value; nil if there is none.
        let position: Int?
        /// What is stored without an older value.
        let defaultValue: Value
        var convert: MigrationStep?
        var fill: MigrationStep?
        /// The steps that drop records which the slot may name, by their shapes.
        var droppedTargets: [String: MigrationStep] = [:]

        fileprivate func isPlain(at position: Int) -> Bool {
            self.position == position && convert == nil && fill == nil && droppedTargets.isEmpty
        }
    }
}
