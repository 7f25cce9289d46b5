public import SyncPersistence

extension PersistenceAdapter {
    /// Returns the record of an entity with a key; nil if there is none.
    ///
    /// ```swift
    /// let user = try await store.fetch("User", "7")  // the user with the integer key 7
    /// ```
    ///
    /// It reads the latest commit, and does not wait for transactions that write.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - key: The primary key in any form that a remote uses; an array for a key of several parts.
    /// - Throws: ``SyncError`` if the entity does not exist, or if it has no primary key; errors of the store.
    /// - Complexity: A lookup
    public func fetch(_ entity: String, _ key: Value) async throws -> Record? {
        try await read { transaction in
            try transaction.fetch(key, Mapping(transaction.schema, SyncOptions()).map(of: entity))
        }
    }

    /// Stores an object as a new record, or in the record with its key.
    ///
    /// ```swift
    /// let user = try await store.insertOrUpdate(["id": 7, "name": "Ada"], into: "User").record
    /// ```
    ///
    /// By default, the object is one of the remote, and the change is not sent to it; see ``SyncOptions/origin``.
    ///
    /// Nested objects are stored as well. Records that its lists no longer have are deleted as for a payload, and no
    /// others.
    ///
    /// - Parameters:
    ///   - json: The object; for text, `try Value(json: text)`.
    ///   - entity: The name of the entity.
    ///   - options: The options of the sync.
    /// - Returns: The record, or nil if it could not be stored, and the changes.
    /// - Throws: ``SyncError`` if the object has no key; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: A lookup for each record that the object specifies
    @discardableResult
    public func insertOrUpdate(
        _ json: Value, into entity: String, options: SyncOptions = SyncOptions()
    ) async throws -> ObjectSyncResult {
        try json.requireSyncableDepth()
        return try await run(options) { try ObjectSync(of: entity, in: $0).insertOrUpdate(json) }
    }

    /// Updates an existing record from an object, with a new key if the object has one.
    ///
    /// ```swift
    /// try await store.update("User", 7, with: ["name": "Ada Lovelace"])
    /// ```
    ///
    /// By default, the object is one of the remote, and the change is not sent to it; see ``SyncOptions/origin``.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - key: The primary key in any form that a remote uses; an array for a key of several parts.
    ///   - json: The object.
    ///   - options: The options of the sync.
    /// - Returns: The record, or nil if there is none with that key, and the changes.
    /// - Throws: `PersistenceError` if another record has the new key; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: A lookup for each record that the object specifies
    @discardableResult
    public func update(
        _ entity: String, _ key: Value, with json: Value, options: SyncOptions = SyncOptions()
    ) async throws -> ObjectSyncResult {
        try json.requireSyncableDepth()
        return try await run(options) { try ObjectSync(of: entity, in: $0).update(key, with: json) }
    }

    /// Deletes the record with a key, and the records that the schema's delete rules delete with it.
    ///
    /// ```swift
    /// try await store.delete("User", 7)  // the remote has deleted it
    /// try await store.delete("User", 7, origin: .local)  // the user deletes it
    /// ```
    ///
    /// By default, the deletion is that of the remote, and is not sent to it.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - key: The primary key in any form that a remote uses; an array for a key of several parts.
    ///   - origin: The origin of the deletion. A deletion by the remote keeps a record with a local change, as a payload
    ///     without the record does: the change becomes an insertion.
    /// - Returns: The changes; none if the record does not exist.
    /// - Throws: `PersistenceError` if a delete rule denies the deletion, or if the store cannot be written.
    /// - Complexity: A lookup for each deleted record
    @discardableResult
    public func delete(
        _ entity: String, _ key: Value, origin: ChangeSet.Origin = .remote
    ) async throws -> SyncResult {
        var options = SyncOptions()
        options.origin = origin
        return try await run(options) { run in
            try ObjectSync(of: entity, in: run).delete(key)
            return nil
        }.result
    }
}
