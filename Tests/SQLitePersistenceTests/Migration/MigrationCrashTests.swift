import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct MigrationCrashTests {
    private static let count: Int64 = 400

    private static func schemas() throws -> (old: Schema, new: Schema) {
        let tag = entity("Tag", [], [Relationship("note", to: "Note")])
        let note = entity("Note", [Attribute("age", .string, isIndexed: true), Attribute("text", .string)])
        let newer = entity(
            "Note", [Attribute("age", .integer, isIndexed: true), Attribute("stars", .integer, isIndexed: true)])
        return (try Schema([note, tag]), try Schema([newer]))
    }

    private static let steps: [MigrationStep] = [
        .convert("Note", "age", using: number), .drop("Note", "text"), .dropEntity("Tag"),
    ]

    @Sendable private static func number(_ value: Value) -> Value {
        if case .string(let text) = value { return .integer(Int64(text) ?? 0) }
        return value
    }

    private func oldFile() async throws -> (folder: TemporaryFolder, dump: StoreDump) {
        let folder = TemporaryFolder()
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: Self.schemas().old)
        var changes = ChangeSet(origin: .agreed)
        let (note, tag) = (try #require(store.schema["Note"]), try #require(store.schema["Tag"]))
        for id in 0..<Self.count {
            let text = Value.string(String(repeating: "x", count: 200))
            changes.put(Record(note, ["id": .integer(id), "age": .string("\(id)"), "text": text]))
            changes.put(Record(tag, ["id": .integer(id), "note": .integer(id)]))
        }
        try await store.commit(changes)
        try await store.edit("Note", 7, ["age": "70"])
        let dump = try await StoreDump(of: store)
        await store.close()
        return (folder, dump)
    }

    /// The files as a program that is killed at this moment leaves them.
    @Sendable private static func copy(_ folder: TemporaryFolder, to other: TemporaryFolder) {
        for name in ["notes.db", "notes.db-wal"] {
            if let contents = folder.contents(of: name) { other.write(contents, to: name) }
        }
    }

    @Test func leavesTheFileAsItWasOrAsItIsToBe() async throws {
        let (folder, before) = try await oldFile()
        let crashed = [0, 1, 100, 399].map { ($0, TemporaryFolder()) }
        let counter = Locked(0)
        var options = SQLiteAdapter.Options()
        options.cacheSize = 16
        let (old, new) = try Self.schemas()
        var steps = Self.steps
        steps[0] = .convert("Note", "age") { value in
            let number = counter.next() - 1
            for (moment, other) in crashed where moment == number { Self.copy(folder, to: other) }
            return Self.number(value)
        }
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: new, migration: steps, options: options)
        let after = try await StoreDump(of: store)
        let whole = TemporaryFolder()
        Self.copy(folder, to: whole)
        await store.close()
        for (moment, other) in crashed {
            #expect(try other.names.contains("notes.db-wal"), "\(moment)")
            let survivor = try await SQLiteAdapter.open(at: other.file(), schema: old)
            #expect(try await StoreDump(of: survivor).differences(from: before) == [], "\(moment)")
            await survivor.close()
            let again = try await SQLiteAdapter.open(at: other.file(), schema: new, migration: Self.steps)
            #expect(try await StoreDump(of: again).differences(from: after) == [], "\(moment)")
            await again.close()
        }
        let survivor = try await SQLiteAdapter.open(at: whole.file(), schema: new)
        #expect(try await StoreDump(of: survivor).differences(from: after) == [])
        await survivor.close()
    }

    @Test func leavesTheFileAsItWasWhereverAConversionFails() async throws {
        struct Stop: Error {}
        let (folder, before) = try await oldFile()
        let bytes = folder.contents()
        let (old, new) = try Self.schemas()
        for moment in [0, 1, 200, 400, 402] {
            let counter = Locked(0)
            var steps = Self.steps
            steps[0] = .convert("Note", "age") { value in
                if counter.next() - 1 == moment { throw Stop() }
                return Self.number(value)
            }
            await #expect(throws: PersistenceError.self, "\(moment)") {
                _ = try await SQLiteAdapter.open(at: folder.file(), schema: new, migration: steps)
            }
            #expect(folder.contents() == bytes, "\(moment)")
        }
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: old)
        #expect(try await StoreDump(of: store).differences(from: before) == [])
        await store.close()
    }

    @Test func isToldToWhoHasTheFileOpenWithTheOlderSchema() async throws {
        let (folder, _) = try await oldFile()
        let (old, new) = try Self.schemas()
        let older = try await SQLiteAdapter.open(at: folder.file(), schema: old)
        let newer = try await SQLiteAdapter.open(at: folder.file(), schema: new, migration: Self.steps)
        let error = await #expect(throws: PersistenceError.self) { try await older.keys("Note") }
        #expect(error?.code == .schemaChange)
        #expect(try await newer.value("Note", 7, "age") == 70)
        await older.close()
        await newer.close()
    }
}
