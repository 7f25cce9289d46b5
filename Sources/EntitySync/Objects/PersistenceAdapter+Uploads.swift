public import SyncPersistence

extension PersistenceAdapter {
    /// The local changes of an entity's records that are to be sent, sorted by key.
    ///
    /// ```swift
    /// let uploads = try await store.uploads(of: "User", with: ["tags"])
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - relationships: The relationships kept in links, as those between many and many are, whose changed links are sent
    ///     with the records.
    /// - Throws: `PersistenceError` if there is no such entity or relationship, or if the store cannot be read.
    /// - Complexity: O(*d* log *d*) for *d* changed records and links
    public func uploads(of entity: String, with relationships: [String] = []) async throws -> [Upload] {
        try await read { try $0.uploads(of: entity, with: relationships) }
    }

    /// Notes that the server has accepted a local change, and takes over what it has answered.
    ///
    /// ```swift
    /// try await store.accept(upload, answer: ["id": 7, "updated_at": "2026-05-01T12:00:00Z"])
    /// ```
    ///
    /// What was sent is no longer a local change; what was changed since then still is. An answer is merged as a payload
    /// is: it may state values that the server has computed, and a new key of a record that was made offline. The key
    /// changes with all that names the record. If a payload has already brought a record with that key, both become one.
    ///
    /// | Answer | Effect |
    /// | --- | --- |
    /// | null, `{}` | The server has accepted what was sent, and says nothing more. |
    /// | `{"id": 7}` | The record gets the key 7. |
    /// | an object with any property of the entity | The record takes over what it states; other members are unknown keys. |
    /// | an object without any, such as `{"data": {…}}` or `{"error": "…"}` | An error: nothing is accepted. |
    ///
    /// If the format is ``SyncFormat/jsonAPI``, an object is a document: its `data` is the resource, and resources in
    /// `included` are stored as well. A document of `meta`, `links` and `jsonapi` alone says nothing more. Any other one,
    /// such as one with `errors`, is an error.
    ///
    /// A call that comes twice, or after a payload that said the same, changes nothing more.
    ///
    /// - Parameters:
    ///   - upload: What was sent.
    ///   - answer: What the server answered with; null for nothing. That to a deletion is not looked at.
    ///   - options: How the answer is synced. The origin is the remote in any case.
    /// - Returns: The record, which is nil if it was deleted here, and what has changed.
    /// - Throws: ``SyncError`` if the answer is of none of these forms; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: A lookup for each record that the answer speaks of; where the key changes, O(number of records that name
    ///   the record + number of changed records)
    @discardableResult
    public func accept(
        _ upload: Upload, answer: Value = .null, options: SyncOptions = SyncOptions()
    ) async throws -> (record: Record?, result: SyncResult) {
        try answer.requireSyncableDepth()
        var options = options
        options.origin = .remote
        return try await run(SyncRequest(upload.id.entity, nil, nil, .all, options)) {
            try AcceptedUpload(upload, in: $0).accept(answer)
        }
    }
}
