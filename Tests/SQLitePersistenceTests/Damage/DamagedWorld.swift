import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport

/// A file with everything that a store keeps, to be damaged, and what an app does with it afterwards.
struct DamagedWorld {
    let folder = TemporaryFolder()

    static let schema: Schema = {
        do {
            return try Schema {
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string, isIndexed: true)
                    Attribute("isDone", .bool)
                    Attribute("weight", .double)
                    Attribute("price", .decimal)
                    Attribute("due", .date)
                    Attribute("token", .uuid)
                    Attribute("link", .url)
                    Attribute("data", .bytes)
                    Attribute("extra", .json)
                    Relationship("tags", toMany: "Tag", isOrdered: true, inverse: "notes")
                    Relationship("seat", to: "Seat", inverse: "notes")
                }
                Entity("Memo", parent: "Note") { Attribute("author", .string) }
                Entity("Tag") {
                    Attribute("name", .string, isPrimaryKey: true)
                    Relationship("notes", toMany: "Note", inverse: "tags")
                }
                Entity("Seat") {
                    Attribute("row", .integer, isPrimaryKey: true)
                    Attribute("letter", .string, isPrimaryKey: true)
                    Relationship("notes", toMany: "Note", inverse: "seat", deleteRule: .nullify)
                }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static func note(_ key: Int64, _ text: String, _ entity: String = "Note") -> Record {
        let link = URL(string: "https://example.com/\(key)")
        let token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(truncatingIfNeeded: key)))
        return Record(
            schema[entity]!,
            [
                "id": .integer(key), "text": .string(text), "isDone": .bool(key % 2 == 0), "weight": .double(0.5),
                "price": .decimal(Decimal(string: "2.49")!), "due": .date(Date(timeIntervalSinceReferenceDate: 7)),
                "token": .uuid(token), "link": .url(link!), "data": .bytes(Data([0xFF, 0])),
                "extra": ["shops": ["A"], "count": 2], "seat": [1, "A"],
            ])
    }

    /// Makes the file `whole.db`: records, links, journal entries of every kind, metadata.
    func make() async throws {
        let store = try await SQLiteAdapter.open(at: folder.file("whole.db"), schema: Self.schema)
        var agreed = ChangeSet(origin: .agreed)
        agreed.put(Record(Self.schema["Seat"]!, ["row": 1, "letter": "A"]))
        agreed.put(Record(Self.schema["Tag"]!, ["name": "food"]))
        for key in 1...40 as ClosedRange<Int64> {
            agreed.put(Self.note(key, "text of \(key)", key % 4 == 0 ? "Memo" : "Note"))
        }
        agreed.link(RecordID("Note", 1), "tags", to: "food")
        try await store.commit(agreed)
        var edit = ChangeSet()
        edit.update(RecordID("Note", 1), ["text": "oat milk"])
        edit.update(RecordID("Note", 2), ["text": "bread"])
        edit.delete(RecordID("Note", 3))
        edit.setMetadata("cursor", "7")
        try await store.commit(edit)
        // Met by a change of the remote.
        var remote = ChangeSet(origin: .remote)
        remote.put(Self.note(2, "rye bread"))
        try await store.commit(remote)
        await store.close()
    }

    /// Makes a copy of the whole file, and damages it by SQL that SQLite allows.
    func copy(to name: String, damagedBy sql: String? = nil) throws {
        folder.write(folder.contents(of: "whole.db")!, to: name)
        guard let sql else { return }
        try OtherProgram(folder.file(name)).run(
            "PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1; " + sql)
    }

    /// Does with a file what apps do, each step by itself, and returns the errors of the steps that failed.
    func use(_ name: String) async -> [any Error] {
        let store: SQLiteAdapter
        do {
            store = try await SQLiteAdapter.open(at: folder.file(name), schema: Self.schema)
        } catch {
            return [error]
        }
        var errors: [any Error] = []
        for step in Self.steps {
            do {
                try await step(store)
            } catch {
                errors.append(error)
            }
        }
        await store.close()
        return errors
    }

    private static let steps: [@Sendable (SQLiteAdapter) async throws -> Void] =
        ["Note", "Tag", "Seat"].flatMap { entity in
            [
                { store in _ = try await store.read { try $0.records(Query(entity)) } },
                { store in _ = try await store.read { try $0.localDiff(of: entity) } },
                { store in _ = try await store.read { try $0.keys(of: entity) } },
                { store in _ = try await store.read { try $0.diff(wins: [], loses: entity) } },
            ] as [@Sendable (SQLiteAdapter) async throws -> Void]
        } + [
            { store in _ = try await store.read { try $0.sequence } },
            { store in _ = try await store.read { try $0.history(after: 0, limit: 100) } },
            { store in _ = try await store.read { try $0.related(RecordID("Note", 1), "tags") } },
            { store in _ = try await store.read { try $0.relatedRecords(RecordID("Seat", [1, "A"]), "notes") } },
            { store in
                let query = Query("Note", where: Field("text").hasPrefix("text"), sort: [Query.SortKey("due")])
                _ = try await store.read { try $0.records(query) }
            },
            { store in
                var changes = ChangeSet()
                changes.put(note(1, "changed"))
                changes.put(note(1_000, "new"))
                changes.delete(RecordID("Note", 5))
                try await store.commit(changes)
            },
            { store in
                var changes = ChangeSet(origin: .remote)
                changes.put(note(2, "changed there", "Memo"))
                changes.put(note(4, "changed there", "Memo"))
                changes.delete(RecordID("Tag", "food"))
                changes.delete(RecordID("Seat", [1, "A"]))
                try await store.commit(changes)
            },
        ]
}
