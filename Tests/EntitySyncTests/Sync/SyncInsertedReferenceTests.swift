import EntitySync
import SyncPersistence
import Testing

/// Keys in a payload of records that were inserted locally, and that the remote has meanwhile.
@Suite(.needsStores) struct SyncInsertedReferenceTests {
    private static func store(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User") {
                    Attribute("id", .string, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("notes", toMany: "Note", inverse: "author")
                    Relationship("tags", toMany: "Tag", inverse: "users")
                }
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("author", to: "User", inverse: "notes", isOptional: false)
                }
                Entity("Tag") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("users", toMany: "User", inverse: "tags")
                }
            })
        try await store.put("User", [["id": "uuid-9", "text": "mine"]])
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func referencesAndLinksToThemAreMade(kind: StoreKind) async throws {
        for keepsPendingLinks in [false, true] {
            let store = try await Self.store(kind)
            var options = SyncOptions()
            options.isStrict = true
            options.keepsPendingLinks = keepsPendingLinks
            let notes = #"[{"id": 7, "author_id": "uuid-9"}]"#
            let tags = #"[{"id": 5, "users_ids": ["uuid-9"]}]"#
            let result = try await store.sync(notes, into: "Note", operations: .page, options: options)
            #expect(result.pendingLinkCount == 0)
            #expect(try await store.value("Note", 7, "author") == "uuid-9")
            try await store.sync(tags, into: "Tag", operations: .page, options: options)
            #expect(try await store.related("Tag", 5, "users") == ["uuid-9"])
            #expect(try await store.sync(notes, into: "Note", options: options).isUnchanged)
            #expect(try await store.sync(tags, into: "Tag", options: options).isUnchanged)
            let upload = try #require(try await store.adapter.uploads(of: "User").first)
            #expect(upload.kind == .insertion && upload.record?["text"] == "mine")
            try await store.adapter.accept(upload)
            #expect(try await store.adapter.uploads(of: "User").isEmpty)
            #expect(try await store.value("Note", 7, "author") == "uuid-9")
            #expect(try await store.related("Tag", 5, "users") == ["uuid-9"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func recordThatIsNotStoredAnywhereIsReported(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        let result = try await store.sync(#"[{"id": 5, "users_ids": ["uuid-8", "uuid-9"]}]"#, into: "Tag")
        #expect(result.reports.map(\.kind) == [.unknownReference])
        #expect(try await store.related("Tag", 5, "users") == ["uuid-9"])
    }
}
