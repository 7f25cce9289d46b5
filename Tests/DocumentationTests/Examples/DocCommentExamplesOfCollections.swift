import DifferentialSyncTesting
import Foundation
import SyncPersistence
import Testing

/// The examples in the comments of `Sources/SyncPersistence/Collections` and of
/// `Sources/DifferentialSyncTesting/Remotes`.
struct DocCommentExamplesOfCollections {
    let store: InMemoryAdapter
    let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)

    init() throws { store = InMemoryAdapter(schema: try Schema([])) }

    @Test func aCollection() async throws {
        let values = try await awaitedResults {
            let notes = try await store.collection(of: Note.self, entity: "Note")
            try await notes.insert(Note(id: 7, text: "milk"))
            try await notes.edit(7) { $0.text = "oat milk" }
            try await notes.localDiff  // + note 7

            try await notes.synchronize(with: server, policy: .newest(by: \.modified))
        }
        let diff = values.compactMap { $0 as? Diff<Note> }.first
        #expect(diff?.add == [Note(id: 7, text: "oat milk")])
        #expect(await server.remote.elements == [Note(id: 7, text: "oat milk")])
    }

    @Test func severalCollections() async throws {
        let note = Note(id: 7, text: "milk")
        let drafts = try await store.collection(of: Note.self, entity: "Draft")
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await drafts.insert(note)
        try await store.write { transaction in
            try drafts.remove(7, in: transaction)
            try notes.insert(note, in: transaction)
        }
        #expect(try await drafts.count == 0)
        #expect(try await notes.elements() == [note])
        try await notes.edit(7) { $0.text += "!" }
        #expect(try await notes.element(7)?.text == "milk!")
    }

    @Test func aTypeOfTheApp() async throws {
        struct Note: Codable, Identifiable, Equatable {
            var id: UUID
            var text: String
        }
        let notes = try await store.collection(of: Note.self, entity: "Note")
        let note = Note(id: UUID(), text: "milk")
        try await notes.insert(note)
        #expect(try await notes.element(note.id) == note)
    }

    @Test func aCodingOfOnesOwn() async throws {
        let store = InMemoryAdapter(schema: try Schema.ofNotes())
        let coding = RecordCoding<Note, Int>(
            entity: "Note", key: \.id, value: { .integer(Int64($0)) },
            encode: { note, record in
                record["id"] = .integer(Int64(note.id))
                record["text"] = .string(note.text)
            },
            decode: { record in try Note(record) })
        let notes = PersistentCollection(in: store, coding: coding)
        try await notes.insert(Note(id: 7, text: "milk"))
        #expect(try await notes.elements() == [Note(id: 7, text: "milk")])
    }

    @Test(.timeLimit(.minutes(5))) func updates() async throws {
        let notes = try await store.collection(of: Note.self, entity: "Note")
        let (seen, continuation) = AsyncStream<Diff<Note>>.makeStream()
        @Sendable func print(_ diff: Diff<Note>) { continuation.yield(diff) }
        let observer = Task {
            for await update in notes.changes() {
                if let diff = update.diff { print(diff) }
            }
        }
        let writer = Task {
            while true { try await notes.upsert(Note(id: 7, text: UUID().uuidString)) }
        }
        var first: Diff<Note>?
        for await diff in seen {
            first = diff
            break
        }
        writer.cancel()
        observer.cancel()
        #expect(first?.changes.first?.new?.id == 7)
    }

    @Test func aCycle() async throws {
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 7, text: "milk"))
        let server = Server([])
        await server.lose([.delivered, .answerLost])
        let outcome = try await run(notes, server)
        let found = try await server.notes()
        if outcome.isSynced { #expect(found == [Note(id: 7, text: "milk")]) }
    }

    private func run(
        _ notes: PersistentCollection<Note, Int>, _ server: Server
    ) async throws -> CycleOutcome {
        var cycle = DurableCycle(notes, account: "ada", policy: .newest(by: \.modified))
        var step = try await cycle.begin()
        while true {
            do {
                switch step {
                case .confirm(let pushID):
                    step = try await cycle.confirmed(try await server.status(of: pushID))
                case .pull(let version):
                    step = try await cycle.pulled(try await server.pull(since: version))
                case .push(let push):
                    step = try await cycle.pushed(try await server.push(push))
                case .finished(let outcome):
                    return outcome
                }
            } catch is ConnectionError {
                step = try await cycle.failed()
            }
        }
    }

    @Test func aServer() async throws {
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 7, text: "milk"))
        let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)
        try await notes.synchronize(with: server, policy: .localWins)
        #expect(try await notes.localDiff == nil)
        try await notes.edit(7) { $0.text = "oat milk" }
        let remote = FaultyRemote(server) { request in
            if case .push = request { .answerLost } else { .delivered }
        }
        await #expect(throws: LostMessage.self) {
            try await notes.synchronize(with: remote, pushID: "2", policy: .localWins)
        }
    }

    @Test func aRemoteInAStore() async throws {
        let serverStore = InMemoryAdapter(schema: try Schema([]))
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 7, text: "milk"))
        let remote = try await StoredRemote(serverStore.collection(of: Note.self, entity: "Note"))
        try await notes.synchronize(with: remote, policy: .localWins)
        #expect(try await remote.collection.elements() == [Note(id: 7, text: "milk")])
    }
}
