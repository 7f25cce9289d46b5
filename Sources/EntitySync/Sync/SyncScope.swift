import SyncPersistence

/// Which stored records a payload speaks of.
struct SyncScope {
    /// The records that are deleted if no object stands for them.
    var filter: Filter?
    /// The parent that each record is connected with, and by which relationship.
    var parent: (id: RecordID, relationship: RelationshipMap)?
    /// The relationships that make a tree of the records, where the payload is the whole of it.
    var tree: Tree?
    /// Whether the records that no object stands for are deleted.
    var deletes = true

    /// A relationship to one record of the same entity, the slot that holds it, and its inverse to many.
    struct Tree {
        let parent: String
        let slot: String
        let children: String
    }

    init(_ request: SyncRequest, _ map: EntityMap, in run: SyncRun) throws {
        filter = request.filter
        guard let parent = request.parent else {
            if filter == nil { tree = Tree(of: map) }
            return
        }
        guard let key = try parent.key.key(of: run.mapping.map(of: parent.entity)),
            let record = try run.transaction.record(RecordID(parent.entity, key))
        else {
            throw SyncError(.noParent, "there is no parent \(parent): store it first")
        }
        let toParent = map.relationships.first { record.shape.inherits($0.definition.destination) }
        guard let toParent else {
            throw SyncError(
                .noParent,
                "no relationship of '\(map.shape.name)' leads to '\(parent.entity)': give one to the schema, or sync "
                    + "without a parent")
        }
        self.parent = (record.id, toParent)
    }
}

extension SyncScope.Tree {
    /// The tree of an entity; nil if its records make none.
    fileprivate init?(of map: EntityMap) {
        for relationship in map.relationships where !relationship.isToMany {
            guard relationship.definition.destination == map.shape.name,
                case .reference(let slot, _, _) = relationship.storage,
                let inverse = relationship.definition.inverse,
                map.shape.relationship(named: inverse)?.definition.isToMany == true
            else { continue }
            self.init(parent: relationship.name, slot: slot, children: inverse)
            return
        }
        return nil
    }
}
