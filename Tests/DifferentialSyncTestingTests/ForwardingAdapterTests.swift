import DifferentialSyncTesting
import SyncPersistence
import Testing

/// A store whose writes return some time after their commit.
private struct LateStore: PersistenceAdapter {
    let base: InMemoryAdapter
    /// Yields after each commit.
    let committed: AsyncStream<Void>.Continuation
    /// Ends when writes may return.
    let returning: AsyncStream<Void>

    var schema: Schema { base.schema }
    func commits() -> AsyncStream<Commit> { base.commits() }
    func add(_ entities: [Entity]) async throws { try await base.add(entities) }
    func close() async { await base.close() }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let written = try await base.write(body)
        committed.yield()
        for await _ in returning {}
        return written
    }
}

struct ForwardingAdapterTests {
    @Test func earlierCommitsArePublishedBeforeAClosedStoreEndsItsStreams() async throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let (commits, committed) = AsyncStream<Void>.makeStream()
        let (returning, returned) = AsyncStream<Void>.makeStream()
        let late = LateStore(base: InMemoryAdapter(schema: schema), committed: committed, returning: returning)
        let store = ForwardingAdapter(late) { $0 }
        let observer = store.commits()
        let note = try Record("Note", in: schema, ["id": 1])
        let writer = Task {
            var changes = ChangeSet()
            changes.put(note)
            try await store.commit(changes)
        }
        for await _ in commits { break }
        await store.close()
        returned.finish()
        try await writer.value
        var published: [[RecordID]] = []
        for await commit in observer { published.append(commit.inserted) }
        #expect(published == [[note.id]])
        for await _ in store.commits() { Issue.record("a closed store publishes nothing") }
    }
}
