import SyncPersistence

/// The records that the payload states to be deleted.
struct StatedDeletions {
    private(set) var all: [Deletion] = []

    /// The key of a deleted record, and the place in the payload that states the deletion.
    struct Deletion {
        let map: EntityMap
        let key: Value
        let place: Place
    }

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }

    /// Adds a record that the payload states to be deleted.
    mutating func add(_ key: Value, _ map: EntityMap, at place: Place) {
        all.append(Deletion(map: map, key: key, place: place))
    }
}

extension SyncRun {
    /// Adds the record of an object that states its deletion.
    func addDeletion(
        of object: ValueObject, _ map: EntityMap, _ surroundings: Surroundings?, at place: Place, isNested: Bool
    ) throws {
        let objectMap = try mapping.map(of: object, declaredAs: map) ?? map
        switch try mapper.key(of: object, objectMap, surroundings, at: place) {
        case .key(let key):
            let stored = map.isKeyPrimary ? key : try records.storedKey(objectMap, namedBy: key)
            if let stored { addDeletion(stored, map, at: place, isNested: isNested) }
        case .absent: try reports.addMissingKey(objectMap, at: place)
        case .invalid: return
        }
    }

    /// Adds a record that the payload states to be deleted, if the operations allow that.
    func addDeletion(_ key: Value, _ map: EntityMap, at place: Place, isNested: Bool) {
        guard allows(isNested ? .deleteRelationships : .delete) else { return }
        deletions.add(key, map, at: place)
        // Otherwise, a later object that names the record could be skipped.
        footprint.write(map.token(of: key))
    }
}
