import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Parts of a record that gets another key, where parts were changed here.
@Suite(.needsStores) struct PartKeyChangeTests {
    private func days(_ store: SyncStore) async throws -> [Value] {
        var days: [Value] = []
        for key in try await store.related("Shop", 7, "hours") {
            days.append(try await store.value("Hours", key, "day"))
        }
        return days
    }

    private func pending(_ store: SyncStore, _ entity: String) async throws -> [JournalEntry] {
        try await store.adapter.read { try $0.journal(of: entity) }
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func locallyDeletedPartsStayDeletedUnderTheNewKeyOfTheirOwner(kind: StoreKind, inverse: String?) async throws {
        let store = try await SyncStore(kind, SyncPartListTests.shops(inverse: inverse))
        let hours = #""hours": [{"day": "mo"}, {"day": "tu"}, {"day": "we"}]"#
        try await store.sync("[{\"id\": 1, \(hours)}]", into: "Shop")
        let keys = try await store.related("Shop", 1, "hours")
        try await store.update("Hours", keys[0], ["opens": "9"], origin: .local)
        var deletion = ChangeSet()
        deletion.delete(RecordID("Hours", keys[1]))
        try await store.adapter.commit(deletion)
        try await store.adapter.write { _ = try $0.changeKey(of: RecordID("Shop", 1), to: 7, origin: .remote) }
        for _ in 0..<2 {
            let result = try await store.sync("[{\"id\": 7, \(hours)}]", into: "Shop")
            // Only places in the order may change.
            #expect(result.linkedCount == 0 && result.unlinkedCount == 0 && result.clashes.isEmpty)
            #expect(result["Hours"].inserted.isEmpty && result["Hours"].deleted.isEmpty)
            #expect(try await days(store) == ["mo", "we"])
            #expect(try await store.value("Hours", keys[0], "opens") == "9")
            #expect(Set(try await pending(store, "Hours").map(\.id.key)) == [keys[0], keys[1]])
        }
        // A list without the part says that it was deleted there, too.
        try await store.sync(#"[{"id": 7, "hours": [{"day": "mo"}, {"day": "we"}]}]"#, into: "Shop")
        #expect(try await pending(store, "Hours").map(\.id.key) == [keys[0]])
        #expect(try await days(store) == ["mo", "we"])
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func anAnswerThatGivesTheKeyRepeatsNoPart(kind: StoreKind, inverse: String?) async throws {
        let store = try await SyncStore(kind, SyncPartListTests.shops(inverse: inverse))
        var options = SyncOptions()
        options.origin = .local
        try await store.sync(#"[{"id": -1, "hours": [{"day": "mo"}, {"day": "tu"}]}]"#, into: "Shop", options: options)
        let upload = try #require(try await store.adapter.uploads(of: "Shop").first)
        let hours: Value = [["day": "mo"], ["day": "tu"]]
        try await store.adapter.accept(upload, answer: ["id": 7, "hours": hours])
        #expect(try await days(store) == ["mo", "tu"])
        #expect(try await pending(store, "Hours") == [])
        let deleted = try await store.related("Shop", 7, "hours")[0]
        var deletion = ChangeSet()
        deletion.delete(RecordID("Hours", deleted))
        try await store.adapter.commit(deletion)
        let json = #"[{"id": 7, "hours": [{"day": "mo"}, {"day": "tu"}]}]"#
        for _ in 0..<2 {
            try await store.sync(json, into: "Shop")
            #expect(try await days(store) == ["tu"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aNewPartDoesNotTakeTheKeyOfALocallyDeletedOne(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("address", to: "Address")
            }
            Entity("Address") { Attribute("street", .string) }
        }
        let store = try await SyncStore(kind, schema)
        try await store.sync(#"[{"id": 1, "address": {"street": "a"}}]"#, into: "User")
        let address = try await store.value("User", 1, "address")
        var deletion = ChangeSet()
        deletion.delete(RecordID("Address", address))
        try await store.adapter.commit(deletion)
        try await store.adapter.write { _ = try $0.changeKey(of: RecordID("User", 1), to: 7, origin: .remote) }
        let json = #"[{"id": 7, "address": {"street": "a"}}, {"id": 1, "address": {"street": "b"}}]"#
        for _ in 0..<2 {
            try await store.sync(json, into: "User")
            #expect(try await store.value("User", 7, "address") == .null)
            let other = try await store.value("User", 1, "address")
            #expect(other != address && !other.isNull)
            #expect(try await store.value("Address", other, "street") == "b")
        }
    }
}
