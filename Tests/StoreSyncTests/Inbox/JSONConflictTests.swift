import DifferentialSync
import StoreSync
import Testing

/// Conflicts of a whole store about elements that are stored as JSON.
@Suite struct JSONConflictTests {
    struct Note: Codable, Identifiable, Equatable, Sendable {
        static let fields: [MergeField<Note>] = [MergeField("title", \.title), MergeField("isDone", \.isDone)]

        var id: Int
        var title: String
        var isDone: Bool
    }

    private let phone: InMemoryAdapter
    private let laptop: InMemoryAdapter
    private let server: InMemoryAdapter
    private var service: SyncService { SyncService(server, account: "ada", makeName: { "epoch" }) }

    init() throws {
        let schema = try Schema([])
        (phone, laptop) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        server = InMemoryAdapter(schema: schema)
    }

    private func notes(_ store: InMemoryAdapter) async throws -> PersistentCollection<Note, Int> {
        try await store.collection(of: Note.self, entity: "Note")
    }

    /// Returns the conflict of the phone about a note, whose title both devices have changed.
    ///
    /// The phone has also set a member that the type does not read, and the laptop another member.
    private func clash() async throws -> StoreConflict {
        for store in [phone, laptop, server] { _ = try await notes(store) }
        try await notes(laptop).insert(Note(id: 1, title: "a", isDone: false))
        for store in [laptop, phone] { try await store.synchronize(with: service) }
        var changes = ChangeSet()
        changes.update(
            RecordID("Note", 1), ["content": #"{"color":"red","id":1,"isDone":false,"title":"mine"}"#])
        try await phone.commit(changes)
        try await notes(laptop).edit(1) { ($0.title, $0.isDone) = ("theirs", true) }
        for store in [laptop, phone] { try await store.synchronize(with: service) }
        return try #require(try await phone.openConflicts.first)
    }

    private func expectAll(_ content: Value) async throws {
        for store in [phone, laptop] { try await store.synchronize(with: service) }
        for store in [phone, laptop, server] {
            let record = try await store.read { try $0.record(RecordID("Note", 1)) }
            #expect(record?["content"] == content)
        }
    }

    @Test func unreadMembersAreKeptBesideAMergedElement() async throws {
        let conflict = try await clash()
        let notes = try await notes(phone)
        #expect(conflict.fields == ["content"])
        let versions = try #require(try conflict.elements(of: notes))
        #expect(versions.local == Note(id: 1, title: "mine", isDone: false))
        #expect(versions.remote == Note(id: 1, title: "theirs", isDone: true))
        try await notes.resolve(conflict, with: .merged(Note(id: 1, title: "both", isDone: false)))
        try await expectAll(#"{"color":"red","id":1,"isDone":false,"title":"both"}"#)
    }

    @Test func fieldsOfTheTypeAreMergedByAPolicy() async throws {
        let conflict = try await clash()
        let notes = try await notes(phone)
        let versions = try #require(try conflict.elements(of: notes))
        #expect(versions.clashingFields(of: Note.fields) == ["title"])
        let policy = ConflictPolicy<Note>.mergingFields(Note.fields, otherwise: .localWins)
        try await notes.resolve(conflict, with: try policy.resolve(versions))
        try await expectAll(#"{"color":"red","id":1,"isDone":true,"title":"mine"}"#)
    }

    @Test func contentThatCannotBeReadIsAnErrorAndStaysInConflict() async throws {
        struct Numbered: Codable, Identifiable, Equatable, Sendable {
            var id: Int
            var title: Int
        }
        let conflict = try await clash()
        let coding = RecordCoding<Numbered, Int>.json(entity: "Note")
        let numbered = PersistentCollection(in: phone, coding: coding)
        let error = try await #require(throws: PersistenceError.self) {
            try await numbered.resolve(conflict, with: .remote)
        }
        #expect(error.code == .unreadable)
        #expect(try await phone.openConflicts == [conflict])
    }
}
