public import SyncPersistence

#if canImport(Foundation)
    extension PersistenceAdapter {
        /// Syncs an object of `JSONSerialization`, or JSON as `Any` from other libraries, into the records of an
        /// entity.
        ///
        /// ```swift
        /// let users = try JSONSerialization.jsonObject(with: data)
        /// try await store.sync(jsonObject: users, into: "User")
        /// ```
        ///
        /// This is the same as ``sync(_:into:filter:parent:operations:options:)-8mfr`` with its text. If you have
        /// bytes, sync those: unchanged objects are then skipped without being parsed.
        ///
        /// - Parameters:
        ///   - jsonObject: An array of dictionaries, `[[String: Any]]`, or one dictionary.
        ///   - entity: The name of the entity.
        ///   - filter: A condition for the records that may be deleted.
        ///   - parent: A record that all records of the payload are connected with.
        ///   - operations: The changes that may be made.
        ///   - options: The options of the sync.
        /// - Returns: The changes, and reports of what could not be used.
        /// - Throws: ``SyncError`` with the path of a value that JSON has no form for; otherwise as for bytes, but
        ///   for `JSONError`.
        /// - Complexity: As that of bytes
        @discardableResult
        nonisolated(nonsending) public func sync(
            jsonObject: Any, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
            operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
        ) async throws -> SyncResult {
            let value = try Value(jsonObject: jsonObject)
            return try await sync(
                value, into: entity, filter: filter, parent: parent, operations: operations, options: options)
        }

        /// Stores an object of `JSONSerialization` as a new record, or in the record with its key.
        ///
        /// ```swift
        /// let user = try await store.insertOrUpdate(jsonObject: dictionary, into: "User").record
        /// ```
        ///
        /// - Parameters:
        ///   - jsonObject: A dictionary, `[String: Any]`.
        ///   - entity: The name of the entity.
        ///   - options: The options of the sync.
        /// - Returns: The record, or nil if it could not be stored, and the changes.
        /// - Throws: ``SyncError`` with the path of a value that JSON has no form for; otherwise as
        ///   ``insertOrUpdate(_:into:options:)``.
        /// - Complexity: A lookup for each record that the object specifies
        @discardableResult
        nonisolated(nonsending) public func insertOrUpdate(
            jsonObject: Any, into entity: String, options: SyncOptions = SyncOptions()
        ) async throws -> ObjectSyncResult {
            let value = try Value(jsonObject: jsonObject)
            return try await insertOrUpdate(value, into: entity, options: options)
        }
    }
#endif
