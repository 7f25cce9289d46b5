import Foundation
import PersistenceAdapterTesting
import SQLitePersistence
import TestSupport
import Testing

/// The examples in the comments of `Store` and `InMemory` in `Sources/SyncPersistence`, of `Sources/SQLitePersistence`, and
/// of stores in `Sources/DifferentialSyncTesting`.
struct DocCommentExamplesOfStores {
    static func schemaOfPosts() throws -> Schema {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
            }
            Entity("Post") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string, isOptional: false, default: "")
                Relationship("author", to: "User", inverse: "posts")
            }
        }
        return schema
    }

    @Test func anSQLiteStoreInMemory() async throws {
        let schema = try Schema.ofNotes()
        let store = try await SQLiteAdapter.inMemory(schema: schema)
        #expect(store.path == nil)
        await store.close()
    }

    @Test func aFileThatMayBeLost() async throws {
        let file = TemporaryFile()
        let path = file.path
        let schema = try Schema.ofNotes()
        var options = SQLiteAdapter.Options()
        options.isDurable = false  // for a cache, which can be downloaded again
        let cache = try await SQLiteAdapter.open(at: path, schema: schema, options: options)
        #expect(cache.path == path)
        await cache.close()
    }

    @Test func aFileThatIsNoLongerNeeded() async throws {
        let file = TemporaryFile()
        let path = file.path
        let store = try await SQLiteAdapter.open(at: path, schema: Schema.ofNotes())
        await store.close()
        try await SQLiteAdapter.delete(at: path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aChangeSet() async throws {
        let schema = try Self.schemaOfPosts()
        let store = InMemoryAdapter(schema: schema)
        var posts = ChangeSet()
        for id in 1...2 { try posts.put(Record("Post", in: schema, ["id": .integer(Int64(id))])) }
        try await store.commit(posts)
        var changes = ChangeSet()
        try changes.put(Record("User", in: schema, ["id": 7, "name": "Ada"]))
        changes.update(RecordID("Post", 1), ["author": 7])
        changes.delete(RecordID("Post", 2))
        try await store.commit(changes)
        #expect(try await store.read { try $0.related(RecordID("User", 7), "posts") } == [1])
        #expect(try await store.read { try $0.keys(of: "Post") } == [1])
    }

    @Test func theChangesOfACommit() async throws {
        let schema = try Schema.ofNotes()
        var changes = ChangeSet()
        for id in 1...3 { try changes.put(Record("Note", in: schema, ["id": .integer(Int64(id)), "text": "milk"])) }
        let commit = try await InMemoryAdapter(schema: schema).commit(changes)
        var indexed: [Value?] = []
        func index(_ note: Record?) { indexed.append(note?.key) }
        for change in commit.changes where change.old == nil {
            index(change.new)
        }
        #expect(indexed == [1, 2, 3])
    }

    @Test func aSnapshot() async throws {
        let schema = try Schema.ofNotes()
        let store = InMemoryAdapter(schema: schema)
        let downloaded = try [Record("Note", in: schema, ["id": 1, "text": "milk"])]
        let diff = try await store.read { try $0.diff(wins: downloaded, loses: "Note") }
        #expect(diff?.add == downloaded)
    }

    @Test func aWrite() async throws {
        let schema = try Schema.ofNotes()
        let store = InMemoryAdapter(schema: schema)
        var puts = ChangeSet()
        try puts.put(Record("Note", in: schema, ["id": 1, "text": "milk"]))
        let changes = puts
        let values = try await awaitedResults {
            let written = try await store.write { transaction in
                try transaction.apply(changes)
                return try transaction.count(Query("Note"))
            }
            written.commit.inserted  // [Note 1]
            written.result  // 1
        }
        #expect(values.dropLast().last as? [RecordID] == [RecordID("Note", 1)])
        #expect(values.last as? Int == 1)
    }

    @Test func changedKeys() async throws {
        let schema = try Schema {
            Entity("User") { Attribute("id", .integer, isPrimaryKey: true) }
        }
        let store = InMemoryAdapter(schema: schema)
        var changes = ChangeSet()
        try changes.put(Record("User", in: schema, ["id": -1]))
        try await store.commit(changes)
        try await store.write { transaction in
            try transaction.changeKey(of: RecordID("User", -1), to: 7, origin: .remote)
        }
        #expect(try await store.read { try $0.keys(of: "User") } == [7])
    }

    @Test func transactions() async throws {
        let schema = try Schema.ofToDos()
        let store = InMemoryAdapter(schema: schema)
        var todos = ChangeSet()
        try todos.put(Record("ToDo", in: schema, ["id": 1, "isDone": true]))
        try todos.put(Record("ToDo", in: schema, ["id": 2]))
        try await store.commit(todos)
        try await store.write { transaction in
            var changes = ChangeSet()
            for todo in try transaction.records(Query("ToDo", where: Field("isDone") == true)) {
                changes.delete(todo.id)
            }
            try transaction.apply(changes)
        }
        let open = try await store.read { transaction in
            try transaction.records(Query("ToDo", where: Field("isDone") == false, sort: [Query.SortKey("due")]))
        }
        #expect(open.map(\.key) == [2])
        #expect(try await store.read { try $0.count(Query("ToDo")) } == 1)
    }

    @Test func aStore() async throws {
        let schema = try Schema.ofNotes()
        let values = try await awaitedResults {
            let store = InMemoryAdapter(schema: schema)
            var changes = ChangeSet()
            try changes.put(Record("Note", in: schema, ["id": 1, "text": "milk"]))
            let commit = try await store.commit(changes)
            commit.inserted  // [Note 1]
        }
        #expect(values.last as? [RecordID] == [RecordID("Note", 1)])
    }

    @Test func aStoreInMemory() async throws {
        let schema = try Schema.ofNotes()
        let store = InMemoryAdapter(schema: schema)
        try await store.write { transaction in
            var changes = ChangeSet()
            try changes.put(Record("Note", in: transaction.schema, ["id": 1, "text": "milk"]))
            try transaction.apply(changes)
        }
        let notes = try await store.read { try $0.records(Query("Note")) }
        #expect(notes.map { $0["text"] } == ["milk"])
    }

    @Test func aStoreInAFile() async throws {
        let file = TemporaryFile()
        let (path, schema) = (file.path, try Schema.ofNotes())
        var changes = ChangeSet()
        try changes.put(Record("Note", in: schema, ["id": 1, "text": "milk"]))
        do {
            let store = try await SQLiteAdapter.open(at: path, schema: schema)
            try await store.commit(changes)
            await store.close()
        }
        let store = try await SQLiteAdapter.open(at: path, schema: schema)
        #expect(try await store.read { try $0.count(Query("Note")) } == 1)
        await store.close()
    }

    @Test func anExistingFile() async throws {
        let folder = TemporaryFolder()
        let path = folder.file()
        await (try SQLiteAdapter.open(at: path, schema: .ofNotes())).close()
        do {
            var options = SQLiteAdapter.Options()
            options.isReadOnly = true
            let store = try await SQLiteAdapter.open(existing: path, options: options)
            #expect(store.schema == (try Schema.ofNotes()))
            await store.close()
        }
    }

    @Test func oneTopicOfTheContract() async throws {
        try await checkPersistenceAdapter(where: { $0.hasPrefix("reading.") }) { schema in
            InMemoryAdapter(schema: schema)
        }
        let names = PersistenceContract.checks.filter { !$0.hasPrefix("hostile.") }
        #expect(names.count + 4 == PersistenceContract.checks.count)
    }

    @Test func theResultOfEachCheck() async throws {
        var lines: [String] = []
        func print(_ result: String, _ name: String) { lines.append("\(result) \(name)") }
        let report = await PersistenceContract.report(where: { $0.hasPrefix("keys.") }) { schema in
            InMemoryAdapter(schema: schema)
        }
        for name in report.checks {
            print(report.failedChecks.contains(name) ? "failed" : "passed", name)
        }
        #expect(lines.count == 6)
        #expect(lines.allSatisfy { $0.hasPrefix("passed ") })
    }

    @Test func contract() async throws {
        try await checkPersistenceAdapter { schema in InMemoryAdapter(schema: schema) }
    }

    /// Two commits that each store a note.
    private func twoCommits(_ schema: Schema) throws -> (first: ChangeSet, second: ChangeSet) {
        var (first, second) = (ChangeSet(), ChangeSet())
        try first.put(Record("Note", in: schema, ["id": 1]))
        try second.put(Record("Note", in: schema, ["id": 2]))
        return (first, second)
    }

    @Test func aStoreThatFails() async throws {
        let schema = try Schema.ofNotes()
        let (first, second) = try twoCommits(schema)
        await #expect(throws: SimulatedFailure.self) {
            let store = FailingAdapter(InMemoryAdapter(schema: schema), at: .beforeCommit(2))
            try await store.commit(first)
            try await store.commit(second)  // throws SimulatedFailure, and nothing of it is stored
            try await store.commit(second)
        }
    }

    @Test func aStoreThatFailsEverywhere() async throws {
        let schema = try Schema.ofNotes()
        let (first, second) = try twoCommits(schema)
        let count = try await withoutResult {
            try await forEveryFailure(of: { InMemoryAdapter(schema: schema) }) { store in
                try await store.commit(first)
                try await store.commit(second)
            } afterwards: { store, failure in
                // Check what must hold after every failure.
            }
        }
        #expect(count > 4)
    }

    private func withoutResult(_ body: () async throws -> Int) async throws -> Int { try await body() }

    @Test func aDump() async throws {
        let store = InMemoryAdapter(schema: try Schema.ofNotes())
        var refused = ChangeSet()
        refused.update(RecordID("Note", 1), ["text": "milk"])
        let before = try await StoreDump(of: store)
        _ = try? await store.commit(refused)
        #expect(try await StoreDump(of: store) == before)
    }
}
