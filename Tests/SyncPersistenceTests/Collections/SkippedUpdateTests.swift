import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

private struct FirstNote: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
    var lines: [Line] = []

    struct Line: Codable, Equatable, Sendable { var text: String }
}

/// A type that has got a color since, with a default that is another in each version.
private protocol ColorDefault: Sendable { static var color: String { get } }
private enum Red: ColorDefault { static let color = "red" }
private enum Blue: ColorDefault { static let color = "blue" }

private struct ColoredNote<Default: ColorDefault>: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
    var lines: [Line] = []
    var color = Default.color

    struct Line: Codable, Equatable, Sendable {
        var text: String
        var color = Default.color

        init(text: String, color: String = Default.color) { (self.text, self.color) = (text, color) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            text = try container.decode(String.self, forKey: .text)
            color = try container.decodeIfPresent(String.self, forKey: .color) ?? Default.color
        }
    }

    init(id: Int, text: String, lines: [Line] = [], color: String = Default.color) {
        (self.id, self.text, self.lines, self.color) = (id, text, lines, color)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
        lines = try container.decode([Line].self, forKey: .lines)
        color = try container.decodeIfPresent(String.self, forKey: .color) ?? Default.color
    }
}

private typealias RedNote = ColoredNote<Red>
private typealias BlueNote = ColoredNote<Blue>

/// Two updates of an app come without a cycle between them.
struct SkippedUpdateTests {
    /// A store whose `milk` has agreed with the remote by the first type.
    private func store() async throws -> (store: InMemoryAdapter, first: PersistentCollection<FirstNote, Int>) {
        let store = try emptyStore()
        var remote = SimulatedRemote<FirstNote, Int>(primaryKey: \.id)
        remote.reset(to: [FirstNote(id: 1, text: "milk", lines: [FirstNote.Line(text: "a")])])
        let notes = try await store.collection(of: FirstNote.self, entity: "Note")
        try await notes.synchronize(with: SimulatedRemoteServer(remote), policy: .unexpected)
        return (store, notes)
    }

    private func open<Default: ColorDefault>(
        _ type: ColoredNote<Default>.Type, in store: InMemoryAdapter
    ) -> PersistentCollection<ColoredNote<Default>, Int> {
        PersistentCollection(in: store, coding: .json(entity: "Note"))
    }

    private func server(_ note: BlueNote) -> SimulatedRemoteServer<BlueNote, Int> {
        var remote = SimulatedRemote<BlueNote, Int>(primaryKey: \.id)
        remote.reset(to: [note])
        return SimulatedRemoteServer(remote)
    }

    private let green = BlueNote(
        id: 1, text: "milk", lines: [BlueNote.Line(text: "a", color: "green")], color: "green")

    private func expectGreenOatMilk(_ store: InMemoryAdapter) async throws {
        let (notes, server) = (open(BlueNote.self, in: store), server(green))
        try await notes.synchronize(with: server, policy: .unexpected)
        var expected = green
        expected.text = "oat milk"
        #expect(try await notes.element(1) == expected)
        #expect(await server.remote.elements == [expected])
        #expect(try await notes.localDiff == nil)
    }

    @Test func defaultOfTheMiddleVersionDoesNotOverwriteTheRemote() async throws {
        let (store, _) = try await store()
        try await open(RedNote.self, in: store).edit(1) { $0.text = "oat milk" }
        try await expectGreenOatMilk(store)
    }

    @Test func itDoesNotOverwriteTheRemoteWhereTheFirstVersionHadEditedToo() async throws {
        let (store, first) = try await store()
        try await first.edit(1) { $0.text = "soy milk" }
        try await open(RedNote.self, in: store).edit(1) { $0.text = "oat milk" }
        try await open(RedNote.self, in: store).edit(1) { $0.lines[0].text = "b" }
        try await open(RedNote.self, in: store).edit(1) { $0.lines[0].text = "a" }
        try await expectGreenOatMilk(store)
    }

    @Test func itDoesNotOverwriteTheRemoteAfterAnUpsertOfSeveral() async throws {
        let (store, _) = try await store()
        try await open(RedNote.self, in: store)
            .upsert(contentsOf: [RedNote(id: 1, text: "oat milk", lines: [RedNote.Line(text: "a")])])
        try await expectGreenOatMilk(store)
    }

    @Test func whatTheMiddleVersionHasSetIsPutToThePolicy() async throws {
        let (store, _) = try await store()
        try await open(RedNote.self, in: store).edit(1) { $0.color = "black" }
        let (notes, server) = (open(BlueNote.self, in: store), server(green))
        try await notes.synchronize(with: server, policy: .leaveOpen)
        let conflict = try #require(try await notes.conflicts.first)
        #expect(conflict.local?.color == "black")
        #expect(conflict.remote?.color == "green")
        try await notes.resolve(1, with: .local, of: conflict)
        try await notes.synchronize(with: server, policy: .unexpected)
        #expect(await server.remote.elements.map(\.color) == ["black"])
    }

    @Test func storingAnElementAsItIsMakesNoLocalChange() async throws {
        let (store, _) = try await store()
        let notes = open(RedNote.self, in: store)
        try await notes.upsert(RedNote(id: 1, text: "milk", lines: [RedNote.Line(text: "a")]))
        #expect(try await notes.localDiff == nil)
        #expect(try await store.read { try $0.journal(of: "Note").isEmpty })
    }

    @Test func anEditThatIsUndoneLeavesNoLocalChange() async throws {
        let (store, _) = try await store()
        let notes = open(RedNote.self, in: store)
        try await notes.edit(1) { $0.text = "oat milk" }
        try await notes.edit(1) { $0.text = "milk" }
        #expect(try await store.read { try $0.journal(of: "Note").isEmpty })
    }
}
