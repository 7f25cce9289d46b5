import SyncPersistence

/// Which stored records a payload speaks of.
struct SyncScope {
    /// The records that are deleted if no object stands for them.
    var filter: Filter?
    /// The parent that each record is connected with, and by which relationship.
    var parent: (id: RecordID, relationship: RelationshipMap)?
    /// The parent as it is stored, and the relationship that leads to it.
    var parentRecord: (record: Record, relationship: String)?
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
            filter = map.constantFilter(and: filter)
            return
        }
        filter = map.constantFilter(and: filter)
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
        parentRecord = (record, toParent.name)
    }
}

extension EntityMap {
    /// A filter, and that the parts of the key which are the same for all objects have their values.
    fileprivate func constantFilter(and filter: Filter?) -> Filter? {
        let conditions = keyParts.compactMap { part in
            sources.constant(part).map { Filter.comparison(path: attributes[part].definition.name, .equal, $0) }
        }
        let all = (filter.map { [$0] } ?? []) + conditions
        return all.count > 1 ? .and(all) : all.first
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

extension ReadTransaction {
    /// The keys of an entity's records that a relationship connects with a record.
    func keys(of relationship: RelationshipMap, to parent: RecordID, _ map: EntityMap) throws -> [Value] {
        switch relationship.storage {
        case .reference(let slot, _, _):
            return try records(Query(map.shape.name, where: .comparison(path: slot, .equal, parent.key))).map(\.key)
        case .links(let shape, let end):
            return try records(Query(shape, where: .comparison(path: end.far, .equal, parent.key))).map { $0[end.near] }
        case .inverse(let slot, _):
            let key = try record(parent)?[slot] ?? .null
            return key.isNull ? [] : [key]
        }
    }
}
