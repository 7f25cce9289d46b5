import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct MigrationTests {
    @Test(arguments: 0..<20)
    func migrationKeepsRecordsUnderNewNamesAndFillsInDefaults(seed: Int) async throws {
        let seed = SeededGenerator.testSeed(UInt64(seed))
        let folder = TemporaryFolder()
        var random = RandomSchema(seed: seed)
        let old = try random.schema
        let before = try await SQLiteAdapter.open(at: folder.file(), schema: old)
        var records = RandomRecords(of: old, seed: seed)
        let stored = records.records(20)
        var changes = ChangeSet()
        for record in stored { changes.put(record) }
        try await before.commit(changes)
        let kept = try await before.read { transaction in
            try old.shapes.flatMap { shape in
                try transaction.records(Query(shape.name)).filter { $0.entity == shape.name }
            }
        }
        await before.close()

        random.evolve()
        let new = try random.schema
        let conversion = try SchemaChanges(from: old, to: new)
        let after = try await SQLiteAdapter.open(at: folder.file(), schema: new)
        try await after.read { transaction in
            for record in kept {
                let expected = conversion.converted(record)
                #expect(try transaction.record(expected.id) == expected, "seed \(seed)")
            }
            let changed = try new.shapes.compactMap { try transaction.localDiff(of: $0.name) }
            #expect(changed.isEmpty == kept.isEmpty, "the journal is as it was")
        }
        await after.close()
    }

    @Test func renamedEntityKeepsItsCountedKeysAndCycles() async throws {
        let folder = TemporaryFolder()
        let old = try Schema {
            Entity("Note") { Attribute("text", .string) }
        }
        let before = try await SQLiteAdapter.open(at: folder.file(), schema: old)
        for text in ["milk", "bread"] {
            var changes = ChangeSet()
            changes.put(Record(old["Note"]!, ["text": .string(text)]))
            try await before.commit(changes)
        }
        let notes = try await before.recordCollection(of: "Note")
        await #expect(throws: Unreachable.self) {
            try await notes.synchronize(with: Deaf(), pushID: "push 1", policy: .localWins)
        }
        await before.close()

        let new = try Schema {
            Entity("Memo", renamedFrom: "Note") {
                Attribute("isDone", .bool)
                Attribute("words", .string, renamedFrom: "text")
            }
        }
        let after = try await SQLiteAdapter.open(at: folder.file(), schema: new)
        let memos = try await after.recordCollection(of: "Memo")
        let push = try #require(try await memos.pendingPush)
        #expect(push.id == "push 1")
        #expect(push.changes.add.map { $0["words"] } == ["milk", "bread"])
        #expect(push.changes.add.map(\.entity) == ["Memo", "Memo"])
        var changes = ChangeSet()
        changes.put(Record(new["Memo"]!, ["words": "butter"]))
        try await after.commit(changes)
        #expect(try await after.read { try $0.keys(of: "Memo") } == [1, 2, 3])
        #expect(try await after.read { try $0.metadata("cycle.Note.turn") } == nil)
        await after.close()
    }

    @Test func openStoreAdoptsAnotherConnectionsMigrationOrReportsIt() async throws {
        let folder = TemporaryFolder()
        let note = Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) }
        let older = try await SQLiteAdapter.open(at: folder.file(), schema: Schema([note]))
        func put(_ entity: String, _ id: Value, in store: SQLiteAdapter) async throws {
            var changes = ChangeSet()
            changes.put(Record(store.schema[entity]!, ["id": id]))
            try await store.commit(changes)
        }
        try await put("Note", 1, in: older)
        let newer = try await SQLiteAdapter.open(
            at: folder.file(),
            schema: Schema([
                note, Entity("Memo", parent: "Note") { Attribute("text", .string) },
                Entity("Tag") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("note", to: "Note")
                },
            ]))
        try await put("Memo", 2, in: newer)
        var tag = ChangeSet()
        tag.put(Record(newer.schema["Tag"]!, ["id": 1, "note": 1]))
        try await newer.commit(tag)
        try await put("Note", 3, in: older)
        #expect(older.schema == newer.schema)
        for store in [older, newer] {
            #expect(try await store.read { try $0.records(Query("Note")).map(\.entity) } == ["Note", "Memo", "Note"])
        }
        var deletion = ChangeSet()
        deletion.delete(RecordID("Note", 1))
        try await older.commit(deletion)
        #expect(try await newer.read { try $0.record(RecordID("Tag", 1)) }?["note"] == .null)

        let newest = try await SQLiteAdapter.open(
            at: folder.file(),
            schema: Schema(
                newer.schema.entities.filter { $0.name != "Tag" } + [
                    Entity("Tag") {
                        Attribute("id", .integer, isPrimaryKey: true)
                        Attribute("name", .string)
                        Relationship("note", to: "Note")
                    }
                ]))
        let error = await #expect(throws: PersistenceError.self) { try await put("Note", 4, in: older) }
        #expect(error?.code == .schemaChange)
        #expect(error?.message.contains("'Tag'") == true)
        #expect(try await newest.read { try $0.keys(of: "Note") } == [2, 3])
        for store in [older, newer, newest] { await store.close() }
    }

    @Test func exchangeOptionsOfPropertiesCanChange() async throws {
        let folder = TemporaryFolder()
        let plain = Attribute("text", .string)
        let other = Attribute("text", .string, remoteKey: "body", isExportable: false, transformer: "Trim")
        for (number, attribute) in [plain, other, other, plain].enumerated() {
            let schema = try Schema([
                Entity("Note", attributes: [Attribute("id", .integer, isPrimaryKey: true), attribute])
            ]
            )
            let store = try await SQLiteAdapter.open(at: folder.file(), schema: schema)
            #expect(store.schema == schema)
            var changes = ChangeSet()
            changes.put(Record(store.schema["Note"]!, ["id": .integer(Int64(number)), "text": "milk"]))
            try await store.commit(changes)
            #expect(try await store.read { try $0.count(Query("Note")) } == number + 1)
            await store.close()
        }
    }

    @Test(arguments: [false, true])
    func indexThatTheSchemaLacksDoesNotPreventAMigration(isDropped: Bool) async throws {
        let folder = TemporaryFolder()
        func books(_ attributes: Attribute...) throws -> Schema { try Schema([entity("Book", attributes)]) }
        let before = try await SQLiteAdapter.open(
            at: folder.file(), schema: books(Attribute("shelf", .string)))
        try await before.put("Book", ["id": 1, "shelf": "A"])
        await before.close()
        let other = try OtherProgram(folder.file())
        try other.run("CREATE INDEX \"sync.index.Book.slot.shelf\" ON Book (shelf)")
        let after = try await SQLiteAdapter.open(
            at: folder.file(), schema: isDropped ? books() : books(Attribute("shelf", .string, isIndexed: true)),
            migration: [.drop("Book", "shelf")])
        let indexes = try other.texts("SELECT name FROM sqlite_master WHERE name = 'sync.index.Book.slot.shelf'")
        #expect(indexes.count == (isDropped ? 0 : 1))
        #expect(try await after.keys("Book") == [1])
        await after.close()
    }

    @Test(arguments: Medium.allCases, [false, true])
    func nameInOtherUnicodeScalarsIsRefused(medium: Medium, hasMore: Bool) async throws {
        func schema(_ name: String, _ attributes: [Attribute]) throws -> Schema {
            try Schema([entity("Menu"), entity(name, parent: "Menu", attributes)])
        }
        let old = try await MigratedStore(medium, schema("Caf\u{E9}", [Attribute("r\u{E9}gion", .string)]))
        try await old.store.put("Caf\u{E9}", ["id": 1])
        let more = hasMore ? [Attribute("city", .string)] : []
        let error = try await old.refusal(schema("Cafe\u{301}", [Attribute("re\u{301}gion", .string)] + more))
        let lines = [
            "the store has names in other Unicode scalars:",
            #"  Caf\#u{E9}: it is "Caf\u{00E9}" in the store, and "Cafe\u{0301}" in the schema: "#
                + "spell it as the store does",
            #"  Caf\#u{E9}.r\#u{E9}gion: it is "r\u{00E9}gion" in the store, and "re\u{0301}gion" in the schema: "#
                + "spell it as the store does",
        ]
        #expect(error?.code == .schemaChange)
        #expect(error?.message == lines.joined(separator: "\n"))
        let again = try await old.reopened(schema("Caf\u{E9}", [Attribute("r\u{E9}gion", .string)] + more))
        #expect(try await again.keys("Caf\u{E9}") == [1])
        let added = await #expect(throws: PersistenceError.self) {
            try await again.add([entity("Cafe\u{301}", parent: "Menu", [Attribute("r\u{E9}gion", .string)] + more)])
        }
        #expect(added?.message == lines[0] + "\n" + lines[1])
        await again.close()
    }

    @Test func lossyMigrationIsRefusedByNameAndChangesNothing() async throws {
        let folder = TemporaryFolder()
        func schema(_ attributes: [Attribute]) throws -> Schema {
            try Schema([Entity("Note", attributes: [Attribute("id", .integer, isPrimaryKey: true)] + attributes)])
        }
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: schema([Attribute("text", .string)]))
        var changes = ChangeSet()
        changes.put(Record(store.schema["Note"]!, ["id": 1, "text": "milk"]))
        try await store.commit(changes)
        await store.close()
        let bytes = folder.contents()
        for attributes in [[], [Attribute("text", .integer)], [Attribute("other", .string)]] {
            let error = await #expect(throws: PersistenceError.self) {
                _ = try await SQLiteAdapter.open(at: folder.file(), schema: schema(attributes))
            }
            #expect(error?.code == .schemaChange)
            #expect(error?.message.contains("Note.text") == true)
            #expect(folder.contents() == bytes)
        }
    }
}
