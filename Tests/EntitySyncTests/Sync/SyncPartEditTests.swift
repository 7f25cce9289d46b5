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

    /// A store of people with a place, which has a sketch.
    private static func people(_ kind: StoreKind, inverse: String?) async throws -> SyncStore {
        try await SyncStore(
            kind,
            Schema {
                Entity("Person") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                    Relationship("place", to: "Place", inverse: inverse)
                }
                Entity(
                    "Place", attributes: [Attribute("street", .string)],
                    relationships: [Relationship("sketch", to: "Sketch")]
                        + (inverse.map { [Relationship($0, to: "Person", inverse: "place")] } ?? []))
                Entity("Sketch") { Attribute("text", .string) }
            })
    }

    private static func deletePerson(in store: SyncStore) async throws {
        var deletion = ChangeSet()
        deletion.delete(RecordID("Person", 1))
        try await store.adapter.commit(deletion)
    }

    @Test(arguments: StoreKind.allCases, ["person", nil])
    func partOfALocallyDeletedOwnerComesBackWithIt(kind: StoreKind, inverse: String?) async throws {
        let store = try await Self.people(kind, inverse: inverse)
        var options = SyncOptions()
        options.usesPayloadMemory = false
        let json = #"[{"id": 1, "name": "a", "place": {"street": "s"}}]"#
        try await store.sync(json, into: "Person", options: options)
        try await Self.deletePerson(in: store)
        for _ in 1...2 {
            try await store.sync(json, into: "Person", options: options)
            #expect(try await store.keys("Place").isEmpty)
        }
        options.conflictPolicy = .remoteWins
        let named = json.replacing("\"a\"", with: "\"b\"")
        let result = try await store.sync(named, into: "Person", options: options)
        #expect(result.heldBack.isEmpty)
        #expect(try await store.value("Person", 1, "name") == "b")
        let place = try await store.value("Person", 1, "place")
        #expect(try await store.keys("Place") == [place])
        #expect(try await store.value("Place", place, "street") == "s")
    }

    @Test(arguments: StoreKind.allCases, ["person", nil])
    func partIsKeptWhileAConflictMayBringItsOwnerBack(kind: StoreKind, inverse: String?) async throws {
        for wins in [false, true] {
            let store = try await Self.people(kind, inverse: inverse)
            var options = SyncOptions()
            (options.usesPayloadMemory, options.conflictPolicy) = (false, .leaveOpen)
            let json = #"[{"id": 1, "name": "a", "place": {"street": "s"}}]"#
            try await store.sync(json, into: "Person", options: options)
            try await Self.deletePerson(in: store)
            let named = json.replacing("\"a\"", with: "\"b\"")
            for _ in 1...2 {
                try await store.sync(named, into: "Person", options: options)
                #expect(try await store.keys("Place").count == 1)
            }
            let people = try await store.adapter.recordCollection(of: "Person")
            let conflict = try #require(try await people.conflicts.first)
            try await people.resolve(1, with: wins ? .remote : .local, of: conflict)
            try await store.sync(named, into: "Person", options: options)
            #expect(try await store.keys("Person") == (wins ? [1] : []))
            #expect(try await store.keys("Place").count == (wins ? 1 : 0))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func partOfALocallyDeletedOwnerIsKeptAboveAnEditedOne(kind: StoreKind) async throws {
        let store = try await Self.people(kind, inverse: nil)
        var options = SyncOptions()
        options.usesPayloadMemory = false
        let json = #"[{"id": 1, "place": {"street": "s", "sketch": {"text": "x"}}}]"#
        try await store.sync(json, into: "Person", options: options)
        let sketch = try #require(try await store.keys("Sketch").first)
        try await Self.deletePerson(in: store)
        try await store.update("Sketch", sketch, ["text": "mine"], origin: .local)
        try await store.sync(json, into: "Person", options: options)
        #expect(try await store.keys("Place").count == 1)
        #expect(try await store.value("Sketch", sketch, "text") == "mine")
        #expect(try await store.adapter.read { try $0.journal(of: "Sketch").map(\.isUnresolved) } == [false])
    }
}
