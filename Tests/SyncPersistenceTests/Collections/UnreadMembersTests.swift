import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SyncPersistence
import Testing

/// A type that reads a part of what is stored.
private struct Title: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var title: String
}

/// A type with a set, whose order is not that of the stored attribute.
private struct Tagged: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var tags: Set<String>
}

/// A type that does not read its place among the tasks of a list.
private struct Task: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var title: String
    var list: Int?
}

/// Undoing an edit of an element leaves alone what its type does not read.
struct UnreadMembersTests {
    /// A store with records that the remote has.
    private func store(_ schema: Schema, _ records: [Record]) async throws -> InMemoryAdapter {
        let store = InMemoryAdapter(schema: schema)
        var changes = ChangeSet(origin: .remote)
        for record in records { changes.put(record) }
        try await store.commit(changes)
        return store
    }

    /// The records with local changes.
    private func edits(of entity: String, in store: InMemoryAdapter) async throws -> [RecordID] {
        try await store.read { try $0.journal(of: entity).map(\.id) }
    }

    @Test(.timeLimit(.minutes(5))) func observersReceiveNoChangeOfMembersThatTheTypeDoesNotRead() async throws {
        let store = InMemoryAdapter(schema: try Schema([]))
        let titles = try await store.collection(of: Title.self, entity: "Title")
        try await titles.insert(Title(id: 1, title: "a"))
        var updates = titles.changes().makeAsyncIterator()
        var members = try #require(try await titles.documents.element(1)).members
        members["note"] = "unread"
        try await titles.documents.update(JSONDocument(members: members))
        try await titles.edit(1) { $0.title = "b" }
        let update = try #require(await updates.next())
        #expect(update.diff == Diff([.replace(old: Title(id: 1, title: "a"), new: Title(id: 1, title: "b"))]))
    }

    @Test(arguments: [true, false])
    func undoneEditsKeepEditsOfAttributesThatTheTypeDoesNotName(isSingle: Bool) async throws {
        let schema = try Schema {
            Entity("Title") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("note", .string)
            }
        }
        let record = try Record("Title", in: schema, ["id": 1, "title": "a", "note": "first"])
        let store = try await store(schema, [record])
        let titles = try await store.collection(of: Title.self, entity: "Title")
        var edited = ChangeSet()
        edited.update(record.id, ["title": "b", "note": "second"])
        try await store.commit(edited)
        if isSingle {
            try await titles.edit(1) { $0.title = "a" }
        } else {
            try await titles.upsert(contentsOf: [Title(id: 1, title: "a")])
        }
        let stored = try #require(try await store.read { try $0.record(record.id) })
        #expect(stored["title"] == "a")
        #expect(stored["note"] == "second")
        var undone = ChangeSet()
        undone.update(record.id, ["note": "first"])
        try await store.commit(undone)
        #expect(try await edits(of: "Title", in: store).isEmpty)
    }

    @Test(arguments: [true, false])
    func undoneEditsOfSetsKeepEditsOfOtherAttributes(isSingle: Bool) async throws {
        let schema = try Schema {
            Entity("Tagged") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("tags", .json)
                Attribute("note", .string)
            }
        }
        let names = (0..<40).map { "tag \($0)" }
        let record = try Record(
            "Tagged", in: schema, ["id": 1, "tags": .array(names.map { .string($0) }), "note": "first"])
        let store = try await store(schema, [record])
        let collection = try await store.collection(of: Tagged.self, entity: "Tagged")
        var edited = ChangeSet()
        edited.update(record.id, ["tags": [], "note": "second"])
        try await store.commit(edited)
        if isSingle {
            try await collection.edit(1) { $0.tags = Set(names) }
        } else {
            try await collection.upsert(contentsOf: [Tagged(id: 1, tags: Set(names))])
        }
        let stored = try #require(try await store.read { try $0.record(record.id) })
        #expect(stored["tags"] == record["tags"])
        #expect(stored["note"] == "second")
        var undone = ChangeSet()
        undone.update(record.id, ["note": "first"])
        try await store.commit(undone)
        #expect(try await edits(of: "Tagged", in: store).isEmpty)
    }

    @Test(arguments: [true, false]) func undoneEditsKeepTheNewOrderOfTheirList(isSingle: Bool) async throws {
        let schema = try Schema {
            Entity("List") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", isOrdered: true, inverse: "list")
            }
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Relationship("list", to: "List", inverse: "tasks")
            }
        }
        let list = RecordID("List", 1)
        let lists = try [1, 2].map { try Record("List", in: schema, ["id": $0]) }
        let records = try [1, 2].map { try Record("Task", in: schema, ["id": $0, "title": "a"]) }
        let store = try await store(schema, lists + records)
        func keys() async throws -> [Value] { try await store.read { try $0.related(list, "tasks") } }
        func setOrder(_ keys: [Value], origin: ChangeSet.Origin) async throws {
            var changes = ChangeSet(origin: origin)
            changes.setLinks(list, "tasks", to: keys)
            try await store.commit(changes)
        }
        try await setOrder([1, 2], origin: .agreed)
        let tasks = try await store.collection(of: Task.self, entity: "Task")
        try await setOrder([2, 1], origin: .local)
        try await tasks.edit(1) { $0.title = "b" }
        func undo() async throws {
            if isSingle {
                try await tasks.upsert(Task(id: 1, title: "a", list: 1))
            } else {
                try await tasks.upsert(contentsOf: [Task(id: 1, title: "a", list: 1)])
            }
        }
        try await undo()
        #expect(try await keys() == [2, 1])
        try await setOrder([1, 2], origin: .local)
        #expect(try await edits(of: "Task", in: store).isEmpty)
        try await tasks.edit(1) { $0.list = 2 }
        try await undo()
        #expect(try await keys() == [1, 2])
        #expect(try await edits(of: "Task", in: store).isEmpty)
    }

    @Test func undoneEditsKeepEditsOfMembersThatTheTypeDoesNotRead() async throws {
        func document(_ title: String, _ marks: [Int]) throws -> JSONDocument<Title> {
            let text = #"{"id":1,"title":"\#(title)","marks":\#(marks)}"#
            return try JSONDecoder().decode(JSONDocument<Title>.self, from: Data(text.utf8))
        }
        let titles = try await emptyStore().collection(of: Title.self, entity: "Title")
        try await titles.documents.insert(document("a", [1, 2]))
        let remote = SimulatedRemoteServer(SimulatedRemote<JSONDocument<Title>, Int>(primaryKey: \.id))
        try await titles.documents.synchronize(with: remote, policy: .localWins)
        #expect(try await titles.localDiff == nil)
        for isSingle in [true, false] {
            try await titles.documents.upsert(document("b", [2, 1]))
            if isSingle {
                try await titles.edit(1) { $0.title = "a" }
            } else {
                try await titles.upsert(contentsOf: [Title(id: 1, title: "a")])
            }
            #expect(try await titles.documents.element(1) == document("a", [2, 1]))
            try await titles.documents.upsert(document("a", [1, 2]))
            #expect(try await titles.localDiff == nil)
        }
    }
}
