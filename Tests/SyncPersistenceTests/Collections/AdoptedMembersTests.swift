import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

private struct OldNote: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
    var lines: [Line] = []

    struct Line: Codable, Equatable, Sendable { var text: String }
}

private struct NewNote: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
    var lines: [Line] = []
    var starred = false
    var due: Int?

    struct Line: Codable, Equatable, Sendable {
        var text: String
        var isDone: Bool?
    }

    init(id: Int, text: String, lines: [Line] = [], starred: Bool = false, due: Int? = nil) {
        (self.id, self.text, self.lines, self.starred, self.due) = (id, text, lines, starred, due)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
        lines = try container.decode([Line].self, forKey: .lines)
        starred = try container.decodeIfPresent(Bool.self, forKey: .starred) ?? false
        due = try container.decodeIfPresent(Int.self, forKey: .due)
    }
}

/// A record was edited here, and an update of the app adds members that the remote has.
struct AdoptedMembersTests {
    /// A phone that has synchronized `milk` by the old type, and the edit that it has not sent.
    private func phone(
        _ edit: @escaping @Sendable (inout OldNote) -> Void
    ) async throws -> PersistentCollection<NewNote, Int> {
        let store = try emptyStore()
        var remote = SimulatedRemote<OldNote, Int>(primaryKey: \.id)
        remote.reset(to: [OldNote(id: 1, text: "milk", lines: [OldNote.Line(text: "a")])])
        let notes = try await store.collection(of: OldNote.self, entity: "Note")
        try await notes.synchronize(with: SimulatedRemoteServer(remote), policy: .unexpected)
        try await notes.edit(1, edit)
        return try await store.collection(of: NewNote.self, entity: "Note", formerly: "OldNote")
    }

    private func server(_ note: NewNote?) -> SimulatedRemoteServer<NewNote, Int> {
        var remote = SimulatedRemote<NewNote, Int>(primaryKey: \.id)
        remote.reset(to: note.map { [$0] } ?? [])
        return SimulatedRemoteServer(remote)
    }

    private let starred = NewNote(
        id: 1, text: "milk", lines: [NewNote.Line(text: "a", isDone: true)], starred: true, due: 3)

    @Test func newMembersAreNoConflict() async throws {
        let (notes, server) = (try await phone { $0.text = "oat milk" }, server(starred))
        try await notes.synchronize(with: server, policy: .unexpected)
        var expected = starred
        expected.text = "oat milk"
        #expect(try await notes.element(1) == expected)
        #expect(await server.remote.elements == [expected])
        #expect(try await notes.localDiff == nil)
    }

    @Test func anEditAfterTheUpdateIsNoConflictEither() async throws {
        let (notes, server) = (try await phone { _ in }, server(starred))
        try await notes.edit(1) { $0.text = "oat milk" }
        try await notes.synchronize(with: server, policy: .unexpected)
        var expected = starred
        expected.text = "oat milk"
        #expect(try await notes.element(1) == expected)
        #expect(await server.remote.elements == [expected])
    }

    @Test func aNewMemberThatWasSetHereStands() async throws {
        let (notes, server) = (try await phone { _ in }, server(starred))
        try await notes.edit(1) { $0.due = 8 }
        try await notes.synchronize(with: server, policy: .unexpected)
        var expected = starred
        expected.due = 8
        #expect(try await notes.element(1) == expected)
        #expect(await server.remote.elements == [expected])
    }

    @Test(arguments: [true, false])
    func aRealConflictIsResolvedWithTheNewMembers(localWins: Bool) async throws {
        var remote = starred
        remote.text = "tea"
        let (notes, server) = (try await phone { $0.text = "oat milk" }, server(remote))
        try await notes.synchronize(with: server, policy: localWins ? .localWins : .remoteWins)
        var expected = starred
        expected.text = localWins ? "oat milk" : "tea"
        #expect(try await notes.element(1) == expected)
        #expect(await server.remote.elements == [expected])
    }

    @Test func aConflictThatIsLeftOpenKeepsThem() async throws {
        var remote = starred
        remote.text = "tea"
        let (notes, server) = (try await phone { $0.text = "oat milk" }, server(remote))
        try await notes.synchronize(with: server, policy: .leaveOpen)
        #expect(try await notes.conflicts.count == 1)
        try await notes.synchronize(with: server, policy: .localWins)
        var expected = starred
        expected.text = "oat milk"
        #expect(await server.remote.elements == [expected])
    }

    @Test func aDeletionStands() async throws {
        let notes = try await phone { $0.text = "oat milk" }
        try await notes.remove(1)
        let server = server(starred)
        try await notes.synchronize(with: server, policy: .unexpected)
        #expect(await server.remote.elements.isEmpty)
    }

    @Test func anElementThatIsKnownToBothIsPutToThePolicyInLaterCycles() async throws {
        let (notes, server) = (try await phone { _ in }, server(starred))
        try await notes.synchronize(with: server, policy: .unexpected)
        try await notes.edit(1) { $0.text = "oat milk" }
        var other = starred
        other.due = nil
        let push = Push(
            id: "other", changes: Diff([.replace(old: starred, new: other)])!, expected: await server.remote.version)
        _ = try await server.push(push)
        try await notes.synchronize(with: server, policy: .leaveOpen)
        #expect(try await notes.conflicts.count == 1)
    }

    @Test func aPushInDoubtIsNotSentAgainByAnotherType() async throws {
        let store = try emptyStore()
        var remote = SimulatedRemote<OldNote, Int>(primaryKey: \.id)
        remote.reset(to: [OldNote(id: 1, text: "milk")])
        let notes = try await store.collection(of: OldNote.self, entity: "Note")
        try await notes.synchronize(with: SimulatedRemoteServer(remote), policy: .unexpected)
        try await notes.edit(1) { $0.text = "oat milk" }
        let oldServer = SimulatedRemoteServer(remote)
        await #expect(throws: LostMessage.self) {
            try await notes.synchronize(with: FaultyRemote(oldServer) { _ in .requestLost }, policy: .unexpected)
        }
        let updated = try await store.collection(of: NewNote.self, entity: "Note", formerly: "OldNote")
        let server = server(NewNote(id: 1, text: "milk", starred: true))
        try await updated.synchronize(with: server, policy: .unexpected)
        #expect(await server.remote.elements == [NewNote(id: 1, text: "oat milk", starred: true)])
    }
}
