package import SyncPersistence

extension WriteTransaction {
    /// Updates an existing record from an object, with a new key if the object has one.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - json: The object.
    ///   - options: The options of the sync.
    /// - Returns: The record; nil if there is none with that key.
    /// - Throws: As ``PersistenceAdapter/update(_:_:with:options:)``. Some changes may have been made.
    package func update(_ id: RecordID, with json: Value, options: SyncOptions) throws -> Record? {
        try json.requireSyncableDepth()
        let run = SyncRun(options, in: self, Cancellation())
        return try ObjectSync(of: id.entity, in: run).update(id.key, with: json)
    }
}
