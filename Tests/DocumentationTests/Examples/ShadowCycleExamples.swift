import DifferentialSyncTesting
import Foundation
import Testing

struct ShadowCycleExamples {
    @Test func overArrays() async throws {
        var shadow: [Note]? = [Note(id: 1, text: "milk")]
        var notes = [Note(id: 1, text: "milk"), Note(id: 2, text: "tea")]
        let server = Server([Note(id: 1, text: "oat milk")])
        let cycle = try synchronize(
            client: notes, shadow: shadow, remote: try await server.notes(), policy: .newest(by: \.modified))
        if let push = cycle.push { try await server.apply(push) }
        let accepted = try cycle.accepted(by: notes, shadow: shadow)
        (notes, shadow) = (accepted.client, accepted.shadow)
        #expect(notes == [Note(id: 1, text: "oat milk"), Note(id: 2, text: "tea")])
        #expect(shadow == notes)
        #expect(try await server.notes() == notes)
    }

    @Test func overAJournal() async throws {
        let downloaded = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs"), Note(id: 3, text: "tea")]
        let server = Server([Note(id: 1, text: "milk"), Note(id: 2, text: "eggs"), Note(id: 3, text: "green tea")])
        let pulled = Diff([Change.replace(old: downloaded[2], new: Note(id: 3, text: "green tea"))])
        var notes = try JournaledCollection(downloaded)  // these elements are also the shadow
        try notes.update(Note(id: 1, text: "oat milk"))
        notes.remove(2)

        try notes.merge(remoteChanges: pulled, policy: .newest(by: \.modified))
        let mark = notes.shadowMark
        if let push = notes.outgoingDiff {
            try await server.apply(push)
            try notes.acceptShadow(pushed: push, at: mark)
        }
        #expect(Array(notes) == [Note(id: 1, text: "oat milk"), Note(id: 3, text: "green tea")])
        #expect(notes.shadow == Array(notes))
        #expect(try await server.notes() == Array(notes))
    }

    /// What was stored, oldest first.
    private final class Log {
        var stored: [JournaledCollection<Note, Int>] = []
    }

    private let log = Log()

    private func store(_ notes: JournaledCollection<Note, Int>) async throws { log.stored.append(notes) }

    func sync(_ notes: inout JournaledCollection<Note, Int>, with server: Server, pushID: String) async throws {
        var cycle = SyncCycle<Note, Int>(pushID: pushID, policy: .newest(by: \.modified))
        var step = try cycle.begin(&notes)
        while true {
            do {
                switch step {
                case .confirm(let pushID):
                    step = try cycle.confirmed(try await server.status(of: pushID), &notes)
                case .pull(let version):
                    step = try cycle.pulled(try await server.pull(since: version), &notes)
                case .push(let push):
                    try await store(notes)
                    step = try cycle.pushed(try await server.push(push), &notes)
                case .finished:
                    try await store(notes)
                    return
                }
            } catch is ConnectionError {
                step = try cycle.failed()
            }
        }
    }

    @Test func overANetwork() async throws {
        let server = Server([Note(id: 1, text: "milk")])
        var notes = try JournaledCollection([Note(id: 2, text: "tea")])
        try await sync(&notes, with: server, pushID: "a")
        #expect(try await server.notes() == [Note(id: 1, text: "milk"), Note(id: 2, text: "tea")])
        #expect(Array(notes).count == 2)
        #expect(notes.pendingPush == nil)
        #expect(log.stored.map { $0.pendingPush?.id } == ["a", nil], "the push is stored before it is sent")

        try notes.update(Note(id: 1, text: "oat milk"))
        await server.lose([.answerLost])
        try await sync(&notes, with: server, pushID: "b")
        #expect(notes.pendingPush?.id == "b")
        #expect(notes.localDiff != nil)
        try await sync(&notes, with: server, pushID: "c")
        #expect(notes.pendingPush == nil)
        #expect(notes.localDiff == nil)
        #expect(notes.version == (await server.version))

        try notes.insert(Note(id: 3, text: "eggs"))
        await server.lose([.requestLost])
        try await sync(&notes, with: server, pushID: "d")
        try await sync(&notes, with: server, pushID: "e")
        #expect(try await server.notes() == notes.sorted { $0.id < $1.id })
    }

    @Test func storing() throws {
        var notes = try JournaledCollection(
            [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")], version: RemoteVersion(epoch: "e", commit: "c"))
        try notes.update(Note(id: 1, text: "oat milk"))
        try notes.merge(
            remoteChanges: Diff([.replace(old: Note(id: 1, text: "milk"), new: Note(id: 1, text: "no milk"))]),
            policy: .leaveOpen)
        let again = try restored(notes)
        #expect(again.stored == notes.stored)
        #expect(again.conflicts.count == 1)
    }

    @Test func resolving() async throws {
        var notes = try JournaledCollection([Note(id: 1, text: "milk")])
        try notes.update(Note(id: 1, text: "oat milk"))
        try notes.merge(
            remoteChanges: Diff([.replace(old: Note(id: 1, text: "milk"), new: Note(id: 1, text: "no milk"))]),
            policy: .leaveOpen)
        func choice(of conflict: Conflict<Note>) async -> Resolution<Note> { .local }
        for conflict in notes.conflicts {
            guard let id = (conflict.local ?? conflict.remote)?.id else { continue }
            try notes.resolve(id, with: await choice(of: conflict), of: conflict)
        }
        #expect(notes.conflicts.isEmpty)
        #expect(notes.outgoingDiff?.replace == [Note(id: 1, text: "oat milk")])
    }

    @Test func limiting() {
        let limit = PushLimit<Note>(count: 500, weight: 1_000_000) { $0.text.utf8.count }
        #expect(limit.count == 500)
    }

    private func restored(_ notes: JournaledCollection<Note, Int>) throws -> JournaledCollection<Note, Int> {
        let data = try JSONEncoder().encode(notes.stored)
        // … the app ends and starts again …
        let stored = try JSONDecoder().decode(StoredCollection<Note>.self, from: data)
        let notes = try JournaledCollection(restoring: stored)
        return notes
    }
}
