public import SyncPersistence

extension PersistenceAdapter {
    /// Returns the local changes of an entity's records that should be sent, sorted by key.
    ///
    /// ```swift
    /// let uploads = try await store.uploads(of: "User", with: ["tags"])
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - relationships: The relationships stored in links, such as many-to-many ones, whose changed links are sent
    ///     with the records.
    /// - Throws: `PersistenceError` if the entity or a relationship does not exist, or if the store cannot be read.
    /// - Complexity: O(*d* log *d*) for *d* changed records and links
    public func uploads(of entity: String, with relationships: [String] = []) async throws -> [Upload] {
        try await read { try $0.uploads(of: entity, with: relationships) }
    }

    /// Records that the server has accepted a local change, and merges its answer.
    ///
    /// ```swift
    /// try await store.accept(upload, answer: ["id": 7, "updated_at": "2026-05-01T12:00:00Z"])
    /// ```
    ///
    /// The sent change is no longer a local change; later changes still are. An answer is merged like a payload: it may
    /// state values that the server has computed, and a new key for a record that was made offline. References to the
    /// record get the new key. If a payload has already inserted a record with that key, both become one.
    ///
    /// | Answer | Effect |
    /// | --- | --- |
    /// | null, `{}` | The server has accepted the change, and states nothing more. |
    /// | `{"id": 7}` | The record gets the key 7. |
    /// | an object with any property of the entity | The record gets the stated values; other members are unknown keys. |
    /// | an object without any, such as `{"data": {…}}` or `{"error": "…"}` | An error: nothing is accepted. |
    ///
    /// If the format is ``SyncFormat/jsonAPI``, an object is a document: its `data` is the resource, and resources in
    /// `included` are stored as well. A document of `meta`, `links` and `jsonapi` alone states nothing more. Any other
    /// one, such as one with `errors`, is an error.
    ///
    /// A repeated call, or one after a payload that stated the same, changes nothing more.
    ///
    /// - Parameters:
    ///   - upload: The upload that was sent.
    ///   - answer: The server's answer; null for none. The answer to a deletion is ignored.
    ///   - options: The options of the sync. The origin is always the remote.
    /// - Returns: The record, or nil if it was deleted locally, and the changes.
    /// - Throws: ``SyncError`` if the answer is of none of these forms; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: A lookup for each record that the answer specifies; if the key changes, O(number of records that
    ///   name the record + number of changed records)
    @discardableResult
    public func accept(
        _ upload: Upload, answer: Value = .null, options: SyncOptions = SyncOptions()
    ) async throws -> ObjectSyncResult {
        try answer.requireSyncableDepth()
        var options = options
        options.origin = .remote
        return try await run(options) { try AcceptedUpload(upload, in: $0).accept(answer) }
    }
}
