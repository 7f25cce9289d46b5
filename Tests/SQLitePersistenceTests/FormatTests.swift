import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Files of each version of the format, from the first.
struct FormatTests {
    @Test(arguments: [1, 2, 3])
    func fileOfEachFormatVersionOpensWithItsContent(version: Int) async throws {
        let folder = TemporaryFolder()
        let store = try await openFixture(version, in: folder)
        try await store.read { transaction in
            let note = try #require(try transaction.record(RecordID("Note", "milk")))
            #expect(note["text"] == "oat milk")
            #expect(note["price"] == .decimal(Decimal(string: "2.49")!))
            #expect(note["due"] == .date(Date(timeIntervalSinceReferenceDate: 0.25)))
            #expect(note["extra"] == ["shops": ["A", "B"], "count": 2])
            #expect(try transaction.related(RecordID("Note", "milk"), "tags") == ["food"])
            #expect(try transaction.shadow(RecordID("Note", "milk"))?["text"] == "milk")
            #expect(try transaction.journal(of: "Note").map(\.id.key) == ["milk"])
            #expect(try transaction.metadata("cursor") == "7")
            #expect(try transaction.sequence == [3, 7, 8][version - 1])
        }
        var deletion = ChangeSet()
        deletion.delete(RecordID("Note", "milk"))
        try await store.commit(deletion)
        #expect(try await store.read { try $0.record(RecordID("Note", "milk")) } == nil)
        await store.close()
    }

    @Test func readOnlyOpeningOfAnEarlierFormatSaysSo() async throws {
        let folder = TemporaryFolder()
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/format-3.sqlite")
        folder.write(try Data(contentsOf: fixture), to: "old.sqlite")
        var options = SQLiteAdapter.Options()
        options.isReadOnly = true
        let path = folder.file("old.sqlite")
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await SQLiteAdapter.open(existing: path, options: options)
        }
        #expect(error?.code == .readOnly)
        #expect(
            error?.message == """
                the file has an earlier format, and is opened for reading only: open it once with 'isReadOnly' false, which \
                updates it
                """)
    }

    /// Tombstones without the numbers of all other changes are not a history.
    @Test(arguments: [1, 2, 3])
    func fileOfAnOlderFormatVersionLosesItsTombstonesAndCanKeepAHistory(version: Int) async throws {
        let folder = TemporaryFolder()
        for isReopened in [false, true] {
            let store =
                try await isReopened
                ? SQLiteAdapter.open(at: folder.file("old.sqlite"), schema: Self.schema)
                : openFixture(version, in: folder)
            let (keepsHistory, count, names) = try await store.read { transaction in
                let names = try transaction.records(Query("sync.metadata")).map(\.key)
                return (try transaction.keepsHistory, try transaction.fingerprint()?.count, names)
            }
            #expect(keepsHistory == isReopened)
            #expect(count == (isReopened ? (version == 1 ? 4 : 5) : nil))
            #expect(Set(names).isDisjoint(with: ["sync.keepsTombstones", "sync.tombstoneHorizon"]))
            #expect(store.schema["sync.tombstones"] == nil)
            var changes = ChangeSet()
            changes.keepHistory(true)
            changes.put(Record(try #require(Self.schema["Tag"]), ["name": .string("new \(isReopened)")]))
            try await store.commit(changes)
            let last = try await store.read { try $0.lastChange(of: RecordID("Tag", .string("new \(isReopened)"))) }
            #expect(try await store.read { try $0.historySequence } == last?.sequence)
            await store.close()
        }
    }

    @Test(arguments: [false, true])
    func editsOfAVersionTwoPushInDoubtAreSynchronized(wasTaken: Bool) async throws {
        let folder = TemporaryFolder()
        let store = try await openFixture(2, in: folder)
        let (tags, shape) = (try await store.recordCollection(of: "Tag"), try #require(Self.schema["Tag"]))
        #expect(try await tags.pendingPush == nil)
        #expect(try await store.read { try $0.metadata("cycle.Tag.pendingPush") } == nil)
        // The remote as it was when the file was written.
        let remote = SimulatedRemoteServer<Record, Value>(primaryKey: \.key)
        func tag(_ name: String) -> Record { Record(shape, ["name": .string(name)]) }
        let other = try await InMemoryAdapter(schema: Self.schema).recordCollection(of: "Tag")
        for (pushID, names) in [("push 1", ["food"]), ("push 2", wasTaken ? ["drink"] : []), ("push 3", ["tools"])] {
            for name in names { try await other.insert(tag(name)) }
            try await other.synchronize(with: remote, pushID: pushID, policy: .localWins)
        }
        #expect(await remote.remote.version?.commit == "push 3")
        try await tags.synchronize(with: remote, pushID: "push 4", policy: .leaveOpen)
        let names = Set(["food", "drink", "tools"].map(tag))
        #expect(Set(try await tags.elements()) == names)
        #expect(Set(await remote.remote.elements) == names)
        #expect(try await tags.localDiff == nil)
        #expect(try await tags.conflicts.isEmpty)
        await store.close()
    }

    private func openFixture(_ version: Int, in folder: TemporaryFolder) async throws -> SQLiteAdapter {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/format-\(version).sqlite")
        folder.write(try Data(contentsOf: fixture), to: "old.sqlite")
        return try await SQLiteAdapter.open(at: folder.file("old.sqlite"), schema: Self.schema)
    }

    /// How a fixture is made when the version changes: by the last commit that writes the older one.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["DIFFSYNC_FIXTURE"] != nil))
    func currentFormatWritesTheFixture() async throws {
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
        let tags = try await store.recordCollection(of: "Tag")
        let remote = SimulatedRemoteServer<Record, Value>(primaryKey: \.key)
        try await tags.synchronize(with: remote, pushID: "push 1", policy: .localWins)
        try await tags.insert(Record(tag, ["name": "drink"]))
        await #expect(throws: LostMessage.self) {
            let faulty = FaultyRemote(remote) { _ in .answerLost }
            try await tags.synchronize(with: faulty, pushID: "push 2", policy: .localWins)
        }
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
