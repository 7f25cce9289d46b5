import SyncPersistence

/// The targets of relationships, as the origin of the payload knows them.
extension SyncRecords {
    /// Returns the keys that a relationship leads to.
    func related(_ id: RecordID, _ relationship: String) throws -> [Value] {
        origin == .remote ? try knownLinks.related(id, relationship) : try transaction.related(id, relationship)
    }

    /// Returns the key that a to-one relationship leads to; null if there is none.
    ///
    /// - Parameter isUnlinked: Whether the record is new, so that no other record leads to it.
    func target(of relationship: RelationshipMap, of record: Record, isUnlinked: Bool = false) throws -> Value {
        if case .reference(let slot, _, _) = relationship.storage { return record[slot] }
        return try isUnlinked ? .null : related(record.id, relationship.name).first ?? .null
    }

    /// Returns the keys of an entity's records that a relationship connects with a record.
    func keys(of relationship: RelationshipMap, to parent: RecordID, _ map: EntityMap) throws -> [Value] {
        func records(of shape: Shape, naming slot: String) throws -> [Record] {
            if origin == .remote { return try knownLinks.records(of: shape, naming: parent.key, in: slot) }
            return try transaction.records(Query(shape.name, where: .comparison(path: slot, .equal, parent.key)))
        }
        switch relationship.storage {
        case .reference(let slot, _, _): return try records(of: map.shape, naming: slot).map(\.key)
        case .links(let shape, let end):
            return try records(of: transaction.shape(shape), naming: end.far).map { $0[end.near] }
        case .inverse(let slot, _):
            let key = try transaction.known(parent, to: origin)?[slot] ?? .null
            return key.isNull ? [] : [key]
        }
    }

    /// Returns the name of a relationship that a record would lose as another entity, although its members must have an
    /// owner.
    func requiredOwnership(of present: Record, asEntityOf map: EntityMap) throws -> String? {
        if present.shape == map.shape { return nil }
        return try present.shape.relationships.first { relationship in
            guard case .inverse(let slot, _) = relationship.storage,
                map.shape.relationship(named: relationship.definition.name) == nil,
                let shape = transaction.schema[relationship.definition.destination],
                let position = shape.slot(named: slot), !shape.slots[position].isOptional
            else { return false }
            return try !transaction.related(present.id, relationship.definition.name).isEmpty
        }?.definition.name
    }

    /// Returns the records that a relationship leads to for the remote, and that were deleted locally.
    func deletedLocally(_ id: RecordID, _ relationship: String, _ destination: EntityMap) throws -> [RecordID] {
        guard try mayDiffer(destination.shape) else { return [] }
        return try knownLinks.related(id, relationship).filter { try isDeletedLocally(destination, $0) }
            .map { RecordID(destination.shape.root, $0) }
    }

    /// Returns the keys of the records that a relationship led to before the sync, and that the remote has deleted
    /// while a local change keeps them.
    func deletedRemotely(_ relationship: RelationshipMap, of owner: Record) throws -> [Value] {
        guard origin == .remote, case .inverse(let slot, _) = relationship.storage else { return [] }
        let shape = try mapping.destination(of: relationship).shape
        return try knownLinks.withdrawn(of: shape, naming: owner.key, in: slot)
    }

    /// Returns the keys of the records that a relationship connected with a record before the sync, and that the remote
    /// has deleted while a local change keeps them.
    func deletedRemotely(_ relationship: RelationshipMap, to parent: RecordID, _ map: EntityMap) throws -> [Value] {
        guard origin == .remote, case .reference(let slot, _, _) = relationship.storage else { return [] }
        return try knownLinks.withdrawn(of: map.shape, naming: parent.key, in: slot)
    }
}
