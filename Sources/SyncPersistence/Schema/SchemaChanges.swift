/// What has to change in a store that was made with one schema so that it can be opened with another.
///
/// An adapter has ``check(_:)`` look at a storage with the old schema, does ``steps`` by itself, and lets
/// ``convertNotes(_:)`` finish on a storage with the new one.
///
/// A schema may grow, and what is in it may be renamed. What would lose data is refused.
package struct SchemaChanges: Sendable {
    /// What to do, in this order.
    package let steps: [Step]

    /// What must hold of the records that are stored.
    package let conditions: [Condition]

    /// The older schema.
    let old: Schema

    /// What becomes of the records of each shape of the older schema.
    let conversions: [String: Conversion]

    /// One thing to do.
    ///
    /// Shapes and slots are those of the newer schema unless it is said otherwise.
    package enum Step: Hashable, Sendable {
        /// Call the place where the records of a hierarchy are kept by the name of another root; the first is the older
        /// schema's.
        case renameHierarchy(from: Shape, to: Shape)
        /// Let all records of a shape be of another; the first is the older schema's.
        ///
        /// It stands for the root of a hierarchy as well, behind the step that renames that.
        case renameShape(from: Shape, to: Shape)
        /// Call a slot otherwise, in the hierarchy of a root; the first is the older schema's.
        ///
        /// The name of the entity that declares it may be all that differs.
        case renameSlot(from: HierarchySlot, to: HierarchySlot, root: Shape)
        /// Make a place for the records of a hierarchy, with all slots and indexes.
        case addHierarchy(Shape)
        /// Make it possible that records of a shape come into a hierarchy that is there.
        case addShape(Shape)
        /// Make a place for a slot in a hierarchy that is there; all records that have it get the default value.
        case addSlot(HierarchySlot, root: Shape)
        /// Index a slot.
        case addIndex(HierarchySlot, root: Shape)
        /// Take the index of a slot away.
        case dropIndex(HierarchySlot, root: Shape)
    }

    /// Something that must hold of the records that are stored under the older schema.
    package struct Condition: Hashable, Sendable {
        /// The records of exactly this shape must not be there; of a journal's shape, those of which the shadow has an image.
        package let shape: Shape
        /// Where it is given, only those that have no value in this slot.
        package let slot: String?
        /// What is wrong if they are, and what to do about it.
        package let message: String
    }

    /// What becomes of the records of a shape.
    struct Conversion: Sendable {
        let shape: Shape
        /// For each slot of the shape, the position of its value in the older schema's record; nil for a new slot.
        let positions: [Int?]
    }

    /// The changes from one schema to another.
    ///
    /// - Throws: ``PersistenceError`` that names all that would lose data, and says what to do about it.
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
            // The older schema under its new names: what differs now has changed.
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
    /// Whether there is nothing to do.
    package var isEmpty: Bool { steps.isEmpty && conditions.isEmpty }

    static func refusal(_ messages: [String]) -> PersistenceError {
        PersistenceError(
            .schemaChange,
            "the store cannot be opened with this schema:\n" + messages.map { "  \($0)" }.joined(separator: "\n"))
    }
}
