/// The changes to a store that was created with one schema, so that it can be opened with another.
///
/// An adapter calls ``check(_:)`` with a storage under the old schema, executes ``steps`` itself, and calls
/// ``convertInternalRecords(_:)`` with a storage under the new one.
///
/// A schema may grow, and its parts may be renamed. Changes that would lose data are refused.
package struct SchemaChanges: Sendable {
    /// The steps, in the order of their execution.
    package let steps: [Step]

    /// The conditions that the stored records must satisfy.
    package let conditions: [Condition]

    /// The older schema.
    let old: Schema

    /// The conversion of each shape's records, by the name of the shape in the older schema.
    let conversions: [String: Conversion]

    /// One step of the changes.
    ///
    /// Shapes and slots are those of the newer schema unless stated otherwise.
    package enum Step: Hashable, Sendable {
        /// Renames the storage of a hierarchy for another root; the first shape is the older schema's.
        case renameHierarchy(from: Shape, to: Shape)
        /// Changes all records of a shape to another one; the first is the older schema's.
        ///
        /// It applies to the root of a hierarchy too, after the step that renames the hierarchy.
        case renameShape(from: Shape, to: Shape)
        /// Renames a slot in the hierarchy of a root; the first is the older schema's.
        ///
        /// Only the name of the entity that declares it may differ.
        case renameSlot(from: HierarchySlot, to: HierarchySlot, root: Shape)
        /// Creates the storage of a hierarchy, with all slots and indexes.
        case addHierarchy(Shape)
        /// Allows records of a shape in an existing hierarchy.
        case addShape(Shape)
        /// Adds a slot to an existing hierarchy.
        ///
        /// All records that have the slot get its default value.
        case addSlot(HierarchySlot, root: Shape)
        /// Creates the index of a slot.
        case addIndex(HierarchySlot, root: Shape)
        /// Removes the index of a slot.
        case dropIndex(HierarchySlot, root: Shape)
    }

    /// A condition that the stored records of the older schema must satisfy.
    package struct Condition: Hashable, Sendable {
        /// The shape that must have no records itself.
        ///
        /// In a journal, only records with an image of the shadow count.
        package let shape: Shape
        /// The slot, if only records without a value in it violate the condition; nil for all records.
        package let slot: String?
        /// The description of a violation, with remedies.
        package let message: String
    }

    /// The conversion of a shape's records.
    struct Conversion: Sendable {
        /// The shape in the newer schema.
        let shape: Shape
        /// For each slot of the shape, the position of its value in the older schema's record; nil for a new slot.
        let positions: [Int?]
    }

    /// Creates the changes from one schema to another.
    ///
    /// - Throws: ``PersistenceError`` with all changes that would lose data, and their remedies.
    /// - Complexity: O(number of slots of all shapes)
    package init(from old: Schema, to new: Schema) throws(PersistenceError) {
        self.old = old
        if old == new {
            (steps, conditions, conversions) = ([], [], [:])
            return
        }
        let renaming = SchemaRenaming(from: old, to: new)
        let definitions = renaming.renamed(old)
        var refusals = SchemaRefusals(from: definitions, to: new.entities)
        if refusals.faults.isEmpty {
            // Any difference to the older schema under its new names is a change.
            let renamed = Schema(sound: definitions.entities)
            refusals.compareStorage(renamed, new)
            if refusals.faults.isEmpty {
                steps = SchemaChanges.renamings(old, renamed, new) + SchemaChanges.additions(renamed, new)
                conditions = SchemaChanges.conditions(old, renamed, new)
                conversions = SchemaChanges.conversions(old, renamed, new)
                return
            }
        }
        throw SchemaChanges.refusal(refusals.faults.map(\.description))
    }
}

extension SchemaChanges {
    /// Whether no changes are necessary.
    package var isEmpty: Bool { steps.isEmpty && conditions.isEmpty }

    /// Returns the error that lists why a store cannot be opened with a schema.
    static func refusal(_ messages: [String]) -> PersistenceError {
        PersistenceError(
            .schemaChange,
            "the store cannot be opened with this schema:\n" + messages.map { "  \($0)" }.joined(separator: "\n"))
    }
}
