import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import Testing

/// The examples of *Durable cycles*, and those of stored collections on landing pages and in README.
struct DurableCyclesExamples {
    let store: InMemoryAdapter
    let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)

    init() throws { store = InMemoryAdapter(schema: try Schema([])) }

    @Test func synchronizing() async throws {
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.upsert(contentsOf: [Note(id: 7, text: "milk"), Note(id: 8, text: "bread")])
        try await notes.edit(7) { $0.text = "oat milk" }
        let outcome = try await notes.synchronize(with: server, policy: .newest(by: \.modified))
        #expect(outcome.isSynced)
        #expect(await server.remote.elements == [Note(id: 7, text: "oat milk"), Note(id: 8, text: "bread")])

        let values = try await awaitedResults {
            try await notes.edit(7) { $0.text = "tea" }
            try await notes.localDiff  // ~ note 7
            try await notes.shadow(for: 7)?.text  // what the remote has
            try await notes.revert()
            try await notes.localDiff  // nil
        }
        #expect((values[1] as? Diff<Note>)?.replace == [Note(id: 7, text: "tea")])
        #expect(values[2] as? String == "oat milk")
        #expect(try await notes.localDiff == nil)
    }

    @Test func tracing() async throws {
        let (phone, tablet) = try await (
            store.collection(of: Note.self, entity: "Note"),
            InMemoryAdapter(schema: Schema([])).collection(of: Note.self, entity: "Note")
        )
        try await phone.insert(Note(id: 7, text: "milk"))
        for notes in [phone, tablet] { try await notes.synchronize(with: server, policy: .localWins) }
        try await tablet.insert(Note(id: 8, text: "tea"))
        try await tablet.synchronize(with: server, policy: .localWins)
        try await phone.edit(7) { $0.text = "oat milk" }
        #expect(
            try await lines(of: phone) == [
                "push refused · nothing changed", "push refused, pull · pulled 1 added",
                "push refused, pull, push accepted · pulled 1 added; pushed 1 replaced",
            ])
    }

    private func lines(of notes: PersistentCollection<Note, Int>) async throws -> [String] {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        @Sendable func log(_ line: String) { continuation.yield(line) }

        try await notes.synchronize(with: server, policy: .newest(by: \.modified), tracing: { log("\($0)") })
        // push refused, pull, push accepted · pulled 1 added; pushed 1 replaced
        continuation.finish()
        var all: [String] = []
        for await line in lines { all.append(line) }
        return all
    }

    @Test func conflicts() async throws {
        let (notes, tablet) = try await (
            store.collection(of: Note.self, entity: "Note"),
            InMemoryAdapter(schema: Schema([])).collection(of: Note.self, entity: "Note")
        )
        for (collection, text) in [(notes, "milk"), (tablet, "tea")] {
            try await collection.insert(Note(id: 7, text: text))
            try await collection.synchronize(with: server, policy: .leaveOpen)
        }
        #expect(try await tablet.conflicts.count == 1)
        try await resolveAll(tablet)
        try await tablet.synchronize(with: server, policy: .leaveOpen)
        #expect(await server.remote.elements == [Note(id: 7, text: "tea")])
    }

    @Test func anElementThatCannotBeRead() {
        let (notes, version) = ([Note(id: 7, text: "milk")], RemoteVersion(epoch: "e", commit: "1"))
        let pull = Pull<Note, Int>.changes(changed: notes, deleted: [], version, unreadable: [9])
        #expect(pull != .nothing)
    }

    private func resolveAll(_ notes: PersistentCollection<Note, Int>) async throws {
        for conflict in try await notes.conflicts {
            guard let id = (conflict.local ?? conflict.remote)?.id else { continue }
            try await notes.resolve(id, with: .local, of: conflict)
        }
    }

    @Test func aPushInDoubt() async throws {
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 7, text: "milk"))
        let isLost = Switch()
        let remote = FaultyRemote(server) { request in
            if case .push = request, await isLost.turnOff() { .answerLost } else { .delivered }
        }
        let values = try await awaitedResults {
            try? await notes.synchronize(with: remote, pushID: "1", policy: .localWins)  // the answer gets lost
            try await notes.pendingPush?.id  // "1": that push is in doubt
            try await notes.synchronize(with: remote, pushID: "2", policy: .localWins)  // asks about push 1 first
        }
        #expect(values[1] as? String == "1")
        #expect(await server.status(of: "1") != .notApplied)
        #expect(try await notes.pendingPush == nil)
    }

    /// Something that is on until it is turned off.
    private actor Switch {
        private var isOn = true

        func turnOff() -> Bool {
            defer { isOn = false }
            return isOn
        }
    }

    @Test func theLandingPage() async throws {
        let values = try await awaitedResults {
            let notes = try await store.collection(of: Note.self, entity: "Note")
            try await notes.insert(Note(id: 7, text: "milk"))
            try await notes.synchronize(with: server, policy: .newest(by: \.modified))
            try await notes.edit(7) { $0.text = "oat milk" }
            try await notes.localDiff  // ~ note 7: what the next cycle pushes
        }
        #expect((values.last as? Diff<Note>)?.replace == [Note(id: 7, text: "oat milk")])
    }

    @Test func theLandingPageOfSQLite() async throws {
        let file = TemporaryFile()
        let (path, schema) = (file.path, try Schema.ofToDos())
        do {
            var options = SQLiteAdapter.Options()
            options.busyTimeout = .seconds(10)
            let store = try await SQLiteAdapter.open(at: path, schema: schema, options: options)
            let notes = try await store.collection(of: Note.self, entity: "Note")
            try await notes.insert(Note(id: 7, text: "milk"))
            await store.close()
        }
        let store = try await SQLiteAdapter.open(at: path, schema: schema)
        #expect(try await store.collection(of: Note.self, entity: "Note").elements() == [Note(id: 7, text: "milk")])
        await store.close()
    }

    @Test func theLandingPageOfTesting() async throws {
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 7, text: "milk"))
        let values = try await awaitedResults {
            let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)
            let remote = FaultyRemote(server) { request in
                if case .push = request { .answerLost } else { .delivered }
            }
            try? await notes.synchronize(with: remote, pushID: "1", policy: .localWins)  // throws LostMessage
            try await notes.pendingPush  // push 1, which the server has taken
            try await notes.synchronize(with: server, pushID: "2", policy: .localWins)  // asks, and knows
            await server.remote.elements
        }
        #expect((values[1] as? Push<Note>)?.id == "1")
        #expect(values[3] as? [Note] == [Note(id: 7, text: "milk")])
    }

    @Test func theREADME() async throws {
        let file = TemporaryFile()
        let path = file.path
        let values = try await awaitedResults {
            let store = try await SQLiteAdapter.open(at: path, schema: Schema([]))
            let notes = try await store.collection(of: Note.self, entity: "Note")
            try await notes.insert(Note(id: 7, text: "milk"))
            try await notes.edit(7) { $0.text = "oat milk" }
            try await notes.localDiff  // what has changed since the shadow, after a restart as before

            try await notes.synchronize(with: server, policy: .newest(by: \.modified))
            try await notes.elements()
            await store.close()
        }
        #expect(values.compactMap { ($0 as? Diff<Note>)?.add }.first == [Note(id: 7, text: "oat milk")])
        #expect(await server.remote.elements == [Note(id: 7, text: "oat milk")])
    }

    @Test func aHistory() async throws {
        let store = InMemoryAdapter(schema: try Schema([]))
        var changes = ChangeSet()
        changes.keepHistory(true)
        try await store.commit(changes)
        #expect(try await store.read { try $0.keepsHistory })
    }
}
