public import SyncPersistence

extension PersistenceAdapter {
    /// Syncs JSON text into the records of an entity.
    ///
    /// ```swift
    /// let result = try await store.sync(data, into: "User")
    /// print(result["User"].inserted.count, "new users")
    /// ```
    ///
    /// The text is an array of objects, one object, or objects on lines of their own. The primary key of the entity
    /// identifies objects. An object that is not stored yet becomes a new record. An existing record gets the values of
    /// its object, and keeps those that the object does not state. A record without an object is deleted. Nested
    /// objects are stored as well, and connected by the relationships of the schema.
    ///
    /// A sync is one transaction, and other syncs of the store wait for it. If it fails or is cancelled, nothing has
    /// changed. Objects and values that cannot be used are skipped and reported with their places. Local changes that
    /// were not sent yet are merged with the payload.
    ///
    /// A complete payload of 32 objects or more is remembered: one with all operations and without a parent. In the
    /// next payload, an object with the same bytes is skipped, unless what it specifies has changed since or a
    /// transformer is not pure.
    ///
    /// <doc:SyncingJSON> describes how names, values and relationships are read.
    ///
    /// - Parameters:
    ///   - json: The UTF-8 bytes, such as `Data` or `[UInt8]`.
    ///   - entity: The name of the entity.
    ///   - filter: A condition for the records that may be deleted. Objects can update all records.
    ///   - parent: A record that all records of the payload are connected with, by the first relationship that leads to
    ///     it. Only records that are connected with it are deleted.
    ///   - operations: The changes that may be made.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: `JSONError` if the text is not JSON. ``SyncError`` if the schema does not match the options, if the
    ///   payload is neither an array nor an object with a key, or if a strict sync cannot use something.
    ///   `PersistenceError` if a delete rule denies a deletion, or if the store cannot be written. `CancellationError`
    ///   if the task is cancelled.
    /// - Complexity: O(size of the payload + number of records of the entity), with a lookup for each object that is
    ///   not skipped; without `.delete`, O(size of the payload)
    @discardableResult
    public func sync(
        _ json: some Sequence<UInt8> & Sendable, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(
            json, roots: [SyncRoot(entity, filter: filter, parent: parent, operations: operations)], options: options)
    }

    /// Syncs JSON text into the records of an entity.
    ///
    /// ```swift
    /// try await store.sync(#"[{"id": 7, "name": "Ada"}]"#, into: "User")
    /// ```
    ///
    /// This is the same as ``sync(_:into:filter:parent:operations:options:)-8mfr`` with its bytes.
    ///
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: As for bytes.
    /// - Complexity: As that of bytes
    @discardableResult
    public func sync(
        _ json: String, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(
            json.utf8, into: entity, filter: filter, parent: parent, operations: operations, options: options)
    }

    /// Syncs a JSON value into the records of an entity: an array of objects, or one object.
    ///
    /// ```swift
    /// try await store.sync([["id": 7, "name": "Ada"]], into: "User")
    /// ```
    ///
    /// This is the same as ``sync(_:into:filter:parent:operations:options:)-8mfr`` with its text. Values that JSON has
    /// no form for, such as dates and decimals, are stored unchanged.
    ///
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: As for bytes, except for `JSONError`.
    /// - Complexity: As that of bytes
    @discardableResult
    public func sync(
        _ json: Value, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(
            json, roots: [SyncRoot(entity, filter: filter, parent: parent, operations: operations)], options: options)
    }

    /// Syncs values of an app's own type into the records of an entity: a sequence of them, or one.
    ///
    /// ```swift
    /// try await store.sync(encoding: people, into: "User")
    /// ```
    ///
    /// `ValueEncoder` encodes them without text, so that dates and decimals stay exact.
    ///
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: `EncodingError` and errors of the values' `encode(to:)`; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``, except for `JSONError`.
    /// - Complexity: As that of bytes
    @discardableResult
    public func sync(
        encoding values: some Encodable, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(
            ValueEncoder().encode(values), into: entity, filter: filter, parent: parent, operations: operations,
            options: options)
    }

    /// Syncs a stream of JSON text, which may be larger than memory, into the records of an entity.
    ///
    /// ```swift
    /// try await store.sync(stream: bytes, into: "User")
    /// ```
    ///
    /// `bytes` is any asynchronous sequence, such as that of `URLSession.bytes(from:)` on Apple's platforms. A
    /// temporary file stores the bytes until the stream ends, so the store does not wait for them. A stream that fails
    /// changes nothing. If objects are on lines of their own, missing last lines cannot be detected: prefer an array,
    /// or omit ``SyncOperations/delete``.
    ///
    /// - Parameters:
    ///   - stream: The UTF-8 bytes.
    ///   - entity: The name of the entity.
    ///   - filter: A condition for the records that may be deleted.
    ///   - parent: A record that all records of the payload are connected with.
    ///   - operations: The changes that may be made.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: Errors of the stream; ``SyncError`` if no temporary file can be written; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: As that of bytes; in memory, O(number of objects + size of what changes)
    @inlinable @discardableResult
    public func sync<Bytes: AsyncSequence>(
        stream: Bytes, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult where Bytes.Element == UInt8 {
        try await sync(
            stream: stream, roots: [SyncRoot(entity, filter: filter, parent: parent, operations: operations)],
            options: options)
    }

    /// Syncs the JSON text of a file, which may be larger than memory, into the records of an entity.
    ///
    /// ```swift
    /// try await store.sync(contentsOfFile: path, into: "User")
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - entity: The name of the entity.
    ///   - filter: A condition for the records that may be deleted.
    ///   - parent: A record that all records of the payload are connected with.
    ///   - operations: The changes that may be made.
    ///   - options: The options of the sync.
    /// - Returns: The changes, and reports of what could not be used.
    /// - Throws: ``SyncError`` if the file cannot be read; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: As that of bytes; in memory, O(number of objects + size of what changes)
    @discardableResult
    public func sync(
        contentsOfFile path: String, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(
            contentsOfFile: path, roots: [SyncRoot(entity, filter: filter, parent: parent, operations: operations)],
            options: options)
    }

    /// Runs a sync in a transaction, which a cancelled task cancels.
    func sync(
        _ options: SyncOptions, _ body: @escaping @Sendable (SyncRun) throws -> Void
    ) async throws -> SyncResult {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await run(options, cancellation) { run in
                try cancellation.check()
                try body(run)
                return nil
            }.result
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Runs a sync in a transaction, which may return a record.
    func run(
        _ options: SyncOptions, _ cancellation: Cancellation = Cancellation(),
        _ body: @escaping @Sendable (SyncRun) throws -> Record?
    ) async throws -> ObjectSyncResult {
        let written = try await write { transaction in
            let run = SyncRun(options, in: transaction, cancellation)
            let record = try body(run)
            return (outcome: run.result(), record: record)
        }
        return ObjectSyncResult(
            record: written.result.record, result: SyncResult(written.commit, written.result.outcome, in: schema))
    }
}
