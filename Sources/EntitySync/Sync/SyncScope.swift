import SyncPersistence

/// The stored records that a list is compared with.
struct SyncScope {
    /// The condition for the records of the scope; nil for all records.
    let filter: Filter?
    /// The parent of all records, and the relationship that leads to it.
    let parent: (record: Record, relationship: RelationshipMap)?
    /// The relationships by which the records form a tree, if the list is the whole tree.
    let tree: Tree?
    /// Whether unlisted records are deleted.
    let deletes: Bool

    /// A to-one relationship to the same entity, its slot, and its to-many inverse.
    struct Tree {
        let parent: String
        let slot: String
        let children: String
    }

    /// Creates the scope of a list.
    ///
    /// - Parameter isPartial: Whether the remote may have more objects than are listed.
    init(_ root: SyncRoot, _ map: EntityMap, isPartial: Bool, in run: SyncRun) throws {
        filter = map.constantFilter(and: root.filter)
        deletes = root.operations.contains(.delete) && !isPartial
        guard let parent = root.parent else {
            tree = root.filter == nil ? Tree(of: map) : nil
            self.parent = nil
            return
        }
        tree = nil
        let parentMap = try run.mapping.map(of: parent.entity)
        let key = try parent.key.key(of: parentMap)
        guard let key, let record = try run.transaction.record(RecordID(parent.entity, key)) else {
            let isDeleted = try key.map { try run.records.isDeletedLocally(parentMap, $0) } ?? false
            throw SyncError(
                .noParent,
                isDeleted
                    ? "the parent \(parent) was deleted locally, and the deletion was not sent yet: skip its list until "
                        + "then"
                    : "there is no parent \(parent): store it first")
        }
        let toParent = map.relationships.first { record.shape.inherits($0.definition.destination) }
        guard let toParent else {
            throw SyncError(
                .noParent,
                "no relationship of '\(map.shape.name)' leads to '\(parent.entity)': give one to the schema, or sync "
                    + "without a parent")
        }
        self.parent = (record, toParent)
    }

    /// Calls `body` with the keys of the records, in the same order each time.
    func forEachKey(_ map: EntityMap, in run: SyncRun, _ body: (Value) throws -> Void) throws {
        guard let (parent, relationship) = parent else {
            return try run.records.forEachKey(map, where: filter, body)
        }
        let keys =
            try run.records.keys(of: relationship, to: parent.id, map)
            + run.records.deletedRemotely(relationship, to: parent.id, map)
        guard let filter else { return try keys.forEach(body) }
        var inside: Set<Value> = []
        try run.records.forEachKey(map, where: filter) { inside.insert($0) }
        for key in keys where inside.contains(key) { try body(key) }
    }
}

extension EntityMap {
    /// Returns a filter that also requires the constant parts of the key.
    fileprivate func constantFilter(and filter: Filter?) -> Filter? {
        let conditions = keyParts.compactMap { part in
            sources.constant(part).map { Filter.comparison(path: attributes[part].definition.name, .equal, $0) }
        }
        let all = (filter.map { [$0] } ?? []) + conditions
        return all.count > 1 ? .and(all) : all.first
    }
}

extension SyncScope.Tree {
    /// Returns the tree of an entity; nil if its records form none.
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
