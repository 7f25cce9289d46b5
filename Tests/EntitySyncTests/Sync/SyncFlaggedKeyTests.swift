import EntitySync
import SyncPersistence
import Testing

/// Local changes of records that are identified by a flagged attribute instead of a primary key.
@Suite(.needsStores) struct SyncFlaggedKeyTests {
    private static let payload = #"[{"label": "a", "color": "red"}, {"label": "b", "color": "red"}]"#

    private static func store(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Tag") {
                    Attribute("label", .string, userInfo: ["sync.isPrimaryKey": "YES"])
                    Attribute("color", .string)
                    Relationship("notes", toMany: "Note", inverse: "tags")
                }
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("main", to: "Tag")
                    Relationship("tags", toMany: "Tag", inverse: "notes")
                }
            })
        try await store.sync(payload, into: "Tag")
        return store
    }

    private static func labels(_ store: SyncStore) async throws -> [Value] {
        let records = try await store.adapter.read { try $0.records(Query("Tag")) }
        return records.map { $0["label"] }.sorted(by: Value.areInIncreasingOrder)
    }

    /// Returns the primary key of a tag.
    private static func key(_ store: SyncStore, _ label: Value) async throws -> Value {
        try #require(try await store.adapter.fetch("Tag", label)).key
    }

    @Test(arguments: StoreKind.allCases)
    func recordThatWasDeletedLocallyStaysDeleted(kind: StoreKind) async throws {
        for operations in [SyncOperations.all, .page] {
            let store = try await Self.store(kind)
            try await store.adapter.delete("Tag", "a", origin: .local)
            for _ in 0..<2 {
                let result = try await store.sync(Self.payload, into: "Tag", operations: operations)
                #expect(result.isUnchanged && result.clashes.isEmpty)
            }
            let nested = try await store.sync(
                #"[{"id": 1, "tags": [{"label": "a"}, {"label": "b"}]}]"#, into: "Note", operations: .page)
            #expect(nested["Tag"].inserted.isEmpty)
            #expect(try await Self.labels(store) == ["b"])
            #expect(try await store.adapter.uploads(of: "Tag").map(\.kind) == [.deletion])
            try await store.sync(#"[{"label": "b", "color": "red"}]"#, into: "Tag")
            #expect(try await store.adapter.uploads(of: "Tag").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func recordDoesNotTakeTheKeyOfAnotherOne(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        await #expect(throws: PersistenceError.self) {
            try await store.adapter.update("Tag", "a", with: ["label": "b", "color": "blue"])
        }
        #expect(try await Self.labels(store) == ["a", "b"])
        #expect(try await store.adapter.fetch("Tag", "a")?["color"] == "red")
        let same = try await store.adapter.update("Tag", "a", with: ["label": "a", "color": "blue"])
        #expect(same.record?["color"] == "blue")
        let other = try await store.adapter.update("Tag", "a", with: ["label": "x"])
        #expect(other.record?["label"] == "x")
    }

    @Test(arguments: StoreKind.allCases)
    func recordWhoseKeyWasEditedStaysTheSame(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.update("Tag", try await Self.key(store, "a"), ["label": "x"], origin: .local)
        let result = try await store.sync(Self.payload, into: "Tag")
        #expect(result.isUnchanged && result.clashes.isEmpty)
        try await store.sync(#"[{"label": "a", "color": "blue"}, {"label": "b", "color": "red"}]"#, into: "Tag")
        #expect(try await Self.labels(store) == ["b", "x"])
        #expect(try await store.adapter.fetch("Tag", "x")?["color"] == "blue")
        #expect(try await store.adapter.uploads(of: "Tag").map(\.kind) == [.edit])
    }

    @Test(arguments: StoreKind.allCases)
    func editedKeyDoesNotStandForAnotherObject(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.update("Tag", try await Self.key(store, "a"), ["label": "c"], origin: .local)
        let result = try await store.sync(
            #"[{"label": "a", "color": "red"}, {"label": "b", "color": "red"}, {"label": "c", "color": "green"}]"#,
            into: "Tag")
        #expect(result["Tag"].inserted.count == 1 && result.clashes.isEmpty)
        #expect(try await Self.labels(store) == ["b", "c", "c"])
    }

    @Test(arguments: StoreKind.allCases)
    func keysOfLocallyDeletedAndEditedRecordsAreNoNews(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        let notes = #"[{"id": 1, "main_id": "a", "tags_ids": ["a", "b"]}, {"id": 2, "main_id": "b"}]"#
        try await store.sync(notes, into: "Note")
        let edited = try await Self.key(store, "b")
        try await store.adapter.delete("Tag", "a", origin: .local)
        try await store.update("Tag", edited, ["label": "x"], origin: .local)
        let result = try await store.sync(notes, into: "Note")
        #expect(result.reports.isEmpty && result.isUnchanged)
        #expect(try await store.value("Note", 1, "main") == .null)
        #expect(try await store.related("Note", 1, "tags") == [edited])
        let other = try await store.sync(
            #"[{"id": 3, "main_id": "b"}]"#, into: "Note", operations: .page)
        #expect(other.reports.isEmpty)
        #expect(try await store.value("Note", 3, "main") == edited)
    }

    @Test(arguments: StoreKind.allCases)
    func statedDeletionReachesALocallyDeletedRecord(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.adapter.delete("Tag", "a", origin: .local)
        let json = #"{"tags": [], "gone": ["a"]}"#
        try await store.adapter.sync(
            json, roots: [SyncRoot("Tag", at: "tags", operations: .page), .deletions(of: "Tag", at: "gone")])
        #expect(try await store.adapter.uploads(of: "Tag").isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func updateWithANewKeyStoresIt(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        let key = try await Self.key(store, "a")
        let result = try await store.adapter.update("Tag", "a", with: ["label": "c", "color": "blue"])
        #expect(result.record?.key == key && result.record?["label"] == "c" && result.record?["color"] == "blue")
        #expect(result.result.reports.isEmpty)
        #expect(try await Self.labels(store) == ["b", "c"])
    }

    @Test(arguments: StoreKind.allCases)
    func updateReachesALocallyInsertedRecord(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.put("Tag", [["label": "new"]])
        let result = try await store.adapter.update("Tag", "new", with: ["color": "red"])
        #expect(result.record?["label"] == "new" && result.record?["color"] == "red")
        #expect(result.result.clashes.isEmpty)
    }

    @Test(arguments: StoreKind.allCases, ["tmp", nil])
    func answerGivesARecordItsKey(kind: StoreKind, label: String?) async throws {
        let store = try await Self.store(kind)
        try await store.put("Tag", [["label": label.map { .string($0) } ?? .null, "color": "red"]])
        let upload = try #require(try await store.adapter.uploads(of: "Tag").first)
        let accepted = try await store.adapter.accept(upload, answer: ["label": "srv-9"])
        #expect(accepted.record?["label"] == "srv-9" && accepted.record?["color"] == "red")
        #expect(try await store.adapter.uploads(of: "Tag").isEmpty)
        try await store.sync(#"[{"label": "srv-9", "color": "red"}]"#, into: "Tag", operations: .page)
        #expect(try await Self.labels(store) == ["a", "b", "srv-9"])
    }

    /// Creates a store whose tags are identified by numbers, like those that the store counts.
    private static func numberedStore(_ kind: StoreKind) async throws -> SyncStore {
        try await SyncStore(
            kind,
            Schema {
                Entity("Tag") {
                    Attribute("number", .integer, userInfo: ["sync.isPrimaryKey": "YES"])
                    Relationship("notes", toMany: "Note", inverse: "tag")
                }
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("tag", to: "Tag", inverse: "notes")
                }
            })
    }

    @Test(arguments: StoreKind.allCases)
    func singleObjectMayHaveTheNumberOfItsRecord(kind: StoreKind) async throws {
        let store = try await Self.numberedStore(kind)
        let tag = try await store.adapter.insertOrUpdate(["number": 1, "notes": [["id": 5]]], into: "Tag")
        #expect(tag.record?.key == 1 && tag.record?["number"] == 1 && tag.result.reports.isEmpty)
        #expect(try await store.keys("Tag") == [1])
        #expect(try await store.value("Note", 5, "tag") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func includedResourceMayHaveTheNumberOfItsRecord(kind: StoreKind) async throws {
        let store = try await Self.numberedStore(kind)
        var options = SyncOptions()
        options.format = .jsonAPI
        let document = try Value(
            json: """
                {"data": {"type": "notes", "id": "5", "relationships": {"tag": {"data": {"type": "tags", "id": "1"}}}},
                 "included": [{"type": "tags", "id": "1"}]}
                """)
        let note = try await store.adapter.insertOrUpdate(document, into: "Note", options: options)
        #expect(note.record?["tag"] == 1 && note.result.reports.isEmpty)
        #expect(try await store.keys("Tag") == [1])
        #expect(try await store.value("Tag", 1, "number") == 1)
    }
}
