import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

@Suite("A file that is opened with another schema")
struct MigrationTests {
    @Test("keeps each record under its new names, with defaults for what is new", arguments: 0..<20)
    func evolution(seed: Int) async throws {
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

    @Test("knows the keys it has counted, and the cycles, of an entity that is renamed")
    func names() async throws {
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

    @Test("may be told otherwise how its properties are exchanged with a remote")
    func exchange() async throws {
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

    @Test("is refused by name where something would be lost, and is as it was")
    func refusal() async throws {
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

/// A remote that answers everything but a push.
private struct Deaf: RemoteCollection {
    func status(of pushID: String) -> PushStatus { .notApplied }
    func pull(since version: RemoteVersion?) -> Pull<Record, Value> {
        .everything([], RemoteVersion(epoch: "1", commit: "0"))
    }
    func push(_ push: Push<Record>) throws -> PushAnswer { throw Unreachable() }
}

private struct Unreachable: Error {}
