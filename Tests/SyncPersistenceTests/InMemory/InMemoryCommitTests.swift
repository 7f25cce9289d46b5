import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct InMemoryCommitTests {
    private let store = InMemoryAdapter(schema: Staff.schema)

    private struct Refusal: Error {}

    @Test func observersReceiveCommitsInTransactionOrderHoweverLateTheyRead() async throws {
        let commits = store.commits()
        let returned = Locked<[Int64: [RecordID]]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<10 {
                        var changes = ChangeSet()
                        changes.put(Record(Staff.person, ["id": .integer(Int64(task * 10 + number))]))
                        let commit = try await store.commit(changes)
                        returned.withLock { $0[commit.sequence] = commit.inserted }
                    }
                }
            }
            try await group.waitForAll()
        }
        var sequences: [Int64] = []
        for await commit in commits.prefix(80) {
            #expect(returned.current[commit.sequence] == commit.inserted)
            sequences.append(commit.sequence)
        }
        #expect(sequences == sequences.sorted())
        #expect(Set(sequences) == Set(returned.current.keys))
        #expect(sequences.count == 80)
    }

    @Test func publishedCommitCanBeReadAtOnce() async throws {
        var commits = store.commits().makeAsyncIterator()
        for number in 0..<20 as Range<Int64> {
            var changes = ChangeSet()
            changes.put(Record(Staff.person, ["id": .integer(number)]))
            async let written = store.commit(changes)
            let commit = await commits.next()
            let count = try await store.read { try $0.count(Query("Person")) }
            #expect(count == Int(number) + 1)
            #expect(try await written.sequence == commit?.sequence)
        }
    }

    @Test func rolledBackOrEmptyTransactionIsNotPublishedAndItsNumberIsReused() async throws {
        let commits = store.commits()
        var changes = ChangeSet()
        changes.put(Record(Staff.person, ["id": 1]))
        let first = try await store.commit(changes)
        let before = try await StoreDump(of: store)
        await #expect(throws: Refusal.self) {
            try await store.write { transaction in
                var changes = ChangeSet()
                changes.put(Record(Staff.person, ["id": 2, "boss": nil]))
                changes.delete(RecordID("Person", 1))
                changes.setMetadata("cursor", "7")
                try transaction.apply(changes)
                throw Refusal()
            }
        }
        // At the end of the transaction: no record may reference a missing one.
        var dangling = ChangeSet()
        dangling.put(Record(Staff.person, ["id": 3, "boss": 99]))
        await #expect(throws: PersistenceError.self) { try await store.commit(dangling) }
        #expect(try await StoreDump(of: store).differences(from: before) == [])
        let unchanged = try await store.commit(changes)
        #expect(unchanged.isEmpty)
        #expect(unchanged.unchangedCount == 1)
        #expect(try await StoreDump(of: store).differences(from: before) == [])
        var more = ChangeSet()
        more.delete(RecordID("Person", 1))
        let second = try await store.commit(more)
        #expect(second.sequence > first.sequence)
        var published: [Int64] = []
        for await commit in commits.prefix(2) { published.append(commit.sequence) }
        #expect(published == [first.sequence, second.sequence])
    }

    @Test func commitStreamEndsWithTheStore() async {
        var store: InMemoryAdapter? = InMemoryAdapter(schema: Staff.schema)
        let commits = store?.commits()
        store = nil
        if let commits { for await _ in commits { Issue.record("nothing was committed") } }
    }
}
