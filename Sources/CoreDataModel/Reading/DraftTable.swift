import SyncPersistence

/// The entities of a model while it is read, by their positions and by their names.
struct DraftTable {
    /// The entities in the order of the model; of several with one name, the first.
    private var drafts: [EntityDraft] = []

    /// The index of each entity among the drafts.
    private var positions: [String: Int] = [:]

    /// Adds an entity with a new name.
    mutating func append(_ draft: EntityDraft) {
        positions[draft.entity.name] = drafts.count
        drafts.append(draft)
    }

    /// The entity at a position; a new value must keep its name.
    subscript(position: Int) -> EntityDraft {
        get { drafts[position] }
        set {
            assert(newValue.entity.name == drafts[position].entity.name, "the name is a key of the table")
            drafts[position] = newValue
        }
    }

    /// The entity with a name; nil if there is none.
    subscript(name: String) -> EntityDraft? { positions[name].map { drafts[$0] } }

    /// The positions of the entities.
    var indices: Range<Int> { drafts.indices }

    /// The definitions so far, in the order of the model.
    var entities: [Entity] { drafts.map(\.entity) }

    /// Returns whether an entity inherits from no other entity of the model.
    func isRoot(_ position: Int) -> Bool {
        drafts[position].entity.parent.map { positions[$0] == nil } ?? true
    }

    /// Returns the positions of an entity and of those that it inherits from, the entity first.
    ///
    /// The result has at most two positions more than the limit. An entity that inherits from itself reaches that size.
    ///
    /// - Complexity: O(*n*) for *n* entities that it inherits from, with one look-up by name for each
    func lineage(of name: String) -> [Int] {
        var lineage: [Int] = []
        var next: String? = name
        while let name = next, let position = positions[name], lineage.count <= ModelLimits.ancestorCount + 1 {
            lineage.append(position)
            next = drafts[position].entity.parent
        }
        return lineage
    }

    /// Checks that the schema is within `ModelLimits`, because inheritance makes it larger than the file.
    ///
    /// - Parameter position: The place of the model, for an error about the whole.
    /// - Throws: `ModelError` if a limit is exceeded.
    func checkSize(at position: MarkupPosition) throws(ModelError) {
        var arriving: [String: Int] = [:]
        for draft in drafts {
            for relationship in draft.entity.relationships { arriving[relationship.destination, default: 0] += 1 }
        }
        var count = 0
        for draft in drafts {
            let lineage = lineage(of: draft.entity.name)
            if lineage.count > ModelLimits.ancestorCount + 1, Set(lineage).count == lineage.count {
                throw ModelError(
                    .limit,
                    "it inherits more than \(ModelLimits.ancestorCount) entities, which those of no model do",
                    at: draft.position, subject: draft.entity.name)
            }
            for ancestor in lineage {
                count += drafts[ancestor].entity.attributes.count + drafts[ancestor].entity.relationships.count
                count += arriving[drafts[ancestor].entity.name, default: 0]
            }
        }
        if count > ModelLimits.propertyCount {
            throw ModelError(
                .limit,
                "the entities have more than \(ModelLimits.propertyCount) properties with those that they "
                    + "inherit, which no model has",
                at: position)
        }
    }
}
