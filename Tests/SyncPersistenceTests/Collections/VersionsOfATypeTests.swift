import DifferentialSync
import Foundation
import SyncPersistence
import Testing

private enum Newer {
    struct Note: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
        var starred: Bool?
        var due: Due?

        struct Due: Codable, Equatable, Sendable {
            var day: Int
            var hour: Int
        }
    }
}

private enum Older {
    struct Note: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
    }
}

/// A server that keeps JSON, whatever a version of the app knows of it.
private actor Server {
    private(set) var documents: [Int: ValueObject] = [:]
    private var commit: String?

    var version: RemoteVersion? { commit.map { RemoteVersion(epoch: "e", commit: $0) } }

    /// Changes documents if the server is in the expected state; nil takes one away.
    func push<Element>(
        _ name: String, on expected: RemoteVersion?, _ change: @Sendable (inout [Int: ValueObject]) throws -> Void
    ) rethrows -> PushAnswer<Element> {
        guard expected == version, let new = Optional(RemoteVersion(epoch: "e", commit: name)) else { return .refused }
        try change(&documents)
        commit = name
        return .accepted(new)
    }

    func pull<Note>(_: Note.Type) throws -> Pull<JSONDocument<Note>, Int> {
        guard let version else { return .nothing }
        return .everything(try documents.keys.sorted().map { try JSONDocument(members: documents[$0]!) }, version)
    }
}

/// A server as devices with documents of one version reach it.
private struct DocumentRemote<Note: Codable & Identifiable & Sendable>: RemoteCollection where Note.ID == Int {
    let server: Server

    var account: String { "account" }

    func status(of pushID: String) -> PushStatus<JSONDocument<Note>> { .unknown }

    func pull(since version: RemoteVersion?) async throws -> Pull<JSONDocument<Note>, Int> {
        try await server.pull(Note.self)
    }

    func push(_ push: Push<JSONDocument<Note>>) async throws -> PushAnswer<JSONDocument<Note>> {
        await server.push(push.id, on: push.expected) { documents in
            for document in push.changes.delete { documents[document.id] = nil }
            for document in push.changes.add + push.changes.replace { documents[document.id] = document.members }
        }
    }
}

/// A server as devices with elements of one version reach it, by messages of changed members.
private struct MemberRemote<Note: Codable & Identifiable & Equatable & Sendable>: RemoteCollection
where Note.ID == Int {
    let server: Server

    var account: String { "account" }

    func status(of pushID: String) -> PushStatus<Note> { .unknown }

    func pull(since version: RemoteVersion?) async throws -> Pull<Note, Int> {
        switch try await server.pull(Note.self) {
        case .nothing: .nothing
        case .everything(let all, let version, let unreadable):
            .everything(all.map(\.element), version, unreadable: unreadable)
        case .changes(let changed, let deleted, let version, let unreadable):
            .changes(changed: changed.map(\.element), deleted: deleted, version, unreadable: unreadable)
        }
    }

    func push(_ push: Push<Note>) async throws -> PushAnswer<Note> {
        let message = try JSONEncoder().encode(MemberChanges(push.changes))
        return try await server.push(push.id, on: push.expected) { documents in
            let changes = try JSONDecoder().decode(MemberChanges<Int>.self, from: message)
            for members in changes.inserted { documents[try JSONDocument<Note>(members: members).id] = members }
            for replacement in changes.changed { replacement.apply(to: &documents[replacement.id]!) }
            for id in changes.deleted { documents[id] = nil }
        }
    }
}

struct VersionsOfATypeTests {
    private let full = Newer.Note(id: 1, text: "milk", starred: true, due: Newer.Note.Due(day: 3, hour: 12))

    @Test func aDeviceWithAnOlderTypeLosesNothingByDocuments() async throws {
        let server = Server()
        let phone = try await emptyStore().collection(of: Newer.Note.self, entity: "Note")
        let tablet = try await emptyStore().collection(of: Older.Note.self, entity: "Note")
        let (newer, older) = (DocumentRemote<Newer.Note>(server: server), DocumentRemote<Older.Note>(server: server))
        try await phone.insert(full)
        try await phone.documents.synchronize(with: newer, pushID: "1", policy: .unexpected)
        try await tablet.documents.synchronize(with: older, pushID: "2", policy: .unexpected)
        try await tablet.edit(1) { $0.text = "oat milk" }
        try await tablet.documents.synchronize(with: older, pushID: "3", policy: .unexpected)
        var expected = full
        expected.text = "oat milk"
        #expect(try await server.documents[1] == JSONDocument(expected).members)

        // Edits of different members on both devices both stand, also of a member that one of them does not know.
        try await phone.edit(1) { $0.due?.hour = 18 }
        try await tablet.edit(1) { $0.text = "tea" }
        try await phone.documents.synchronize(with: newer, pushID: "4", policy: .mergingMembers(otherwise: .leaveOpen))
        try await tablet.documents.synchronize(
            with: older, pushID: "5", policy: .mergingMembers(otherwise: .leaveOpen))
        try await phone.documents.synchronize(with: newer, pushID: "6", policy: .unexpected)
        expected.due?.hour = 18
        expected.text = "tea"
        #expect(try await phone.elements() == [expected])
        #expect(try await tablet.documents.element(1)?.members == JSONDocument(expected).members)
    }

    @Test func aDeviceWithAnOlderTypeLosesNothingByChangedMembers() async throws {
        let server = Server()
        let phone = try await emptyStore().collection(of: Newer.Note.self, entity: "Note")
        let tablet = try await emptyStore().collection(of: Older.Note.self, entity: "Note")
        let (newer, older) = (MemberRemote<Newer.Note>(server: server), MemberRemote<Older.Note>(server: server))
        try await phone.insert(full)
        try await phone.synchronize(with: newer, pushID: "1", policy: .unexpected)
        try await tablet.synchronize(with: older, pushID: "2", policy: .unexpected)
        try await tablet.edit(1) { $0.text = "oat milk" }
        try await tablet.insert(Older.Note(id: 2, text: "bread"))
        try await tablet.synchronize(with: older, pushID: "3", policy: .unexpected)
        var expected = full
        expected.text = "oat milk"
        #expect(try await server.documents[1] == JSONDocument(expected).members)
        try await phone.remove(1)
        try await phone.synchronize(with: newer, pushID: "4", policy: .localWins)
        #expect(await server.documents.keys.sorted() == [2])
    }

    @Test func aDowngradeAndAnUpgradeOfAnAppLoseNothing() async throws {
        let store = try emptyStore()
        try await store.collection(of: Newer.Note.self, entity: "Note").insert(full)
        let older = try await store.collection(of: Older.Note.self, entity: "Note", formerly: "Newer.Note")
        try await older.edit(1) { $0.text = "a" }
        try await older.update(Older.Note(id: 1, text: "b"))
        try await older.upsert(Older.Note(id: 1, text: "c"))
        try await older.upsert(contentsOf: [Older.Note(id: 1, text: "d")])
        let newer = try await store.collection(of: Newer.Note.self, entity: "Note")
        var expected = full
        expected.text = "d"
        #expect(try await newer.elements() == [expected])
    }
}
