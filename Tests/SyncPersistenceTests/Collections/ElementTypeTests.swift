import DifferentialSync
import SyncPersistence
import TestSupport
import Testing

private enum Model {
    struct Note: Codable, Identifiable, Equatable, Sendable { var id: Int }
    struct Box<Content: Codable & Equatable & Sendable>: Codable, Identifiable, Equatable, Sendable { var id: Int }
}

private enum Other {
    struct Note: Codable, Identifiable, Equatable, Sendable { var id: Int }
}

/// An element with JSON of any form.
private struct Free: Equatable, Identifiable {
    let id: Int
    var extra: Value
    var weight = 1.0
}

struct ElementTypeTests {
    @Test(arguments: [1, Double.nan])
    func anEditOfTheScalarsAloneIsAnEdit(weight: Double) throws {
        for (composed, decomposed) in [
            (["\u{E9}": 1], ["e\u{301}": 1]), ("\u{E9}", "e\u{301}"), ([["\u{E9}": [1]]], [["e\u{301}": [1]]]),
        ] as [(Value, Value)] {
            let old = Free(id: 1, extra: composed, weight: weight)
            let new = Free(id: 1, extra: decomposed, weight: weight)
            #expect(try diff(wins: [new], loses: [old], primaryKey: \.id)?.counts.replaced == 1)
            #expect(try diff(wins: [old], loses: [old], primaryKey: \.id) == nil)
            var device = try JournaledCollection([old])
            try device.update(new)
            #expect(device.localDiff?.replace.first?.extra == decomposed)
        }
    }

    @Test func anEntityKeepsTheElementsOfOneType() async throws {
        let store = try emptyStore()
        try await store.collection(of: Model.Note.self, entity: "Note").insert(Model.Note(id: 1))
        await expectError(
            "'Note' keeps elements of the type 'Model.Note', not of 'Other.Note': if the type was renamed, open the "
                + "collection with 'formerly: \"Model.Note\"', else give this type an entity of its own"
        ) {
            _ = try await store.collection(of: Other.Note.self, entity: "Note")
        }
        #expect(try await store.collection(of: Model.Note.self, entity: "Note").count == 1)
        #expect(try await store.collection(of: Other.Note.self, entity: "OtherNote").count == 0)
    }

    @Test func aRenamedTypeKeepsItsElements() async throws {
        let store = try emptyStore()
        try await store.collection(of: Model.Note.self, entity: "Note").insert(Model.Note(id: 1))
        let renamed = try await store.collection(of: Other.Note.self, entity: "Note", formerly: "A", "Model.Note")
        #expect(try await renamed.elements() == [Other.Note(id: 1)])
        #expect(try await renamed.localDiff?.add.count == 1)
        // From then on the type is known by both names, also to an older version of the app.
        #expect(try await store.collection(of: Other.Note.self, entity: "Note").count == 1)
        #expect(try await store.collection(of: Model.Note.self, entity: "Note").count == 1)
        await #expect(throws: PersistenceError.self) { try await store.collection(of: Item.self, entity: "Note") }
    }

    @Test func openingACollectionAgainWritesNothing() async throws {
        let store = try emptyStore()
        _ = try await store.collection(of: Model.Note.self, entity: "Note")
        let sequence = try await store.read { try $0.sequence }
        _ = try await store.collection(of: Model.Note.self, entity: "Note")
        #expect(try await store.read { try $0.sequence } == sequence)
    }

    @Test func theNameOfAPrivateOrGenericTypeIsTheSameInEachProcess() async throws {
        struct Note: Codable, Identifiable, Equatable { var id: Int }
        let store = try emptyStore()
        _ = try await store.collection(of: Model.Box<Other.Note>.self, entity: "Box")
        _ = try await store.collection(of: Note.self, entity: "Note")
        await expectTypes("Box", "Model.Box<Other.Note>", in: store)
        await expectTypes("Note", "ElementTypeTests.Note", in: store)
    }

    @Test func twoLocalTypesOfOneNameAreToldApart() async throws {
        @Sendable func first(_ store: InMemoryAdapter) async throws {
            struct Note: Codable, Identifiable, Equatable { var id: Int }
            try await store.collection(of: Note.self, entity: "Note").upsert(Note(id: 1))
        }
        @Sendable func second(_ store: InMemoryAdapter, _ entity: String = "Note") async throws {
            struct Note: Codable, Identifiable, Equatable { var id: Int }
            try await store.collection(of: Note.self, entity: entity).upsert(Note(id: 2))
        }
        let (store, other) = (try emptyStore(), try emptyStore())
        for _ in 1...2 {
            try await first(store)
            await expectError(
                "'Note' keeps elements of another type that is named 'ElementTypeTests.Note' too, in another function or "
                    + "file: rename one of the types, or give this type an entity of its own"
            ) {
                try await second(store)
            }
        }
        #expect(try await store.read { try $0.keys(of: "Note") } == [1])
        try await second(store, "OtherNote")
        try await second(other)
        await #expect(throws: PersistenceError.self) { try await first(other) }
        // A store that has gone leaves nothing behind for the next one.
        for _ in 1...100 {
            try await first(emptyStore())
            try await second(emptyStore())
        }
    }

    private func expectTypes(_ entity: String, _ name: String, in store: InMemoryAdapter) async {
        let error = await #expect(throws: PersistenceError.self) {
            try await store.collection(of: Item.self, entity: entity)
        }
        #expect(error?.message.hasPrefix("'\(entity)' keeps elements of the type '\(name)', not of 'Item': ") == true)
    }
}
