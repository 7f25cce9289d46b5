import EntitySync
import SyncPersistence
import Testing

/// Payloads and lists of which nothing can be used: they delete and separate nothing.
struct UnusablePayloadTests {
    @Test(
        arguments: StoreKind.allCases,
        [
            #"{"error": "internal server error"}"#, "5", "null", "{}", "true", #""text""#, #"{"users": [{"id": 1}]}"#,
            #"{"id": null}"#, #"{"id": "x"}"#, "{\"error\": 1}\n{\"error\": 2}",
        ])
    func payloadThatIsNoAnswerIsAnErrorAndChangesNothing(kind: StoreKind, json: String) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let error = await #expect(throws: SyncError.self) { try await store.sync(json, into: "User") }
        #expect(error?.code == .noObjects)
        #expect(try await store.contents() == before)
        if json.contains("\n") { return }
        let value = try Value(json: json)
        let again = await #expect(throws: SyncError.self) { try await store.adapter.sync(value, into: "User") }
        #expect(again == error)
        #expect(try await store.contents() == before)
    }

    @Test
    func errorForAPayloadWithoutObjectsSaysWhatWasFound() async throws {
        let store = try await SyncStore.office()
        let error = await #expect(throws: SyncError.self) { try await store.sync("5", into: "User") }
        #expect(
            error?.message
                == "the payload is neither an array nor an object with a key of 'User' (expected an object, found the "
                + "number 5): pass the array of objects alone. Nothing has changed")
    }

    @Test(arguments: StoreKind.allCases, ["[null]", "[{}]", "[5, null]", #"[{"id": null}]"#, #"[{"id": "x"}]"#])
    func listOfWhichNothingCanBeUsedDeletesNothing(kind: StoreKind, json: String) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let result = try await store.sync(json, into: "User")
        #expect(result.reportCount > 0)
        #expect(result.isUnchanged)
        try await store.sync(json, into: "Note", parent: RecordID("User", 1))
        try await store.sync(json, into: "Tag", parent: RecordID("User", 1))
        try await store.sync(json, into: "Badge", filter: Field("id") <= 2)
        #expect(try await store.contents() == before)
        try await store.sync(#"[{"id": 2}, null]"#, into: "User")
        #expect(try await store.keys("User") == [2])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            #""notes": [{}]"#, #""notes": [null]"#, #""notes": [1.5]"#, #""notes": ["x"]"#, #""notes_ids": [1.5]"#,
            #""notes_ids": [null]"#, #""tags": [{}]"#, #""tags_ids": ["x"]"#, #""team": {"groups": [{}]}"#,
            #""post": [{"id": null}]"#, #""post": [1.5]"#, #""badges": [{}]"#,
        ])
    func nestedListOfWhichNothingCanBeUsedSeparatesNothing(kind: StoreKind, member: String) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let result = try await store.sync("[{\"id\": 1, \(member)}, {\"id\": 2}]", into: "User")
        #expect(result.reportCount == 1)
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func nullInANestedListIsReportedAndTheRestIsUsed(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let result = try await store.sync(
            #"[{"id": 1, "notes": [{"id": 1, "text": "new"}, null], "tags_ids": [2, null]}, {"id": 2}]"#, into: "User")
        #expect(
            result.reports.map(\.description) == [
                "[0].notes[1]: expected an object, found null",
                "[0].tags_ids[1]: expected a key of 'Tag': an integer of 64 bits, found null",
            ])
        #expect(try await store.value("Note", 1, "text") == "new")
        #expect(try await store.members("User", 1, "notes") == [1])
        #expect(try await store.members("User", 1, "tags") == [2])
    }
}
