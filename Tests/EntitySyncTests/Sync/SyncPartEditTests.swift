import EntitySync
import SyncPersistence
import Testing

/// Local changes of records with parts: objects without a key.
@Suite(.needsStores) struct SyncPartEditTests {
    private static func store(_ kind: StoreKind, hasInverse: Bool = true) async throws -> SyncStore {
        try await SyncStore(
            kind,
            Schema {
                Entity("List") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                    Relationship("address", to: "Address")
                    Relationship("items", toMany: "Item", inverse: hasInverse ? "list" : nil)
                }
                Entity("Address") { Attribute("city", .string) }
                if hasInverse {
                    Entity("Item") {
                        Attribute("text", .string)
                        Relationship("list", to: "List", inverse: "items")
                    }
                } else {
                    Entity("Item") { Attribute("text", .string) }
                }
            })
    }

    private static func options(remoteWins: Bool) -> SyncOptions {
        var options = SyncOptions()
        if remoteWins { options.conflictPolicy = .remoteWins }
        return options
    }

    @Test(arguments: StoreKind.allCases, ["null", #"{"city": "y"}"#])
    func partOfAnEditedOwnerIsReplaced(kind: StoreKind, address: String) async throws {
        let store = try await Self.store(kind)
        try await store.sync(#"[{"id": 1, "name": "a", "address": {"city": "x"}}]"#, into: "List")
        try await store.update("List", 1, ["name": "mine"], origin: .local)
        try await store.sync("[{\"id\": 1, \"name\": \"a\", \"address\": \(address)}]", into: "List")
        #expect(try await store.keys("Address").count == (address == "null" ? 0 : 1))
        #expect(try await store.value("List", 1, "name") == "mine")
        #expect(try await store.value("List", 1, "address").isNull == (address == "null"))
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func partThatWasMovedLocallyIsNotDuplicated(kind: StoreKind, remoteWins: Bool) async throws {
        for hasInverse in [true, false] {
            let store = try await Self.store(kind, hasInverse: hasInverse)
            let json = #"[{"id": 1, "items": [{"text": "a"}, {"text": "b"}]}, {"id": 2, "items": []}]"#
            try await store.sync(json, into: "List")
            let items = try await store.adapter.read { try $0.records(Query("Item")) }
            let moved = try #require(items.first { $0["text"] == "a" })
            var changes = ChangeSet(origin: .local)
            if !hasInverse { changes.unlink(RecordID("List", 1), "items", from: moved.key) }
            changes.link(RecordID("List", 2), "items", to: moved.key)
            try await store.adapter.commit(changes)
            let result = try await store.sync(json, into: "List", options: Self.options(remoteWins: remoteWins))
            #expect(result.isUnchanged && result.clashes.isEmpty)
            #expect(try await store.keys("Item").count == 2)
            #expect(try await store.related("List", 2, "items") == [moved.key])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func partThatWasInsertedLocallyIsFoundAgain(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        var options = SyncOptions()
        options.origin = .local
        let json = #"[{"id": 1, "items": [{"text": "a"}, {"text": "b"}]}]"#
        try await store.sync(json, into: "List", options: options)
        try await store.sync(json, into: "List")
        #expect(try await store.keys("Item").count == 2)
        #expect(try await store.sync(json, into: "List").isUnchanged)
    }
}
