import SyncPersistence

/// Which stored records a payload speaks of.
struct SyncScope {
    /// The records that are deleted if no object stands for them.
    var filter: Filter?
    /// The parent that each record is connected with, and by which relationship.
    var parent: (id: RecordID, relationship: RelationshipMap)?

    init(_ request: SyncRequest, _ map: EntityMap, in run: SyncRun) throws {
        filter = request.filter
        guard let parent = request.parent else {
            if filter == nil { filter = SyncScope.roots(of: map, run.mapping.schema) }
            return
        }
        guard let record = try run.transaction.record(parent) else {
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

    /// The roots of a tree: of records that name one of their own entity as that which they belong to, those that name
    /// none.
    private static func roots(of map: EntityMap, _ schema: Schema) -> Filter? {
        for relationship in map.relationships where !relationship.definition.isToMany {
            guard relationship.definition.destination == map.shape.name,
                case .reference(let slot, _, _) = relationship.storage,
                let inverse = relationship.definition.inverse,
                map.shape.relationship(named: inverse)?.definition.isToMany == true
            else { continue }
            return .isNull(path: slot)
        }
        return nil
    }
}
