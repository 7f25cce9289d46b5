public import SyncPersistence

extension PersistenceAdapter {
    /// The record of an entity that has a key; nil if there is none.
    ///
    /// ```swift
    /// let user = try await store.fetch("User", "7")  // the user with the integer key 7
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - key: The primary key in whatever form a remote gives it; of several parts, an array.
    /// - Throws: ``SyncError`` if there is no such entity, or if it has no primary key; what reading throws.
    /// - Complexity: A lookup
    public func fetch(_ entity: String, _ key: Value) async throws -> Record? {
        try await run(SyncRequest(entity)) { try $0.fetch(key) }.record
    }

    /// Stores an object: as a new record, or in the record that has its key.
    ///
    /// ```swift
    /// let (user, _) = try await store.insertOrUpdate(["id": 7, "name": "Ada"], into: "User")
    /// ```
    ///
    /// Objects within it are stored with it, and what its lists no longer have goes, as for a payload; no other records are
    /// deleted.
    ///
    /// - Parameters:
    ///   - json: The object; of text, `try Value(json: text)`.
    ///   - entity: The name of the entity.
    ///   - options: How it is synced.
    /// - Returns: The record, which is nil if it could not be stored, and what has changed.
    /// - Throws: ``SyncError`` if the object has no key; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: A lookup for each record that the object speaks of
    @discardableResult
    public func insertOrUpdate(
        _ json: Value, into entity: String, options: SyncOptions = SyncOptions()
    ) async throws -> (record: Record?, result: SyncResult) {
        try json.requireSyncableDepth()
        return try await run(SyncRequest(entity, nil, nil, .all, options)) { try $0.insertOrUpdate(json) }
    }

    /// A record that is there takes over what an object says, its key too if the object has another.
    ///
    /// ```swift
    /// try await store.update("User", 7, with: ["name": "Ada Lovelace"])
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - key: The primary key in whatever form a remote gives it; of several parts, an array.
    ///   - json: The object.
    ///   - options: How it is synced.
    /// - Returns: The record, which is nil if there is none with that key, and what has changed.
    /// - Throws: `PersistenceError` if another record has the new key; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: A lookup for each record that the object speaks of
    @discardableResult
    public func update(
        _ entity: String, _ key: Value, with json: Value, options: SyncOptions = SyncOptions()
    ) async throws -> (record: Record?, result: SyncResult) {
        try json.requireSyncableDepth()
        return try await run(SyncRequest(entity, nil, nil, .all, options)) { try $0.update(key, with: json) }
    }

    /// Deletes the record that has a key, and what goes with it by the schema's delete rules.
    ///
    /// ```swift
    /// try await store.delete("User", 7)
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - key: The primary key in whatever form a remote gives it; of several parts, an array.
    ///   - origin: Where the deletion comes from. One of the remote leaves a record with a change that was made here as
    ///     it is, and notes the deletion beside it.
    /// - Returns: What has changed; nothing if there is no such record.
    /// - Throws: `PersistenceError` if a delete rule forbids it, and if the store cannot be written.
    /// - Complexity: A lookup for each record that goes
    @discardableResult
    public func delete(
        _ entity: String, _ key: Value, origin: ChangeSet.Origin = .remote
    ) async throws -> SyncResult {
        var options = SyncOptions()
        options.origin = origin
        return try await run(SyncRequest(entity, nil, nil, .all, options)) { run in
            if let record = try run.fetch(key) { try run.delete(record.id) }
        }.result
    }
}
