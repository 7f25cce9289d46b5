import EntitySync
import SyncPersistence
import Testing

/// Links between many and many that were removed locally, of records that the remote deletes and inserts again later.
@Suite(.needsStores) struct SyncDeletedLinkTests {
    private static let both = #"[{"id": 1, "tags": [{"id": 5}, {"id": 6}]}, {"id": 2, "tags": [{"id": 5}]}]"#

    private static func store(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(kind, .office())
        try await store.sync(both, into: "User")
        return store
    }

    /// Checks that the users have all of their tags again, and that no change is left to be sent.
    private func expectAll(_ store: SyncStore, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let result = try await store.sync(Self.both, into: "User")
        #expect(result.reports.isEmpty && result.clashes.isEmpty, sourceLocation: sourceLocation)
        #expect(try await store.members("User", 1, "tags") == [5, 6], sourceLocation: sourceLocation)
        #expect(try await store.members("User", 2, "tags") == [5], sourceLocation: sourceLocation)
        #expect(try await store.members("Tag", 5, "users") == [1, 2], sourceLocation: sourceLocation)
        for entity in ["User", "Tag"] {
            let names = [entity == "User" ? "tags" : "users"]
            #expect(
                try await store.adapter.uploads(of: entity, with: names).isEmpty, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func recordThatBothSidesDeletedHasItsLinksWhenItIsBack(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.adapter.delete("User", 1, origin: .local)
        try await store.sync(#"[{"id": 2}]"#, into: "User")
        try await expectAll(store)
    }

    @Test(arguments: StoreKind.allCases)
    func recordWhoseLinkWasTakenAwayHereHasItAgainAfterADeletionThere(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        var changes = ChangeSet()
        changes.unlink(RecordID("User", 1), "tags", from: 6)
        try await store.adapter.commit(changes)
        try await store.sync(#"[{"id": 2}]"#, into: "User")
        try await expectAll(store)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func recordWhoseDeletionWasSentHasItsLinksWhenItIsBack(kind: StoreKind, withLinks: Bool) async throws {
        let store = try await Self.store(kind)
        try await store.adapter.delete("User", 1, origin: .local)
        let uploads = try await store.adapter.uploads(of: "User", with: withLinks ? ["tags"] : [])
        #expect(uploads.map(\.kind) == [.deletion])
        for upload in uploads { try await store.adapter.accept(upload) }
        try await expectAll(store)
    }

    @Test(arguments: StoreKind.allCases)
    func recordWhoseDeletionIsListedHasItsLinksWhenItIsBack(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.adapter.delete("Tag", 5, origin: .local)
        try await store.adapter.sync(#"{"gone": [5]}"#, roots: [.deletions(of: "Tag", at: "gone")])
        try await expectAll(store)
    }

    @Test(arguments: StoreKind.allCases)
    func linkThatWasTakenAwayHereStaysAwayWhileItsRecordIsThere(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        var changes = ChangeSet()
        changes.unlink(RecordID("User", 1), "tags", from: 6)
        try await store.adapter.commit(changes)
        try await store.adapter.delete("User", 2, origin: .local)
        try await store.sync(#"[{"id": 1, "tags": [{"id": 5}, {"id": 6}]}]"#, into: "User")
        #expect(try await store.members("User", 1, "tags") == [5])
        #expect(try await store.adapter.uploads(of: "User", with: ["tags"]).map(\.id.key) == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func editedRecordThatTheRemoteDeletesKeepsWhatWasTakenAwayHere(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        var changes = ChangeSet()
        changes.unlink(RecordID("User", 1), "tags", from: 6)
        changes.update(RecordID("User", 1), ["text": "mine"])
        try await store.adapter.commit(changes)
        let result = try await store.sync(#"[{"id": 2}]"#, into: "User")
        #expect(result.clashes.map(\.id) == [RecordID("User", 1)])
        try await store.sync(Self.both, into: "User")
        #expect(try await store.members("User", 1, "tags") == [5])
    }
}
