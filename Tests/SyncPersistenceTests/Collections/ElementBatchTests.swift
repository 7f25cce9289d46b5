import DifferentialSyncTesting
import SyncPersistence
import Testing

/// A type with all attributes of its entity, so that its stored records are not read before they are replaced.
private struct Note: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
    var stars: Int?
    var weight = Weight(value: 1)

    static func random(using generator: inout SeededGenerator) -> Note {
        Note(
            id: Int.random(in: 0..<12, using: &generator), text: ["a", "b"].randomElement(using: &generator)!,
            stars: [nil, 1].randomElement(using: &generator)!,
            weight: Weight(value: [1, 1.5].randomElement(using: &generator)!))
    }
}

/// A type whose records are compared with the stored ones only if an element has a set, which has many notations.
private struct Tagged: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var tags: Set<String>?
}

/// A number that is encoded as an integer if it is one, which an attribute of doubles does not store as it is.
private struct Weight: Codable, Equatable, Sendable {
    var value: Double

    init(value: Double) { self.value = value }

    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let whole = Int(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
    }
}

/// Many elements that are stored together, against the same elements one by one.
struct ElementBatchTests {
    private static let note = Entity(
        "Note",
        attributes: [
            Attribute("id", .integer, isPrimaryKey: true), Attribute("text", .string), Attribute("stars", .integer),
            Attribute("weight", .double),
        ])

    private struct State: Equatable {
        var records: [Record]
        var entries: [JournalEntry]
    }

    private func state(of store: InMemoryAdapter) async throws -> State {
        try await store.read { transaction in
            State(
                records: try transaction.records(Query("Note", sort: [Query.SortKey("id")])),
                entries: try transaction.journal(of: "Note").sorted { "\($0.id)" < "\($1.id)" })
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func elementsThatAreStoredTogetherAreStoredAsOneByOne(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let schema = try Schema([ElementBatchTests.note])
        let stores = [InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema)]
        var collections: [PersistentCollection<Note, Int>] = []
        for store in stores { collections.append(try await store.collection(of: Note.self, entity: "Note")) }
        for _ in 0..<12 {
            let notes = (0..<Int.random(in: 0..<8, using: &generator)).map { _ in Note.random(using: &generator) }
            let removed = Int.random(in: 0..<24, using: &generator)
            let isAgreed = Int.random(in: 0..<5, using: &generator) == 0
            for (index, store) in stores.enumerated() {
                if isAgreed {
                    var changes = ChangeSet(origin: .agreed)
                    for record in try await state(of: store).records { changes.put(record) }
                    try await store.commit(changes)
                }
                if index == 0 {
                    try await collections[0].upsert(contentsOf: notes)
                } else {
                    for note in notes { try await collections[1].upsert(note) }
                }
                try await collections[index].remove(removed)
            }
            #expect(try await state(of: stores[0]) == state(of: stores[1]))
        }
    }

    @Test func storingTheSameElementsAgainChangesNothing() async throws {
        let store = InMemoryAdapter(schema: try Schema([ElementBatchTests.note]))
        let notes = try await store.collection(of: Note.self, entity: "Note")
        let elements = (0..<10).map { Note(id: $0, text: "a", weight: Weight(value: 1.5)) }
        try await notes.upsert(contentsOf: elements)
        var commits = store.commits().makeAsyncIterator()
        try await notes.upsert(contentsOf: elements)
        try await notes.upsert(Note(id: 3, text: "b"))
        let commit = try #require(await commits.next())
        #expect(commit.changes.map { $0.new?["text"] } == ["b"])
    }

    @Test func elementsInAnotherNotationAreUnchangedAfterOthersWithoutNotations() async throws {
        let schema = try Schema {
            Entity("Tagged") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("tags", .json)
            }
        }
        let store = InMemoryAdapter(schema: schema)
        let names = (0..<40).map { "tag \($0)" }
        let record = try Record("Tagged", in: schema, ["id": 2, "tags": .array(names.map { .string($0) })])
        var agreed = ChangeSet(origin: .agreed)
        agreed.put(record)
        try await store.commit(agreed)
        let collection = try await store.collection(of: Tagged.self, entity: "Tagged")
        try await collection.upsert(contentsOf: [Tagged(id: 1), Tagged(id: 2, tags: Set(names)), Tagged(id: 3)])
        #expect(try await store.read { try $0.record(record.id) } == record)
        #expect(try await store.read { try $0.journal(of: "Tagged") }.count == 2)
    }

    @Test func recordsOfInheritingEntitiesKeepTheirEntity() async throws {
        let memo = Entity("Memo", parent: "Note", attributes: [Attribute("color", .string)])
        let schema = try Schema([ElementBatchTests.note, memo])
        let store = InMemoryAdapter(schema: schema)
        let record = try Record("Memo", in: schema, ["id": 2, "text": "a", "color": "red"])
        var changes = ChangeSet()
        changes.put(record)
        try await store.commit(changes)
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.upsert(contentsOf: (0..<4).map { Note(id: $0, text: "b", weight: Weight(value: 1.5)) })
        let stored = try await store.read { try $0.record(record.id) }
        #expect(stored?.entity == "Memo")
        #expect(stored?["color"] == "red")
        #expect(stored?["text"] == "b")
    }
}
