import EntitySync
import SyncPersistence
import Testing

/// The hook before a record is inserted.
struct SyncHookTests {
    /// Options that record each call as `entity in parent`, and complete the text.
    private func options(_ calls: Locked<[String]>) -> SyncOptions {
        var options = SyncOptions()
        options.willInsert = { object, entity, parent in
            calls.withLock { $0.append("\(entity) \(object["id"] ?? .null) in \(parent.map { "\($0)" } ?? "none")") }
            var object = object
            object["text"] = "completed"
            return object
        }
        return options
    }

    @Test(arguments: StoreKind.allCases)
    func hookReceivesEachNewObjectWithItsEntityAndPlace(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let calls = Locked<[String]>([])
        try await store.sync(
            """
            [{"id": 1, "text": "old", "notes": [{"id": 1}, {"id": 5, "comments": [{"id": 7}]}]},
             {"id": 3, "company": {"id": 9}, "tags": [{"id": 8}, {"id": 1}]}]
            """, into: "User", options: options(calls))
        #expect(
            calls.withLock { $0 }.sorted() == [
                "Comment 7 in Note 5", "Company 9 in User 3", "Note 5 in User 1", "Tag 8 in User 3", "User 3 in none",
            ])
        for (entity, key): (String, Value) in [("User", 3), ("Note", 5), ("Comment", 7), ("Company", 9), ("Tag", 8)] {
            #expect(try await store.value(entity, key, "text") == "completed", "\(entity)")
        }
        #expect(try await store.value("User", 1, "text") == "old")
    }

    @Test(arguments: StoreKind.allCases)
    func hookReceivesTheParentOfTheCall(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let calls = Locked<[String]>([])
        try await store.sync(#"[{"id": 9}]"#, into: "Note", parent: RecordID("User", 1), options: options(calls))
        #expect(calls.withLock { $0 } == ["Note 9 in User 1"])
    }

    @Test func hookReceivesTheNameOfTheSubentity() async throws {
        let store = try await SyncStore(.inMemory, SyncInheritanceTests.schema())
        let calls = Locked<[String]>([])
        var options = SyncOptions()
        options.willInsert = { object, entity, _ in
            calls.withLock { $0.append(entity) }
            return object
        }
        try await store.sync(
            #"[{"id": 1, "pets": [{"id": 1, "type": "hound"}], "favourite": {"id": 2, "type": "Cat"}}]"#,
            into: "Owner", options: options)
        #expect(calls.withLock { $0 }.sorted() == ["Cat", "Dog", "Owner"])
    }

    @Test(arguments: StoreKind.allCases)
    func hookReceivesSingleObjectsAndItsErrorUndoesTheSync(kind: StoreKind) async throws {
        struct Refusal: Error {}
        let store = try await SyncStore(kind, .office())
        let calls = Locked<[String]>([])
        try await store.adapter.insertOrUpdate(["id": 1], into: "Badge", options: options(calls))
        #expect(calls.withLock { $0 } == ["Badge 1 in none"])
        try await store.adapter.update("Badge", 1, with: ["text": "x"], options: options(calls))
        #expect(calls.withLock { $0 }.count == 1)
        var refusing = SyncOptions()
        refusing.willInsert = { object, _, _ in
            if object["id"] == 3 { throw Refusal() }
            return object
        }
        let before = try await store.contents()
        let options = refusing
        await #expect(throws: Refusal.self) {
            try await store.sync(#"[{"id": 2}, {"id": 3}]"#, into: "Badge", options: options)
        }
        #expect(try await store.contents() == before)
    }

    @Test func renamingTheKeyInAHookDoesNotIdentifyTheObject() async throws {
        let store = try await SyncStore(.inMemory, .office())
        var options = SyncOptions()
        options.willInsert = { object, _, _ in
            var object = object
            object["id"] = 99
            return object
        }
        try await store.sync(#"[{"id": 1}]"#, into: "Badge", options: options)
        #expect(try await store.keys("Badge") == [1])
    }
}
