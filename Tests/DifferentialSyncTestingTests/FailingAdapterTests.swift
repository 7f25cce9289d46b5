import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct FailingAdapterTests {
    private let schema = Authorship.schema

    @Test func placesOfFailure() async throws {
        for (failure, isStored) in [(.beforeCommit(2), false), (.afterCommit(2), true)]
            as [(FailingAdapter.Failure, Bool)]
        {
            let store = FailingAdapter(InMemoryAdapter(schema: schema), at: failure)
            #expect(store.failure == failure)
            try await store.commit(Authorship.tag(1))
            let error = await #expect(throws: SimulatedFailure.self) { try await store.commit(Authorship.tag(2)) }
            #expect(error == SimulatedFailure(failure: failure) && error?.failure == failure)
            #expect(store.hasFailed)
            try await store.commit(Authorship.tag(3))
            let keys = try await store.read { try $0.keys(of: "Tag") }
            #expect(keys == (isStored ? [1, 2, 3] : [1, 3]))
            #expect(try await store.base.read { try $0.keys(of: "Tag") } == keys)
            #expect(store.commitCount == keys.count)
        }
    }

    @Test func dumpsThatDiffer() async throws {
        let (one, other) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        for key in [1, 2] as [Int64] { try await one.commit(Authorship.tag(key)) }
        for key in [2, 1] as [Int64] { try await other.commit(Authorship.tag(key)) }
        let (dump, turned) = (try await StoreDump(of: one), try await StoreDump(of: other))
        #expect(dump != turned)
        #expect(dump.differences(from: dump) == [])
        #expect(dump.differences(from: turned).first?.hasPrefix("Tag: the order ") == true)
        var deletion = ChangeSet()
        deletion.keepHistory(true)
        deletion.delete(RecordID("Tag", 2))
        try await other.commit(deletion)
        let differences = dump.differences(from: try await StoreDump(of: other))
        #expect(differences.contains { $0.hasPrefix("Tag: Tag(id: ") && $0.hasSuffix("and there nothing") })
        #expect(differences.contains { $0.hasPrefix("sync.history: nothing, and there ") })
    }

    @Test func commitThatIsNotStoredIsNotPublished() async throws {
        let store = ForwardingAdapter(FailingAdapter(InMemoryAdapter(schema: schema), at: .beforeCommit(1))) { $0 }
        let stream = store.commits()
        await #expect(throws: SimulatedFailure.self) { try await Authorship.commit(to: store) }
        let made = try await store.write { transaction in
            var changes = ChangeSet()
            changes.setMetadata("cursor", "1")
            try transaction.apply(changes)
        }.commit
        await store.close()
        var published: [[String]] = []
        for await commit in stream { published.append(commit.metadata) }
        #expect(published == [made.metadata])
    }
}
