import StoreSync
import SyncPersistence

extension SyncScope {
    /// Returns the records and links of a store that are in the scope, by the names of their roots.
    func records(of content: InMemoryContent) throws -> Set<RecordID> {
        let schema = content.schema
        var ids: Set<RecordID> = []
        for shape in schema.shapes where !shape.isAbstract && includes(shape, in: schema) {
            let filter = Filter.and(shape.lineage.compactMap { filters[$0] })
            for record in try content.read({ try $0.records(Query(shape.name, where: filter)) })
            where record.entity == shape.name {
                ids.insert(RecordID(shape.root, record.key))
            }
        }
        for shape in schema.internalShapes where shape.role == .links && includes(shape, in: schema) {
            ids.formUnion(try content.read { try $0.keys(of: shape.name) }.map { RecordID(shape.root, $0) })
        }
        return ids
    }

    /// Whether the scope has records of an entity, or links of a relationship.
    func includes(_ shape: Shape, in schema: Schema) -> Bool {
        guard let entities else { return true }
        if shape.role != .links { return !entities.isDisjoint(with: shape.lineage) }
        return shape.slots.allSatisfy { slot in
            guard case .reference(let entity, _, _) = slot.content, let end = schema[entity] else { return true }
            return includes(end, in: schema)
        }
    }
}
