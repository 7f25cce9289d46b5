import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Files of each version of the format, from the first.
@Suite("Older files")
struct FormatTests {
    @Test("a file of each version of the format opens, and holds what was stored in it", arguments: [1])
    func opens(version: Int) async throws {
        let folder = TemporaryFolder()
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/format-\(version).sqlite")
        folder.write(try Data(contentsOf: fixture), to: "old.sqlite")
        let store = try await SQLiteAdapter.open(at: folder.file("old.sqlite"), schema: Self.schema)
        try await store.read { transaction in
            let note = try #require(try transaction.record(RecordID("Note", "milk")))
            #expect(note["text"] == "oat milk")
            #expect(note["price"] == .decimal(Decimal(string: "2.49")!))
            #expect(note["due"] == .date(Date(timeIntervalSinceReferenceDate: 0.25)))
            #expect(note["extra"] == ["shops": ["A", "B"], "count": 2])
            #expect(try transaction.related(RecordID("Note", "milk"), "tags") == ["food"])
            #expect(try transaction.shadow(RecordID("Note", "milk"))?["text"] == "milk")
            #expect(try transaction.journal(of: "Note").map(\.id.key) == ["milk"])
            #expect(try transaction.tombstones(since: 0)?.map(\.id) == [RecordID("Note", "bread")])
            #expect(try transaction.metadata("cursor") == "7")
            #expect(try transaction.sequence == 3)
        }
        await store.close()
    }

    /// How a fixture is made when the version changes: by the last commit that writes the older one.
    @Test("a fixture is what this writes", .enabled(if: ProcessInfo.processInfo.environment["DIFFSYNC_FIXTURE"] != nil))
    func write() async throws {
        let path = try #require(ProcessInfo.processInfo.environment["DIFFSYNC_FIXTURE"])
        let store = try await SQLiteAdapter.open(at: path, schema: Self.schema)
        let (note, tag) = (try #require(Self.schema["Note"]), try #require(Self.schema["Tag"]))
        var changes = ChangeSet(origin: .agreed)
        changes.put(
            Record(
                note,
                [
                    "id": "milk", "text": "milk", "price": .decimal(Decimal(string: "2.49")!),
                    "due": .date(Date(timeIntervalSinceReferenceDate: 0.25)),
                    "extra": ["shops": ["A", "B"], "count": 2],
                ]))
        changes.put(Record(note, ["id": "bread", "text": "bread"]))
        changes.put(Record(tag, ["name": "food"]))
        changes.link(RecordID("Note", "milk"), "tags", to: "food")
        try await store.commit(changes)
        var deletion = ChangeSet(origin: .remote)
        deletion.delete(RecordID("Note", "bread"))
        try await store.commit(deletion)
        var edit = ChangeSet()
        edit.update(RecordID("Note", "milk"), ["text": "oat milk"])
        edit.setMetadata("cursor", "7")
        try await store.commit(edit)
        await store.close()
    }

    static let schema: Schema = {
        do {
            return try Schema {
                Entity("Note") {
                    Attribute("id", .string, isPrimaryKey: true)
                    Attribute("text", .string, isOptional: false)
                    Attribute("price", .decimal)
                    Attribute("due", .date)
                    Attribute("extra", .json)
                    Relationship("tags", toMany: "Tag", inverse: "notes")
                }
                Entity("Tag") {
                    Attribute("name", .string, isPrimaryKey: true)
                    Relationship("notes", toMany: "Note", inverse: "tags")
                }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()
}
