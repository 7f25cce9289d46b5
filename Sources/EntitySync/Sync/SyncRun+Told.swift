import SyncPersistence

/// A record of which the payload says that it is deleted.
struct ToldDeletion {
    let map: EntityMap
    let key: Value
    let place: Place
}

extension SyncRun {
    /// Notes that an object says that its record is deleted.
    func tellDeletion(
        of object: ValueObject, _ map: EntityMap, _ surroundings: Surroundings?, at place: Place, isNested: Bool
    ) throws {
        let objectMap = try mapping.map(of: object, declaredAs: map) ?? map
        switch try key(of: object, objectMap, surroundings, at: place) {
        case .key(let key):
            let stored = map.isKeyPrimary ? key : try named(key, objectMap)
            if let stored { try tellDeletion(stored, map, at: place, isNested: isNested) }
        case .absent: try reportMissingKey(objectMap, at: place)
        case .invalid: return
        }
    }

    /// Notes that the payload says that a record is deleted, if operations allow for that.
    func tellDeletion(_ key: Value, _ map: EntityMap, at place: Place, isNested: Bool) throws {
        guard allows(isNested ? .deleteRelationships : .delete) else { return }
        told.append(ToldDeletion(map: map, key: key, place: place))
        // A later object may name the record and be skipped.
        footprint.write(map.token(of: key))
    }

    /// Deletes the records of which the payload says that they are deleted; keys that no record has are ignored.
    ///
    /// A record of which the payload has an object as well is deleted too, and that is reported.
    func deleteTold(sparing spoken: Set<UInt64>) throws {
        for deletion in told {
            try cancellation.check()
            let (map, key) = (deletion.map, deletion.key)
            let id = RecordID(map.shape.name, key)
            guard let record = try record(map, key) ?? transaction.record(id), record.shape.inherits(map.shape.name)
            else {
                try settleDeletion(of: key, map)
                continue
            }
            if spoken.contains(map.token(of: key)) {
                try report(
                    SyncReport(
                        .contradiction, at: deletion.place.path, of: id,
                        expected: "no object of a record that is deleted; the deletion counts", found: "one"))
            }
            if !isDraft(record) { try delete(id, sparing: spoken) }
        }
    }
}
