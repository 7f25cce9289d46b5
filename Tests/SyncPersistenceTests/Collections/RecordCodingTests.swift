import DifferentialSync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// A type whose JSON depends on the order of a set.
struct Tags: Codable, Identifiable, Equatable, Sendable {
    var id: String
    var names: Set<String>
}

/// A type with a value of each kind.
struct Reading<ID: Codable & Hashable & Sendable>: Codable, Identifiable, Equatable, Sendable {
    var id: ID
    var value: Double = 0
    var at: Date?
    var data: Data?
    var parts: [String: Double] = [:]
    var place: Place?
}

struct Place: Codable, Equatable, Sendable {
    var x: Double
}

struct PointID: Codable, Hashable, Sendable {
    var x: Int
    var y: Int
}

struct RecordCodingTests {
    @Test func identifiersAreStoredAsNumbersUUIDsOrTextElseAsJSON() async throws {
        let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        try await expectKey(-7, .integer, .integer(-7))
        try await expectKey(UInt8(200), .integer, .integer(200))
        try await expectKey(Int64.min, .integer, .integer(.min))
        try await expectKey(UInt64.max, .string, .string("18446744073709551615"))
        try await expectKey(uuid, .uuid, .uuid(uuid))
        try await expectKey("a/b", .string, .string("a/b"))
        try await expectKey("", .string, .string(""))
        try await expectKey(PointID(x: 1, y: 2), .string, .string(#"{"x":1,"y":2}"#))
        try await expectKey([1, 2], .string, .string("[1,2]"))
        try await expectKey(2.5, .string, .string("2.5"))
    }

    private func expectKey<ID: Codable & Hashable & Sendable>(
        _ id: ID, _ type: AttributeType, _ key: Value
    ) async throws {
        let store = try emptyStore()
        let readings = try await store.collection(of: Reading<ID>.self, entity: "Reading")
        #expect(store.schema.entities[0].attributes.map(\.type) == [type, .string])
        try await readings.insert(Reading(id: id))
        #expect(try await readings.element(id) == Reading(id: id))
        let record = try await store.read { try $0.record(RecordID("Reading", key)) }
        #expect(record?.key == key)
        #expect(try await readings.remove(id) == Reading(id: id))
    }

    @Test func elementsAreReadExactlyAsTheyWereWritten() async throws {
        let readings = try await emptyStore().collection(of: Reading<Int>.self, entity: "Reading")
        let values = [
            0.1, -0.0, .leastNonzeroMagnitude, 1.7976931348623157e308, 1.0 / 3, 123456789.123456789,
        ]
        for (id, value) in values.enumerated() {
            let reading = Reading(
                id: id, value: value, at: Date(timeIntervalSinceReferenceDate: value),
                data: Data([0, 255, UInt8(id)]), parts: ["é\u{0}/\"\u{2028}": value])
            try await readings.insert(reading)
            let again = try #require(try await readings.element(id))
            #expect(again == reading)
            #expect(again.value.bitPattern == value.bitPattern)
        }
    }

    @Test func storedJSONIsSortedAndDoesNotEscapeSlashes() async throws {
        let notes = try await emptyStore().collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 1, text: "a/b"))
        let record = try await notes.store.read { try $0.record(RecordID("Note", 1)) }
        #expect(record?["content"] == #"{"id":1,"isDone":false,"modified":0,"text":"a/b"}"#)
    }

    @Test func nonFiniteNumberIsRefusedByNameAndChangesNothing() async throws {
        let readings = try await emptyStore().collection(of: Reading<Int>.self, entity: "Reading")
        await expectError(
            "Reading 3.content: it has no form in JSON: 'value' is a number that is infinite, or not a number"
        ) {
            try await readings.insert(Reading(id: 3, value: .infinity))
        }
        await expectError(
            "Reading 3.content: it has no form in JSON: 'place.x' is a number that is infinite, or not a number"
        ) {
            try await readings.insert(Reading(id: 3, place: Place(x: .nan)))
        }
        await expectError(
            "Reading 4.content: it has no form in JSON: 'value' is a number that is infinite, or not a number"
        ) {
            try await readings.upsert(contentsOf: [Reading(id: 1), Reading(id: 4, value: .nan)])
        }
        #expect(try await readings.count == 0)
    }

    @Test func contentThatAChangedTypeCannotReadIsKeptAndReported() async throws {
        struct Old: Codable, Identifiable, Equatable { var id: Int; var title: String }
        struct New: Codable, Identifiable, Equatable { var id: Int; var title: Int }
        struct Newer: Codable, Identifiable, Equatable { var id: Int; var text: String }
        let store = try emptyStore()
        let old = try await store.collection(of: Old.self, entity: "Note")
        try await old.insert(Old(id: 1, title: "milk"))
        let advice =
            ". It stays as it is; read it by the type that it was stored with, or replace it by 'upsert', or remove it"
        let new = try await store.collection(of: New.self, entity: "Note", formerly: "RecordCodingTests.Old")
        for read in [
            { _ = try await new.element(1) }, { _ = try await new.update(New(id: 1, title: 7)) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: PersistenceError.self) { try await read() }
            #expect(error?.code == .unreadable)
            #expect(error?.description == "Note 1: no New can be read from it: 'title' is no Int" + advice)
        }
        let newer = try await store.collection(of: Newer.self, entity: "Note", formerly: "RecordCodingTests.New")
        await expectError("Note 1: no Newer can be read from it: there is no 'text'" + advice) {
            _ = try await newer.element(1)
        }
        try await new.insert(New(id: 2, title: 2))
        #expect(try await new.element(2) == New(id: 2, title: 2), "others are not concerned")
        #expect(try await old.element(1) == Old(id: 1, title: "milk"))
    }

    @Test func contentUnderTheKeyOfAnotherElementIsUnreadable() async throws {
        let items = try await itemCollection([Item(1)])
        try await items.store.write { transaction in
            var changes = ChangeSet()
            changes.update(RecordID("Item", 1), ["content": #"{"id":2,"value":3}"#])
            try transaction.apply(changes)
        }
        let error = await #expect(throws: PersistenceError.self) { try await items.element(1) }
        #expect(error?.code == .unreadable)
        #expect(error?.message.hasPrefix("no Item can be read from it: its content has another key.") == true)
    }

    @Test func reopeningACollectionChangesNothingAndRefusesAnotherType() async throws {
        let store = try emptyStore()
        let items = try await store.collection(of: Item.self, entity: "Item")
        try await items.insert(Item(1))
        #expect(try await store.collection(of: Item.self, entity: "Item").elements() == [Item(1)])
        await #expect(throws: PersistenceError.self) { try await store.collection(of: Tags.self, entity: "Item") }
    }

    @Test func recordsOfAnEntityFormACollection() async throws {
        let store = try noteStore()
        let notes = try await store.recordCollection(of: "Note")
        let milk = Record(store.schema["Note"]!, ["id": 1, "text": "milk"])
        try await notes.insert(milk)
        #expect(try await notes.element(1) == milk)
        try await notes.edit(1) { $0["text"] = "oat milk" }
        #expect(try await notes.element(1)?["text"] == "oat milk")
        #expect(try await notes.localDiff?.add.map(\.key) == [1])
        await #expect(throws: PersistenceError.self) { try await store.recordCollection(of: "Nota") }
    }

    @Test func customCodingStoresPropertiesInTheirOwnAttributes() async throws {
        let store = try noteStore()
        let coding = RecordCoding<Note, Int>(
            entity: "Note", key: \.id, value: { .integer(Int64($0)) },
            encode: { note, record in
                record["id"] = .integer(Int64(note.id))
                record["text"] = .string(note.text)
            },
            decode: { record in
                guard case .integer(let id) = record["id"], case .string(let text) = record["text"] else {
                    throw PersistenceError(.unreadable, "no note", id: record.id)
                }
                return Note(id: Int(id), text: text)
            })
        let notes = PersistentCollection(in: store, coding: coding)
        try await notes.insert(Note(id: 1, text: "milk"))
        #expect(try await notes.elements() == [Note(id: 1, text: "milk")])
        let found = try await store.read { try $0.records(Query("Note", where: Field("text") == "milk")) }
        #expect(found.map(\.key) == [1])
    }

    @Test func codingNamesTheEntityAndTheKey() async throws {
        let items = try await itemCollection([Item(7, 1)])
        #expect(items.coding.entity == "Item")
        #expect(items.coding.key(Item(7)) == 7)
        #expect(try items.coding.keyValue(of: Item(7)) == 7)
        #expect(try items.coding.value(of: 7) == 7)
    }

    @Test func recordsAreElementsOfTheirOwnCoding() async throws {
        let store = InMemoryAdapter(schema: Authorship.schema)
        let tags = PersistentCollection(in: store, coding: .records(of: "Tag"))
        let tag = Record(Authorship.schema["Tag"]!, ["id": 3])
        try await tags.insert(tag)
        #expect(try await tags.element(3) == tag)
        #expect(try await store.read { try tags.coding.element(of: $0.records(Query("Tag"))[0], in: $0) } == tag)
        #expect(try await store.read { try $0.keys(of: "Tag") } == [3])
    }
}

/// A store of notes, by a schema.
func noteStore() throws -> InMemoryAdapter {
    InMemoryAdapter(
        schema: try Schema([
            Entity(
                "Note",
                attributes: [
                    Attribute("id", .integer, isPrimaryKey: true),
                    Attribute("text", .string, isOptional: false, default: ""),
                ])
        ]))
}
