import SyncPersistence

/// A record of which the payload says that it is deleted.
struct ToldDeletion {
    let map: EntityMap
    let key: Value
    let place: Place
}

extension SyncRun {
    /// Deletes the records of which the payload says that they are deleted; keys that no record has are ignored.
    ///
    /// A record of which the payload has an object as well is deleted too, and that is reported.
    func deleteTold(sparing spoken: Set<UInt64>) throws {
        for deletion in told {
            try cancellation.check()
            let (map, key) = (deletion.map, deletion.key)
            let id = RecordID(map.shape.name, key)
            guard let record = try record(map, key) ?? transaction.record(id), record.shape.inherits(map.shape.name)
            else { continue }
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
