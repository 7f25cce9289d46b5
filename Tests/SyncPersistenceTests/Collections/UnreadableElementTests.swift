import DifferentialSync
import SyncPersistence
import Testing

private enum Older {
    struct Note: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
    }
}

private enum Newer {
    struct Note: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
        var title: String
    }
}

@Suite("Elements that cannot be read")
struct UnreadableElementTests {
    private let problem =
        "Note 1: no Note can be read from it: there is no 'title'. It stays as it is; read it by the type that it was "
        + "stored with, or replace or delete it by a change set"

    private func collections() async throws -> (
        older: PersistentCollection<Older.Note, Int>, newer: PersistentCollection<Newer.Note, Int>
    ) {
        let store = try emptyStore()
        let older = try await store.collection(of: Older.Note.self, entity: "Note")
        try await older.insert(Older.Note(id: 1, text: "old"))
        let newer = try await store.collection(of: Newer.Note.self, entity: "Note", formerly: "Older.Note")
        try await newer.insert(Newer.Note(id: 2, text: "new", title: "a"))
        return (older, newer)
    }

    @Test func theOthersAreReadAndItIsReportedByItsKey() async throws {
        let (older, newer) = try await collections()
        let elements = try await newer.elements()
        #expect(Array(elements) == [Newer.Note(id: 2, text: "new", title: "a")])
        #expect(elements.unreadable.map(\.description) == [problem])
        #expect(elements.unreadable.map(\.id) == [RecordID("Note", 1)])
        #expect(elements != [Newer.Note(id: 2, text: "new", title: "a")])
        #expect(try await newer.forEach { $0.id == 2 } == Array(elements.unreadable))
        #expect(try await newer.count == 2)
        #expect(try await older.elements().unreadable.isEmpty)
        #expect(try await older.element(1) == Older.Note(id: 1, text: "old"))
    }

    @Test func nothingOfItIsLostByWritesOfTheOthers() async throws {
        let (older, newer) = try await collections()
        let new = Newer.Note(id: 1, text: "other", title: "b")
        for write in [
            { try await newer.upsert(new) }, { try await newer.update(new) },
            { try await newer.upsert(contentsOf: [Newer.Note(id: 3, text: "", title: ""), new]) },
            { try await newer.edit(1) { $0.title = "" } }, { try await newer.remove(1) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: PersistenceError.self) { try await write() }
            #expect(error?.code == .unreadable)
        }
        #expect(try await older.elements().map(\.text) == ["old", "new"])
    }

    @Test(.timeLimit(.minutes(1))) func observersLearnOfItAndGoOn() async throws {
        let (older, newer) = try await collections()
        var updates = newer.changes().makeAsyncIterator()
        try await older.insert(Older.Note(id: 3, text: "c"))
        let first = try #require(await updates.next())
        #expect(first.diff == nil)
        #expect(first.unreadable.map(\.id) == [RecordID("Note", 3)])

        let note = Newer.Note(id: 2, text: "new", title: "a")
        try await older.store.write { transaction in
            try older.update(Older.Note(id: 1, text: "d"), in: transaction)
            _ = try newer.remove(2, in: transaction)
        }
        let second = try #require(await updates.next())
        #expect(second.diff == Diff([.delete(note)]))
        #expect(second.unreadable.map(\.id) == [RecordID("Note", 1)])

        try await newer.store.write { transaction in
            var changes = ChangeSet()
            changes.update(RecordID("Note", 3), ["content": #"{"id":3,"text":"c","title":"t"}"#])
            try transaction.apply(changes)
        }
        let third = try #require(await updates.next())
        #expect(third.diff == Diff([.add(Newer.Note(id: 3, text: "c", title: "t"))]))
        #expect(third.unreadable.isEmpty)
    }
}
