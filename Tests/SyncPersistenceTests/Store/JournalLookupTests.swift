import DifferentialSync
import SyncPersistence
import Testing

/// Large change sets over a small journal, of which a transaction reads the keys as a whole.
struct JournalLookupTests {
    private let schema = try! Schema {
        Entity("Task") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("text", .string)
        }
    }

    private func task(_ id: Int64, _ text: Value) -> Record {
        Record(schema["Task"]!, ["id": .integer(id), "text": text])
    }

    @Test func largeChangeSetFindsEachPendingEdit() async throws {
        let store = InMemoryAdapter(schema: schema)
        try await store.write { transaction in
            for id in 0..<400 as Range<Int64> { try transaction.apply(change(to: task(id, "old"), .remote)) }
        }
        for id in [3, 399] as [Int64] { try await store.commit(change(to: task(id, "mine"), .local)) }

        var changes = ChangeSet(origin: .remote)
        for id in 0..<400 as Range<Int64> { changes.put(task(id, "theirs")) }
        let commit = try await store.commit(changes)

        #expect(commit.heldBack == [RecordID("Task", 3), RecordID("Task", 399)])
        let mine = try await store.read { try $0.records(Query("Task", where: Field("text") == "mine")) }
        #expect(mine.map { $0["id"] } == [3, 399])
    }

    @Test func editMadeAfterTheKeysWereReadIsFound() async throws {
        let store = InMemoryAdapter(schema: schema)
        try await store.write { transaction in
            for id in 0..<400 as Range<Int64> { try transaction.apply(change(to: task(id, "old"), .remote)) }
        }
        try await store.commit(change(to: task(3, "mine"), .local))

        let commit = try await store.write { transaction in
            for id in 100..<300 as Range<Int64> { try transaction.apply(change(to: task(id, "theirs"), .remote)) }
            try transaction.apply(change(to: task(300, "mine"), .local))
            try transaction.apply(change(to: task(300, "theirs"), .remote))
            try transaction.apply(change(to: task(301, "mine"), .local))
            try transaction.apply(change(to: task(301, "old"), .local))
        }.commit

        #expect(commit.heldBack == [RecordID("Task", 300)])
        let changed = try await store.read { try $0.localDiff(of: "Task") }
        #expect(changed?.replace.map { $0["id"] } == [3, 300])
    }

    private func change(to record: Record, _ origin: ChangeSet.Origin) -> ChangeSet {
        var changes = ChangeSet(origin: origin)
        changes.put(record)
        return changes
    }
}
