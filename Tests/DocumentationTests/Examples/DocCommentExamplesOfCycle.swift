import DifferentialSyncTesting
import Foundation
import Testing

/// The examples in the comments of `Sources/DifferentialSync/ShadowCycle` and `Sources/DifferentialSyncTesting`.
struct DocCommentExamplesOfCycle {
    @Test func overArrays() async throws {
        var shadow: [Note]? = [Note(id: 1, text: "milk")]
        var notes = [Note(id: 1, text: "oat milk")]
        let server = Server([Note(id: 1, text: "milk"), Note(id: 2, text: "tea")])
        let cycle = try synchronize(
            client: notes, shadow: shadow, remote: try await server.notes(), primaryKey: \.id,
            policy: .newest(by: \.modified))
        if let push = cycle.push { try await server.apply(push) }
        let accepted = try cycle.accepted(by: notes, shadow: shadow, primaryKey: \.id)
        (notes, shadow) = (accepted.client, accepted.shadow)
        #expect(notes == [Note(id: 1, text: "oat milk"), Note(id: 2, text: "tea")])
        #expect(shadow == notes)
        #expect(try await server.notes() == notes)
    }

    @Test func editsOfAJournaledCollection() throws {
        var notes = try JournaledCollection([Note(id: 7, text: "milk"), Note(id: 9, text: "")])
        let ids = Set(notes.keys)
        #expect(ids == [7, 9])
        if notes.contains(key: 7) { try notes.edit(7) { $0.text += "!" } }
        notes.removeAll { $0.text.isEmpty }
        #expect(notes.map(\.text) == ["milk!"])
        let imported = [Note(id: 7, text: "oat milk"), Note(id: 8, text: "tea")]
        let changes = try identifiedDiff(wins: imported, loses: Array(notes))
        try notes.apply(changes)
        #expect(Array(notes) == imported)
    }

    @Test func aStep() throws {
        func title(of step: SyncStep<Note>) -> String {
            switch step {
            case .confirm(let pushID): "confirm \(pushID)"
            case .pull(let since): since == nil ? "pull everything" : "pull changes"
            case .push(let push): "push \(push.changes.counts)"
            case .finished(let outcome): "finished: \(outcome.counts)"
            }
        }
        var notes = try JournaledCollection([Note(id: 7, text: "milk")])
        var cycle = SyncCycle<Note, Int>(pushID: "phone 1", policy: .localWins)
        #expect(title(of: try cycle.begin(&notes)) == "pull everything")
    }

    @Test func aJournaledCollection() throws {
        let downloaded = [Note(id: 7, text: "milk"), Note(id: 9, text: "eggs")]
        let values = try results {
            var notes = try JournaledCollection(downloaded, primaryKey: \.id)  // these elements are also the shadow
            try notes.update(Note(id: 7, text: "oat milk"))
            notes.remove(9)

            notes.localDiff  // ~ note 7, - note 9
            notes.shadow(for: 7)?.text  // "milk"
        }
        let changes = values[2] as? Diff<Note>
        #expect(changes?.replace == [Note(id: 7, text: "oat milk")])
        #expect(changes?.deletions == [downloaded[1]])
        #expect(values[3] as? String == "milk")
    }

    @Test func storing() throws {
        let notes = try JournaledCollection([Note(id: 7, text: "milk")])
        #expect(try restored(notes).stored == notes.stored)
    }

    private func restored(_ notes: JournaledCollection<Note, Int>) throws -> JournaledCollection<Note, Int> {
        let data = try JSONEncoder().encode(notes.stored)
        // … the app ends and starts again …
        let stored = try JSONDecoder().decode(StoredCollection<Note>.self, from: data)
        let notes = try JournaledCollection(restoring: stored)
        return notes
    }

    @Test func editing() throws {
        var notes = try JournaledCollection([Note(id: 7, text: "milk")])
        try notes.edit(7) { $0.text += "!" }
        #expect(notes[7]?.text == "milk!")
    }

    @Test func takingIn() async throws {
        let server = Server([Note(id: 1, text: "milk"), Note(id: 2, text: "tea")])
        var notes = try JournaledCollection([Note(id: 1, text: "milk")])
        try notes.update(Note(id: 1, text: "oat milk"))
        let pulled = Diff<Note>([.add(Note(id: 2, text: "tea"))])
        try notes.merge(remoteChanges: pulled, policy: .newest(by: \.modified))
        let mark = notes.shadowMark
        if let push = notes.outgoingDiff {
            try await server.apply(push)
            try notes.acceptShadow(pushed: push, at: mark)
        }
        #expect(try await server.notes() == Array(notes))
        #expect(notes.localDiff == nil)
    }

    @Test func seededNumbers() {
        let notes = (0..<10).map { Note(id: $0, text: "") }
        var generator = SeededGenerator(seed: 42)
        let sample = notes.shuffled(using: &generator)
        #expect(sample != notes)
        var other = SeededGenerator(seed: 42)
        #expect(notes.shuffled(using: &other) == sample)
    }

    @Test func whatACycleDid() throws {
        var remote = SimulatedRemote<Note, Int>(primaryKey: \.id)
        var phone = try JournaledCollection<Note, Int>(
            restoring: StoredCollection(client: [Note(id: 1, text: "milk")]))
        var tablet = try JournaledCollection<Note, Int>([])
        try remote.synchronize(&phone, pushID: "1", policy: .localWins)
        try remote.synchronize(&tablet, pushID: "2", policy: .localWins)
        try tablet.insert(Note(id: 2, text: "tea"))
        try remote.synchronize(&tablet, pushID: "3", policy: .localWins)
        try phone.edit(1) { $0.text = "oat milk" }
        let outcome = try remote.synchronize(&phone, pushID: "4", policy: .localWins)

        let line = "\(outcome.trace)"  // push refused, pull, push accepted · pulled 1 added; pushed 1 replaced
        let answers = outcome.trace.events.map(\.answer)  // refused, changes, accepted
        #expect(line == "push refused, pull, push accepted · pulled 1 added; pushed 1 replaced")
        #expect(answers == [.refused, .changes, .accepted])
    }

    @Test func aSimulatedRemote() throws {
        var phone = try JournaledCollection([Note(id: 1, text: "milk")])
        var tablet = try JournaledCollection<Note, Int>([])
        var remote = SimulatedRemote<Note, Int>(primaryKey: \.id)
        try remote.synchronize(&phone, pushID: "1", policy: .localWins)
        try remote.synchronize(&tablet, pushID: "2", policy: .localWins)
        #expect(Array(tablet) == Array(phone))
    }
}
