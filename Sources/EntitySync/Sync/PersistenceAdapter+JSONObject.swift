public import SyncPersistence

#if canImport(Foundation)
    extension PersistenceAdapter {
        /// Syncs an object of `JSONSerialization`, or of what Alamofire and others give as `Any`, into the records of an entity.
        ///
        /// ```swift
        /// let users = try JSONSerialization.jsonObject(with: data)
        /// try await store.sync(jsonObject: users, into: "User")
        /// ```
        ///
        /// It is as ``sync(_:into:filter:parent:operations:options:)-8mfr`` of its text. Where there are bytes, sync these:
        /// objects that are as they were the last time are skipped without being read.
        ///
        /// - Parameters:
        ///   - jsonObject: An array of dictionaries, `[[String: Any]]`, or one dictionary.
        ///   - entity: The name of the entity.
        ///   - filter: Which records may be deleted.
        ///   - parent: A record with which all records are connected that objects stand for.
        ///   - operations: Which changes may be made.
        ///   - options: How the payload is synced.
        /// - Returns: What has changed, and what could not be used.
        /// - Throws: ``SyncError`` with the path of a value that JSON cannot hold; otherwise as for bytes, but for `JSONError`.
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

        /// Stores an object of `JSONSerialization`: as a new record, or in the record that has its key.
        ///
        /// ```swift
        /// let (user, _) = try await store.insertOrUpdate(jsonObject: dictionary, into: "User")
        /// ```
        ///
        /// - Parameters:
        ///   - jsonObject: A dictionary, `[String: Any]`.
        ///   - entity: The name of the entity.
        ///   - options: How it is synced.
        /// - Returns: The record, which is nil if it could not be stored, and what has changed.
        /// - Throws: ``SyncError`` with the path of a value that JSON cannot hold; otherwise as
        ///   ``insertOrUpdate(_:into:options:)``.
        /// - Complexity: A lookup for each record that the object speaks of
        @discardableResult
        nonisolated(nonsending) public func insertOrUpdate(
            jsonObject: Any, into entity: String, options: SyncOptions = SyncOptions()
        ) async throws -> (record: Record?, result: SyncResult) {
            let value = try Value(jsonObject: jsonObject)
            return try await insertOrUpdate(value, into: entity, options: options)
        }
    }
#endif
