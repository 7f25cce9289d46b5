public import SyncPersistence

extension PersistenceAdapter {
    /// Syncs JSON text into the records of an entity.
    ///
    /// ```swift
    /// let result = try await store.sync(data, into: "User")
    /// print(result["User"].inserted.count, "new users")
    /// ```
    ///
    /// The text is an array of objects, one object, or objects on lines of their own. Objects are told apart by the
    /// primary key of the entity: those that are not stored yet become new records; records take over what their objects
    /// say, and keep what those do not speak of; and records that no object stands for are deleted. Objects within
    /// objects are stored with them, and connected as the schema has it. All of that is one transaction: another sync of
    /// the same store waits for it, and if it fails or is cancelled, nothing has changed.
    ///
    /// An object or value that cannot be used is left out, and reported with its place. A change that was made here and
    /// not sent yet is merged with the payload.
    ///
    /// A complete payload of 32 objects or more is remembered, which is one with all operations and without a parent. An
    /// object with the same bytes is skipped in the next one, unless what it specifies has changed since or a transformer
    /// is not pure.
    ///
    /// <doc:SyncingJSON> says how names, values and relationships are read.
    ///
    /// - Parameters:
    ///   - json: The UTF-8 bytes, as `Data`, `[UInt8]` and others have them.
    ///   - entity: The name of the entity.
    ///   - filter: Which records may be deleted: those that the payload speaks of. Objects reach all records.
    ///   - parent: A record with which all records are connected that objects stand for, by the first relationship that
    ///     leads to it; the payload speaks of what is connected with it, and nothing else is deleted.
    ///   - operations: Which changes may be made.
    ///   - options: How the payload is synced.
    /// - Returns: What has changed, and what could not be used.
    /// - Throws: `JSONError` if the text is not JSON; ``SyncError`` if the schema does not allow for the sync, if the
    ///   payload is neither an array nor an object with a key, or if the sync is strict and something cannot be used; `PersistenceError` if a delete rule forbids what would follow, or the store
    ///   cannot be written; `CancellationError`.
    /// - Complexity: O(size of the payload + number of records of the entity), with a lookup for each object that is not
    ///   skipped; without `.delete`, records that the payload does not speak of cost nothing
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
    /// It is as ``sync(_:into:filter:parent:operations:options:)-8mfr`` of its bytes.
    ///
    /// - Returns: What has changed, and what could not be used.
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
    /// It is as ``sync(_:into:filter:parent:operations:options:)-8mfr`` of its text; what has a
    /// case in `Value` but not in JSON, such as dates and decimals, is taken as it is.
    ///
    /// - Returns: What has changed, and what could not be used.
    /// - Throws: As for bytes, but for `JSONError`.
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
    /// What they encode is what JSON would say of them, but that dates, decimals and others stay what they are; no text is
    /// made. `ValueEncoder` does that.
    ///
    /// - Returns: What has changed, and what could not be used.
    /// - Throws: `EncodingError` and what the values throw when they are encoded; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``, but for `JSONError`.
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

    /// Syncs JSON text that comes byte by byte, more than memory holds if need be, into the records of an entity.
    ///
    /// ```swift
    /// try await store.sync(stream: bytes, into: "User")
    /// ```
    ///
    /// `bytes` is any sequence that waits for its bytes: on Apple's platforms, that of `URLSession.bytes(from:)`. They
    /// are kept in a temporary file until the last one has come, so the store does not wait for them, and what breaks off
    /// changes nothing. Of objects on lines of their own nobody can tell whether the last lines are missing: prefer an
    /// array, or leave ``SyncOperations/delete`` out.
    ///
    /// - Parameters:
    ///   - stream: The UTF-8 bytes.
    ///   - entity: The name of the entity.
    ///   - filter: Which records may be deleted.
    ///   - parent: A record with which all records are connected that objects stand for.
    ///   - operations: Which changes may be made.
    ///   - options: How the payload is synced.
    /// - Returns: What has changed, and what could not be used.
    /// - Throws: What the stream throws; ``SyncError`` if no temporary file can be written; otherwise as
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
    ///   - filter: Which records may be deleted.
    ///   - parent: A record with which all records are connected that objects stand for.
    ///   - operations: Which changes may be made.
    ///   - options: How the payload is synced.
    /// - Returns: What has changed, and what could not be used.
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

    /// Runs a sync in a transaction. A cancelled task cancels it.
    func sync(
        _ request: SyncRequest, _ body: @escaping @Sendable (SyncRun) throws -> Void
    ) async throws -> SyncResult {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await run(request, cancellation) { run in
                try cancellation.check()
                try body(run)
            }.result
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Runs a sync in a transaction.
    func run<Found: Sendable>(
        _ request: SyncRequest, _ cancellation: Cancellation = Cancellation(),
        _ body: @escaping @Sendable (SyncRun) throws -> Found
    ) async throws -> (record: Found, result: SyncResult) {
        let (commit, (outcome, record)) = try await write { transaction in
            let run = SyncRun(request, in: transaction, cancellation)
            let record = try body(run)
            return (run.result(), record)
        }
        return (record, SyncResult(commit, outcome))
    }
}
