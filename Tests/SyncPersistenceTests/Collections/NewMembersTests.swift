import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

private struct Note<Place, Line, Form>: Codable, Identifiable, Equatable, Sendable
where
    Place: Codable & Equatable & Sendable, Line: Codable & Equatable & Sendable,
    Form: Codable & Equatable & Sendable
{
    var id: Int
    var text = ""
    var place: Place?
    var lines: [Line] = []
    var days: [String: Line] = [:]
    var form: Form
}

private struct OldPlace: Codable, Equatable, Sendable { var x = 1 }
private struct OldLine: Codable, Equatable, Sendable { var text = "a" }
private enum OldForm: Codable, Equatable, Sendable { case circle(radius: Int), square(side: Int) }

private struct NewPlace: Codable, Equatable, Sendable {
    var x = 1
    var y: Int?
}
private struct NewLine: Codable, Equatable, Sendable {
    var text = "a"
    var isDone: Bool?
}
private enum NewForm: Codable, Equatable, Sendable { case circle(radius: Int, color: Int?), square(side: Int), point }

private typealias OldNote = Note<OldPlace, OldLine, OldForm>

/// The app's type gets new members, at any depth.
struct NewMembersTests {
    private let old = [
        OldNote(id: 1, form: .square(side: 1)),
        OldNote(id: 2, place: OldPlace(), lines: [OldLine()], days: ["monday": OldLine()], form: .circle(radius: 1)),
    ]

    /// A server of elements, and the versions since which it is asked for them; nil for everything.
    private struct Observed<Element: Codable & Identifiable & Equatable & Sendable> where Element.ID == Int {
        let pulls = Locked<[RemoteVersion?]>([])
        let server: SimulatedRemoteServer<Element, Int>

        init(_ elements: [Element]) {
            var remote = SimulatedRemote<Element, Int>(primaryKey: \.id)
            remote.reset(to: elements)
            server = SimulatedRemoteServer(remote)
        }

        func synchronize(
            _ notes: PersistentCollection<Element, Int>, _ policy: ConflictPolicy<Element> = .unexpected
        ) async throws -> [RemoteVersion?] {
            let pulls = pulls
            let observed = FaultyRemote(server) { request in
                if case .pull(let version) = request { pulls.withLock { $0.append(version) } }
                return .delivered
            }
            try await notes.synchronize(with: observed, policy: policy)
            return pulls.exchange(with: [])
        }
    }

    private func open<Element: Codable & Identifiable & Equatable & Sendable>(
        _ type: Element.Type, in store: InMemoryAdapter
    ) async throws -> PersistentCollection<Element, Int> where Element.ID == Int {
        PersistentCollection(in: store, coding: .json(entity: "Note"))
    }

    private func synchronizedStore() async throws -> InMemoryAdapter {
        let store = try emptyStore()
        let notes = try await store.collection(of: OldNote.self, entity: "Note")
        _ = try await Observed(old).synchronize(notes)
        return store
    }

    private func expectOnePullOfEverything<NPlace, NLine, NForm>(
        _ type: Note<NPlace, NLine, NForm>.Type, _ form: NForm, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let store = try await synchronizedStore()
        let notes = try await open(type, in: store)
        let stored = Array(try await notes.elements())
        #expect(stored.count == 2, sourceLocation: sourceLocation)
        let remote = Observed(stored)
        #expect(try await remote.synchronize(notes) == [nil], sourceLocation: sourceLocation)
        for id in 1...3 {
            try await notes.upsert(Note(id: id, text: "edited", form: form))
            #expect(try await remote.synchronize(notes) == [], "only once", sourceLocation: sourceLocation)
        }
        #expect(try await remote.synchronize(notes).allSatisfy { $0 != nil }, sourceLocation: sourceLocation)
    }

    @Test func membersOfNestedObjectsAreNew() async throws {
        try await expectOnePullOfEverything(Note<NewPlace, OldLine, OldForm>.self, .circle(radius: 2))
    }

    @Test func membersOfObjectsInArraysAndDictionariesAreNew() async throws {
        try await expectOnePullOfEverything(Note<OldPlace, NewLine, OldForm>.self, .circle(radius: 2))
    }

    @Test func membersOfAnEnumerationsCaseAreNew() async throws {
        try await expectOnePullOfEverything(Note<OldPlace, OldLine, NewForm>.self, .point)
    }

    @Test func keysOfDictionariesAndFirstValuesAreNotNew() async throws {
        let store = try emptyStore()
        let notes = try await store.collection(of: OldNote.self, entity: "Note")
        let remote = Observed([old[0]])
        _ = try await remote.synchronize(notes)
        for (day, form) in ["monday", "tuesday", "sunday"].enumerated() {
            try await notes.upsert(
                OldNote(
                    id: day, place: day == 0 ? nil : OldPlace(), lines: Array(repeating: OldLine(), count: day),
                    days: [form: OldLine()], form: day == 0 ? .circle(radius: 1) : .square(side: 2)))
            #expect(try await remote.synchronize(notes) == [])
        }
        #expect(try await remote.synchronize(notes) == [await remote.server.remote.version])
        let again = try await store.collection(of: OldNote.self, entity: "Note")
        #expect(try await remote.synchronize(again) == [await remote.server.remote.version])
    }

    @Test func anEditedElementWithMembersThatNoOtherElementShowsIsNotPushedFirst() async throws {
        let store = try await synchronizedStore()
        // The specimen of places is gone, and another element has one.
        let notes = try await store.collection(of: OldNote.self, entity: "Note")
        let remote = Observed(old)
        try await notes.edit(2) { $0.place = nil }
        try await notes.edit(1) { $0.place = OldPlace() }
        _ = try await remote.synchronize(notes)
        let updated = try await open(Note<NewPlace, OldLine, OldForm>.self, in: store)
        try await updated.edit(1) { $0.text = "edited" }
        var elements = Array(try await updated.elements())
        elements[0].text = ""
        elements[0].place?.y = 5
        let newRemote = Observed(elements)
        let asked = try await newRemote.synchronize(updated, .localWins)
        #expect(asked.first == .some(nil))
        #expect(try await updated.element(1)?.place == NewPlace(x: 1, y: 5))
        #expect(try await updated.element(1)?.text == "edited")
        #expect(await newRemote.server.remote.elements.first?.place?.y == 5)
    }
}
