public import SyncPersistence

extension PersistenceAdapter {
    /// Syncs JSON into the records of an entity.
    @discardableResult
    public func sync(
        _ json: String, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(
            Value(json: json, options: options.json), into: entity, filter: filter, parent: parent,
            operations: operations, options: options)
    }

    /// Syncs JSON into the records of an entity.
    @discardableResult
    public func sync(
        _ json: some Sequence<UInt8>, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await sync(
            Value(json: json, options: options.json), into: entity, filter: filter, parent: parent,
            operations: operations, options: options)
    }

    /// Syncs JSON into the records of an entity.
    @discardableResult
    public func sync(
        _ json: Value, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        let request = SyncRequest(
            entity: entity, filter: filter, parent: parent, operations: operations, options: options)
        let payload: [Value] = if case .array(let elements) = json { elements } else { [json] }
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            let (commit, outcome) = try await write { transaction in
                let run = SyncRun(request, in: transaction, cancellation)
                try run.sync(payload)
                return run.outcome
            }
            return SyncResult(commit, outcome)
        } onCancel: {
            cancellation.cancel()
        }
    }
}
