import SyncPersistence

extension InMemoryAdapter {
    /// Stores records of one entity in one commit.
    func put(_ entity: String, _ rows: [String: Value]...) async throws {
        var changes = ChangeSet()
        for row in rows { changes.put(try Record(entity, in: schema, row)) }
        try await commit(changes)
    }
}
