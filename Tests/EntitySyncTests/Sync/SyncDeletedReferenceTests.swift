import DifferentialSync
import EntitySync
import SyncPersistence
import Testing

/// Keys in a payload of records that were deleted locally, and that the remote still has.
@Suite(.needsStores) struct SyncDeletedReferenceTests {
    private static let payload = """
        {"users": [{"id": 1, "notes_ids": [1, 2], "tags_ids": [5, 6], "company_id": 3}],
         "notes": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}], "tags": [{"id": 5}, {"id": 6}], "companies": [{"id": 3}]}
        """
    private static let roots = [
        SyncRoot("User", at: "users"), SyncRoot("Note", at: "notes"), SyncRoot("Tag", at: "tags"),
        SyncRoot("Company", at: "companies"),
    ]

    private static func store(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(kind, .office())
        try await store.adapter.sync(payload, roots: roots)
        return store
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func keysOfRecordsThatWereDeletedHereAreNoNews(kind: StoreKind, remoteWins: Bool) async throws {
        let store = try await Self.store(kind)
        for id in [RecordID("Note", 1), RecordID("Tag", 5), RecordID("Company", 3)] {
            try await store.adapter.delete(id.entity, id.key, origin: .local)
        }
        var options = SyncOptions()
        options.isStrict = true
        if remoteWins { options.conflictPolicy = .remoteWins }
        for _ in 0..<2 {
            let result = try await store.adapter.sync(Self.payload, roots: Self.roots, options: options)
            #expect(result.isUnchanged && result.reports.isEmpty && result.clashes.isEmpty)
        }
        #expect(try await store.members("User", 1, "notes") == [2])
        #expect(try await store.members("User", 1, "tags") == [6])
        #expect(try await store.value("User", 1, "company") == .null)
        for entity in ["Note", "Tag", "Company"] {
            #expect(try await store.adapter.uploads(of: entity).map(\.kind) == [.deletion])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func keysThatTheRemoteTakesOffItsListAreSeparated(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.adapter.delete("Note", 1, origin: .local)
        let result = try await store.sync(#"[{"id": 1, "notes_ids": [1], "tags_ids": [6]}]"#, into: "User")
        #expect(result.reports.isEmpty)
        #expect(try await store.members("User", 1, "notes") == [])
        #expect(try await store.members("User", 1, "tags") == [6])
        #expect(try await store.value("Note", 2, "author") == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func recordThatThePolicyRestoresIsConnectedAtOnce(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.adapter.delete("User", 1, origin: .local)
        var options = SyncOptions()
        options.conflictPolicy = .remoteWins
        let json = """
            [{"id": 1, "text": "back", "notes": [{"id": 9}, {"id": 1}, {"id": 2}], "tags": [{"id": 7}], "post_ids": [],
              "company_id": 3}]
            """
        let first = try await store.sync(json, into: "User", options: options)
        #expect(first.clashes.map(\.id) == [RecordID("User", 1)])
        #expect(first.reports.isEmpty)
        #expect(try await store.members("User", 1, "notes").contains(9))
        #expect(try await store.members("User", 1, "tags").contains(7))
        #expect(try await store.sync(json, into: "User", options: options).isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func recordsAreConnectedWithOneThatThePolicyRestores(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        for id in [RecordID("Tag", 5), RecordID("Company", 3)] {
            try await store.adapter.delete(id.entity, id.key, origin: .local)
        }
        var options = SyncOptions()
        options.conflictPolicy = .remoteWins
        let json = """
            {"users": [{"id": 1, "company_id": 3}, {"id": 2, "company_id": 3, "tags_ids": [5]},
                       {"id": 4, "tags": [{"id": 5}], "company": {"id": 3, "text": "y"}}],
             "notes": [], "tags": [{"id": 5, "text": "x"}], "companies": [{"id": 3, "text": "y"}]}
            """
        let first = try await store.adapter.sync(json, roots: Self.roots, options: options)
        #expect(Set(first.clashes.map(\.id)) == [RecordID("Tag", 5), RecordID("Company", 3)])
        for key in [2, 4] as [Value] { #expect(try await store.value("User", key, "company") == 3) }
        #expect(try await store.members("User", 2, "tags") == [5])
        #expect(try await store.members("User", 4, "tags") == [5])
        #expect(try await store.adapter.sync(json, roots: Self.roots, options: options).isUnchanged)
    }
}
