import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// Records that come one by one into a store where there are none.
struct FirstImportTests {
    private let schema = try! Schema {
        Entity("Author") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("name", .string)
            Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
        }
        Entity("Editor", parent: "Author") { Attribute("level", .integer) }
        Entity("Post") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("author", to: "Author", inverse: "posts")
            Relationship("editor", to: "Editor")
        }
        Entity("Tag") { Attribute("name", .string) }
    }

    private func author(_ id: Int64, _ name: Value = .null) -> Record {
        Record(schema["Author"]!, ["id": .integer(id), "name": name])
    }

    private func editor(_ id: Int64) -> Record { Record(schema["Editor"]!, ["id": .integer(id)]) }

    private func post(_ id: Int64, author: Value = .null, editor: Value = .null) -> Record {
        Record(schema["Post"]!, ["id": .integer(id), "author": author, "editor": editor])
    }

    @Test(arguments: [ChangeSet.Origin.remote, .agreed])
    func storageIsNotAsked(origin: ChangeSet.Origin) async throws {
        let log = Locked<[String]>([])
        let store = ForwardingAdapter(InMemoryAdapter(schema: schema)) { LoggingStorage($0, log) }
        try await store.write { transaction in
            for id in 0..<10 as Range<Int64> {
                try transaction.put(author(id), origin: origin)
                #expect(try transaction.record(RecordID("Author", .integer(id + 1))) == nil)
                try transaction.put(post(id, author: .integer(id)), origin: origin)
                #expect(try transaction.record(RecordID("Post", .integer(id))) == post(id, author: .integer(id)))
            }
        }
        #expect(
            log.current.filter { !$0.contains("sync.") } == (0..<10).flatMap { _ in ["insert Author", "insert Post"] })
    }

    @Test func againAndAgain() async throws {
        let store = InMemoryAdapter(schema: schema)
        let commit = try await store.write { transaction in
            for name in ["a", "b"] as [Value] {
                try transaction.put(author(1, name), origin: .remote)
                #expect(try transaction.record(RecordID("Author", 1))?["name"] == name)
                try transaction.put(author(1, name), origin: .remote)
                try transaction.delete(RecordID("Author", 1), origin: .remote)
                #expect(try transaction.record(RecordID("Author", 1)) == nil)
            }
            try transaction.put(author(1, "c"), origin: .remote)
            try transaction.put(author(2), origin: .remote)
            try transaction.delete(RecordID("Author", 2), origin: .remote)
        }.commit
        #expect(commit.changes.map(\.new) == [author(1, "c")])
        #expect(commit.unchangedCount == 2)
        #expect(try await store.read { try $0.records(Query("Author")) } == [author(1, "c")])
        #expect(try await store.read { try $0.count(Query("sync.history")) } == 0)
    }

    @Test func entities() async throws {
        let store = InMemoryAdapter(schema: schema)
        try await store.write { transaction in
            try transaction.put(editor(1), origin: .local)
            #expect(try transaction.record(RecordID("Author", 1)) == editor(1))
            try transaction.put(author(1), origin: .local)
            #expect(try transaction.record(RecordID("Author", 1)) == author(1))
            #expect(try transaction.record(RecordID("Editor", 1)) == nil)
            var changes = ChangeSet()
            changes.add(.setShadow(JournalEntry(id: RecordID("Editor", 1), base: editor(1))))
            try transaction.apply(changes)
            #expect(try transaction.record(RecordID("Author", 1)) == author(1))
        }
        #expect(
            try await store.read { try $0.localDiff(of: "Author") }?.changes == [
                .replace(old: editor(1), new: author(1))
            ])
    }

    @Test func consequences() async throws {
        let store = InMemoryAdapter(schema: schema)
        try await store.write { transaction in
            try transaction.put(author(1), origin: .remote)
            try transaction.put(post(1, author: 1), origin: .remote)
            try transaction.put(editor(2), origin: .remote)
            try transaction.put(post(2, author: 2, editor: 2), origin: .remote)
            try transaction.put(post(3, editor: 2), origin: .remote)
            try transaction.delete(RecordID("Author", 1), origin: .remote)
            #expect(try transaction.record(RecordID("Post", 1)) == nil)
            try transaction.delete(RecordID("Author", 2), origin: .remote)
            #expect(try transaction.record(RecordID("Post", 3)) == post(3))
        }
        #expect(try await store.read { try $0.records(Query("Post")) } == [post(3)])
    }

    /// A record that was named while it was there, and that was deleted later in the transaction, is found missing.
    @Test(arguments: [false, true])
    func namedRecordsThatGo(isNamedAgain: Bool) async throws {
        let store = InMemoryAdapter(schema: schema)
        let commit = try await store.write { transaction in
            try transaction.put(editor(1), origin: .remote)
            try transaction.put(post(1, editor: 1), origin: .remote)
            if isNamedAgain {
                try transaction.delete(RecordID("Editor", 1), origin: .remote)
                try transaction.put(post(2, editor: 1), origin: .remote)
            } else {
                try transaction.put(author(1), origin: .remote)
            }
        }.commit
        let waiting = RecordID("Post", isNamedAgain ? 2 : 1)
        #expect(commit.heldBack == [waiting])
        #expect(try await store.read { try $0.record(waiting) } == nil)
    }

    @Test func countedKeys() async throws {
        let store = InMemoryAdapter(schema: schema)
        let tag = Record(schema["Tag"]!, ["name": "a"])
        let keys = try await store.write { transaction in
            var keys: [Value] = []
            for _ in 0..<3 {
                let new = try transaction.adoptingKey(tag)
                keys.append(new.key)
                try transaction.put(new, origin: .local)
            }
            return keys
        }.result
        #expect(keys == [1, 2, 3])
        let next = try await store.write { try $0.adoptingKey(tag).key }.result
        #expect(next == 4)
        #expect(try await store.read { try $0.keys(of: "Tag") } == keys)
    }

    @Test func failures() async throws {
        let store = InMemoryAdapter(schema: schema)
        await #expect(throws: PersistenceError.self) {
            try await store.write { transaction in
                try transaction.put(author(1), origin: .remote)
                #expect(throws: PersistenceError.self) {
                    try transaction.put(Record(schema["Author"]!, ["name": "no key"]), origin: .remote)
                }
            }
        }
        #expect(try await store.read { try $0.count(Query("Author")) } == 0)
    }
}

/// A storage that lists its calls as lines.
private final class LoggingStorage: ForwardingStorage {
    private let log: Locked<[String]>

    init(_ base: any RecordStorage, _ log: Locked<[String]>) {
        self.log = log
        super.init(base)
    }

    private func add(_ line: String) { log.withLock { $0.append(line) } }

    override func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        add("record \(hierarchy.name)")
        return try super.record(key, in: hierarchy)
    }

    override func put(_ record: Record) throws -> Record? {
        add("put \(record.entity)")
        return try super.put(record)
    }

    override func insert(_ record: Record) throws {
        add("insert \(record.entity)")
        try super.insert(record)
    }

    override func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        add("forEach \(query.entity)")
        try super.forEach(query, body)
    }
}
