import DifferentialSyncTesting
import SyncPersistence
import Testing

@Suite struct FailingAdapterTests {
    let schema = try! Schema {
        Entity("User") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("posts", toMany: "Post", isOrdered: true, inverse: "author", deleteRule: .cascade)
        }
        Entity("Post") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("author", to: "User", inverse: "posts")
            Relationship("tags", toMany: "Tag")
        }
        Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) }
    }

    private func changes(_ build: (inout ChangeSet) -> Void) -> ChangeSet {
        var changes = ChangeSet()
        build(&changes)
        return changes
    }

    private func scenario(_ store: some PersistenceAdapter) async throws {
        let schema = schema
        try await store.commit(
            changes {
                $0.put(Record(schema["User"]!, ["id": 1]))
                for key in 1...3 as ClosedRange<Int64> {
                    $0.put(Record(schema["Post"]!, ["id": .integer(key), "author": 1]))
                    $0.put(Record(schema["Tag"]!, ["id": .integer(key)]))
                }
            })
        try await store.commit(
            changes {
                $0.setLinks(RecordID("User", 1), "posts", to: [3, 1, 2])
                $0.setLinks(RecordID("Post", 1), "tags", to: [1, 2, 3])
                $0.setMetadata("cursor", "1")
            })
        // Changes nothing, and so is no place to fail.
        try await store.commit(changes { $0.put(Record(schema["Tag"]!, ["id": 1])) })
        try await store.commit(changes { $0.delete(RecordID("User", 1)) })
    }

    @Test func everyFailureOfAStoreInMemory() async throws {
        let schema = schema
        let count = try await forEveryFailure(of: { InMemoryAdapter(schema: schema) }) { store in
            try await scenario(store)
        } afterwards: { store, failure in
            let users = try await store.read { try $0.count(Query("User")) }
            let posts = try await store.read { try $0.count(Query("Post")) }
            // A user has all posts, or there are none.
            #expect(posts == 3 * users)
            if failure == nil { #expect(users == 0) }
        }
        // Three commits, before and after each; and all rows.
        #expect(count > 6 + 7 + 7 + 7)
    }

    @Test func scenarioThatGoesOn() async throws {
        let schema = schema
        try await forEveryFailure(of: { InMemoryAdapter(schema: schema) }) { store in
            do {
                try await scenario(store)
            } catch is SimulatedFailure {
                try await store.commit(changes { $0.put(Record(schema["Tag"]!, ["id": 9])) })
            }
        } afterwards: { store, failure in
            let isThere = try await store.read { try $0.record(RecordID("Tag", 9)) } != nil
            #expect(isThere == (failure != nil))
        }
    }

    @Test func storeThatKeepsHalf() async throws {
        let schema = schema
        let error = await #expect(throws: ContractError.self) {
            try await forEveryFailure(of: { BrokenAdapter(schema, .keepsChangesAfterErrors) }) { try await scenario($0) }
        }
        // Each failure but those after a commit, where nothing is to be undone, leaves something.
        #expect(error?.report.violations.isEmpty == false)
        #expect(error?.report.violations.contains { $0.check.contains("afterCommit") } == false)
    }

    @Test func placesOfFailure() async throws {
        for (failure, isStored) in [(.beforeCommit(2), false), (.afterCommit(2), true)] as [(FailingAdapter.Failure, Bool)] {
            let store = FailingAdapter(InMemoryAdapter(schema: schema), at: failure)
            let tag = { (key: Int64) in changes { $0.put(Record(schema["Tag"]!, ["id": .integer(key)])) } }
            try await store.commit(tag(1))
            await #expect(throws: SimulatedFailure(failure: failure)) { try await store.commit(tag(2)) }
            #expect(store.hasFailed)
            try await store.commit(tag(3))
            let keys = try await store.read { try $0.keys(of: "Tag") }
            #expect(keys == (isStored ? [1, 2, 3] : [1, 3]))
            #expect(store.commitCount == keys.count)
        }
    }

    @Test func dumpsThatDiffer() async throws {
        let (one, other) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        let (a, b) = (Record(schema["Tag"]!, ["id": 1]), Record(schema["Tag"]!, ["id": 2]))
        try await one.commit(changes { $0.put(a); $0.put(b) })
        try await other.commit(changes { $0.put(b); $0.put(a) })
        let (dump, turned) = (try await StoreDump(of: one), try await StoreDump(of: other))
        #expect(dump != turned)
        #expect(dump.differences(from: dump) == [])
        #expect(dump.differences(from: turned).first?.hasPrefix("Tag: the order ") == true)
        try await other.commit(changes { $0.delete(b.id) })
        let differences = dump.differences(from: try await StoreDump(of: other))
        #expect(differences.contains { $0.hasPrefix("Tag: Tag(id: ") && $0.hasSuffix("and there nothing") })
        #expect(differences.contains { $0.hasPrefix("sync.tombstones: nothing, and there ") })
    }
}
