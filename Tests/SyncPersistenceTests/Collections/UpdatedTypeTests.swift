import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// An app is updated while there is something to be synchronized.
struct UpdatedTypeTests {
    private struct OldNote: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
    }

    private struct NewNote: Codable, Hashable, Identifiable, Sendable {
        var id: Int
        var text: String
        var isStarred: Bool?
        var due: Int?
    }

    private struct StrictNote: Codable, Hashable, Identifiable, Sendable {
        var id: Int
        var text: String
        var place: String
    }

    /// A phone that has synchronized notes of the old type: milk and bread.
    private func phone() async throws -> InMemoryAdapter {
        let store = try emptyStore()
        var remote = SimulatedRemote<OldNote, Int>(primaryKey: \.id)
        remote.reset(to: [OldNote(id: 1, text: "milk"), OldNote(id: 2, text: "bread")])
        try await store.collection(of: OldNote.self, entity: "Note").synchronize(
            with: SimulatedRemoteServer(remote), policy: .localWins)
        return store
    }

    @Test func fieldsThatAnUpdateAddsArriveAndAreNotErased() async throws {
        let notes = try await phone().collection(of: NewNote.self, entity: "Note", formerly: "UpdatedTypeTests.OldNote")
        // The same server, in the same state, read by the new type.
        var remote = SimulatedRemote<NewNote, Int>(primaryKey: \.id)
        remote.reset(to: [
            NewNote(id: 1, text: "milk", isStarred: true, due: 7), NewNote(id: 2, text: "bread", due: 3),
        ])
        let server = SimulatedRemoteServer(remote)
        try await notes.edit(1) { $0.text = "oat milk" }
        let pulls = Locked<[RemoteVersion?]>([])
        let observed = FaultyRemote(server) { request in
            if case .pull(let version) = request { pulls.withLock { $0.append(version) } }
            return .delivered
        }
        let policy = ConflictPolicy<NewNote>.mergingFields(
            [MergeField("text", \.text), MergeField("isStarred", \.isStarred), MergeField("due", \.due)],
            otherwise: .localWins)
        try await notes.synchronize(with: observed, policy: policy)
        let expected: Set = [
            NewNote(id: 1, text: "oat milk", isStarred: true, due: 7), NewNote(id: 2, text: "bread", due: 3),
        ]
        #expect(Set(try await notes.elements()) == expected)
        #expect(Set(await server.remote.elements) == expected)
        #expect(pulls.exchange(with: []) == [nil], "everything is pulled first")
        try await notes.edit(2) { $0.text = "rye bread" }
        try await notes.synchronize(with: observed, policy: policy)
        #expect(pulls.current == [], "only once")
        #expect(await server.remote.elements.contains(NewNote(id: 2, text: "rye bread", due: 3)))
    }

    @Test func elementThatCannotBeReadTakesItsNewMembersFromTheRemote() async throws {
        let store = try await phone()
        let old = try await store.collection(of: OldNote.self, entity: "Note")
        try await old.edit(1) { $0.text = "oat milk" }
        let notes = try await store.collection(
            of: StrictNote.self, entity: "Note", formerly: "UpdatedTypeTests.OldNote")
        try await notes.insert(StrictNote(id: 3, text: "eggs", place: "market"))
        var remote = SimulatedRemote<StrictNote, Int>(primaryKey: \.id)
        remote.reset(to: [
            StrictNote(id: 1, text: "milk", place: "shop"), StrictNote(id: 2, text: "bread", place: "bakery"),
        ])
        let server = SimulatedRemoteServer(remote)
        for _ in 0..<2 {
            let outcome = try await notes.synchronize(with: server, policy: .localWins)
            #expect(outcome.isSynced)
            #expect(outcome.unreadable == [])
        }
        #expect(try await notes.element(1) == StrictNote(id: 1, text: "oat milk", place: "shop"))
        #expect(try await notes.element(2) == StrictNote(id: 2, text: "bread", place: "bakery"))
        #expect(await server.remote.elements.map(\.id) == [1, 2, 3])
        #expect(try await old.element(1) == OldNote(id: 1, text: "oat milk"))
    }

    @Test func localChangeThatCannotBeReadIsListedAndStays() async throws {
        let store = try await phone()
        let old = try await store.collection(of: OldNote.self, entity: "Note")
        try await old.insert(OldNote(id: 4, text: "salt"))
        let notes = try await store.collection(
            of: StrictNote.self, entity: "Note", formerly: "UpdatedTypeTests.OldNote")
        try await notes.insert(StrictNote(id: 3, text: "eggs", place: "market"))
        let server = SimulatedRemoteServer<StrictNote, Int>(primaryKey: \.id)
        for _ in 0..<2 {
            let outcome = try await notes.synchronize(with: server, limit: .records(count: 1), policy: .localWins)
            #expect(outcome.isSynced)
            #expect(outcome.unreadable.contains(RecordID("Note", 4)))
        }
        #expect(await server.remote.elements == [StrictNote(id: 3, text: "eggs", place: "market")])
        #expect(try await old.element(4) == OldNote(id: 4, text: "salt"))
    }
}
