import DifferentialSync
import DifferentialSyncTesting
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

struct UnreadableElementTests {
    private let problem =
        "Note 1: no Note can be read from it: there is no 'title'. It stays as it is; read it by the type that it was "
        + "stored with, or replace it by 'upsert', or remove it"

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

    @Test func editsThatNeedTheElementAreRefused() async throws {
        let (older, newer) = try await collections()
        let new = Newer.Note(id: 1, text: "other", title: "b")
        for write in [
            { try await newer.update(new) }, { try await newer.edit(1) { $0.title = "" } },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: PersistenceError.self) { try await write() }
            #expect(error?.code == .unreadable)
        }
        #expect(try await older.elements().map(\.text) == ["old", "new"])
    }

    @Test func itCanBeReplacedAndRemoved() async throws {
        let (older, newer) = try await collections()
        let new = Newer.Note(id: 1, text: "other", title: "b")
        #expect(try await newer.upsert(new) == nil)
        #expect(try await newer.element(1) == new)
        for _ in 0..<2 {
            try await older.store.write { transaction in
                var changes = ChangeSet()
                changes.update(RecordID("Note", 1), ["content": #"{"id":1,"text":"old","color":"red"}"#])
                try transaction.apply(changes)
            }
            try await newer.upsert(contentsOf: [Newer.Note(id: 3, text: "", title: ""), new])
            #expect(try await newer.element(1) == new)
            let content = try await older.store.read { try $0.record(RecordID("Note", 1))?["content"] }
            #expect(content == #"{"color":"red","id":1,"text":"other","title":"b"}"#, "other members are kept")
        }
        try await older.update(Older.Note(id: 1, text: "old again"))
        try await older.insert(Older.Note(id: 4, text: "old"))
        #expect(try await newer.remove(4) == nil)
        #expect(try await newer.count == 3)
    }

    @Test func changesOfTheOthersAreReadAndItIsReportedByItsKey() async throws {
        let (older, newer) = try await collections()
        let new = Newer.Note(id: 2, text: "new", title: "a")
        #expect(try await newer.localDiff == Diff([.add(new)]))
        #expect(try await newer.outgoingDiff == Diff([.add(new)]))
        #expect(try await newer.unreadableChanges.map(\.id) == [RecordID("Note", 1)])
        #expect(try await newer.snapshot().client == [new])
        #expect(try await older.unreadableChanges.isEmpty)
        #expect(try await older.localDiff?.add.count == 2)
    }

    @Test(arguments: [true, false])
    func whatReplacesItMeetsTheRemoteBeforeItIsPushed(isRemoved: Bool) async throws {
        let (older, newer) = try await collections()
        var olderRemote = SimulatedRemote<Older.Note, Int>(primaryKey: \.id)
        olderRemote.reset(to: [Older.Note(id: 1, text: "old")])
        try await newer.remove(2)
        try await older.synchronize(with: SimulatedRemoteServer(olderRemote), policy: .localWins)
        let new = Newer.Note(id: 1, text: "other", title: "b")
        if isRemoved { try await newer.remove(1) } else { try await newer.upsert(new) }
        #expect(try await newer.unreadableChanges.map(\.id) == [RecordID("Note", 1)], "its base cannot be read")
        #expect(try await newer.localDiff == nil)

        // Another device has changed it meanwhile.
        var remote = SimulatedRemote<Newer.Note, Int>(primaryKey: \.id)
        let theirs = Newer.Note(id: 1, text: "theirs", title: "c")
        remote.reset(to: [theirs])
        let server = SimulatedRemoteServer(remote)
        try await newer.synchronize(with: server, policy: .leaveOpen)
        let conflict = try #require(try await newer.conflicts.first)
        #expect(conflict.remote == theirs && conflict.local == (isRemoved ? nil : new))
        try await newer.resolve(1, with: .local, of: conflict)
        try await newer.synchronize(with: server, policy: .unexpected)
        #expect(await server.remote.elements == (isRemoved ? [] : [new]))
        #expect(try await newer.unreadableChanges.isEmpty)
    }

    @Test(.timeLimit(.minutes(5))) func observersLearnOfItAndGoOn() async throws {
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
