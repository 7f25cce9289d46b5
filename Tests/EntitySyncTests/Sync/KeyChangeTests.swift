import DifferentialSync
import EntitySync
import SyncPersistence
import Testing

/// A record that was made offline gets the key that the server has given it, with all that names it.
@Suite(.needsStores) struct KeyChangeTests {
    /// A user who was made offline, with notes, a tag, a company and a badge.
    private func store(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": -1, "text": "new", "company": 1]])
        try await store.put("Note", [["id": -1, "text": "a", "author": -1], ["id": -2, "author": -1]])
        try await store.update("Note", 3, ["author": -1], origin: .local)
        var changes = ChangeSet()
        changes.link(RecordID("User", -1), "tags", to: 1)
        changes.link(RecordID("User", -1), "badges", to: 3)
        try await store.adapter.commit(changes)
        return store
    }

    private func expectUser(_ store: SyncStore, _ key: Value) async throws {
        #expect(try await store.keys("User").contains(key))
        #expect(try await store.keys("User").contains(-1) == false)
        #expect(try await store.members("User", key, "notes") == [-2, -1, 3])
        #expect(try await store.members("User", key, "tags") == [1])
        #expect(try await store.members("User", key, "badges") == [3])
        #expect(try await store.members("Tag", 1, "users") == [1, key])
        #expect(try await store.members("Company", 1, "users") == [1, key])
    }

    private func journal(_ store: SyncStore, _ entity: String) async throws -> [JournalEntry] {
        try await store.adapter.read { try $0.journal(of: entity) }
    }

    @Test(arguments: StoreKind.allCases)
    func anUpdateMayGiveARecordTheServersKey(kind: StoreKind) async throws {
        let store = try await store(kind)
        let synced = try await store.adapter.update("User", -1, with: ["id": 7, "manager": 2])
        let (user, result) = (synced.record, synced.result)
        #expect(user?.key == 7 && user?["text"] == "new" && user?["boss"] == 2)
        #expect(result.clashes.isEmpty && result.reports.isEmpty)
        try await expectUser(store, 7)
        // What was changed here is still to be sent, of the record that the server has.
        let entries = try await journal(store, "User")
        #expect(entries.map(\.id.key) == [7])
        #expect(entries.first?.base?["boss"] == 2 && entries.first?.base?["text"] == .null)
        #expect(try await journal(store, "Note").map(\.id.key) == [-2, -1, 3])
        #expect(try await journal(store, "Note").map { $0.base?["author"] } == [nil, nil, .null])
        #expect(try await journal(store, "sync.links.Tag.users").map(\.id.key) == [[1, 7]])
        #expect(try await journal(store, "sync.links.User.badges").map(\.id.key) == [[7, 3]])
        // The server lists it, and then its notes under their own keys.
        let json = #"[{"id": 7, "text": "new", "company_id": 1, "tags_ids": [1], "badges_ids": [3]}]"#
        let page = try await store.sync(json, into: "User", operations: FormRow.operations)
        #expect(page.isUnchanged && page.clashes.isEmpty && page.reports.isEmpty)
        for entity in ["User", "sync.links.Tag.users", "sync.links.User.badges"] {
            #expect(try await journal(store, entity) == [], "\(entity)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMandatoryValueThatTheServerDoesNotRepeatIsKept(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false)
                Attribute("age", .integer)
            }
        }
        let store = try await SyncStore(kind, schema)
        try await store.put("User", [["id": -1, "name": "Ada", "age": 36]])
        var options = SyncOptions()
        options.isStrict = true
        let user = try await store.adapter.update("User", -1, with: ["id": 7], options: options).record
        #expect(user?["name"] == "Ada" && user?["age"] == 36)
        #expect(try await journal(store, "User").first?.base?["age"] == .null)
    }

    @Test(arguments: StoreKind.allCases, [ChangeSet.Origin.local, .remote])
    func pendingLinksNameTheNewKey(kind: StoreKind, origin: ChangeSet.Origin) async throws {
        var options = SyncOptions()
        options.keepsPendingLinks = true
        let store = try await store(kind)
        // A list of the record waits for another record, and one that leads to it does for another company.
        let json = #"[{"id": 1, "company_id": 9, "tags_ids": [9]}]"#
        try await store.sync(json, into: "User", operations: FormRow.operations, options: options)
        try await store.adapter.write {
            _ = try $0.changeKey(of: RecordID("User", 1), to: 11, origin: origin)
            _ = try $0.changeKey(of: RecordID("Company", 1), to: 10, origin: origin)
        }
        try await store.sync(#"[{"id": 9}]"#, into: "Tag", operations: .page, options: options)
        try await store.sync(#"[{"id": 9}]"#, into: "Company", operations: .page, options: options)
        if origin == .remote {
            #expect(try await store.members("User", 11, "tags") == [9])
            #expect(try await store.value("User", 11, "company") == 9)
        } else {
            #expect(try await store.value("User", 11, "company") == 10)
        }
        #expect(try await store.value("User", -1, "company") == 10)
    }

    @Test(arguments: StoreKind.allCases)
    func anUnchangedObjectStandsForTheNewKey(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        func payload(_ first: Int) -> String {
            let users = ([first] + Array(2..<50)).map {
                "{\"id\": \($0), \"notes\": [{\"id\": \($0), \"text\": \"a\"}]}"
            }
            return "[\(users.joined(separator: ","))]"
        }
        try await store.sync(payload(1), into: "User")
        try await store.adapter.write { _ = try $0.changeKey(of: RecordID("User", 1), to: 70, origin: .remote) }
        #expect(try await store.value("Note", 1, "author") == 70)
        // The server takes the key back.
        let result = try await store.sync(payload(1), into: "User")
        #expect(result["User"].inserted == [RecordID("User", 1)])
        #expect(result["User"].deleted == [RecordID("User", 70)])
        #expect(try await store.value("Note", 1, "author") == 1)
        #expect(try await store.sync(payload(1), into: "User").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func aMissingRecordIsAnError(kind: StoreKind) async throws {
        let store = try await store(kind)
        let id = RecordID("User", 5)
        let error = await #expect(throws: PersistenceError.self) {
            try await store.adapter.write { _ = try $0.changeKey(of: id, to: 6) }
        }
        #expect(error?.description == "User 5: there is no such record: its key cannot change")
    }
}
