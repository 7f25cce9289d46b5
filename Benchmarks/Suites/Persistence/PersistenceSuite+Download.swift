import BenchmarkSupport
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence

extension PersistenceSuite {
    /// Stores a first download, authors each with three posts, one record after the other in one transaction.
    static func downloaders(count: Int, _ origin: ChangeSet.Origin) -> [Contestant] {
        let records = EmptyStore.records(count: count)
        var store = EmptyStore()
        var raw: RawDownload?
        return [
            Contestant(
                "raw inserts", .bound,
                prepare: {
                    store = EmptyStore()
                    store.close()
                    raw = RawDownload(path: store.path)
                }
            ) { raw?.store(records) },
            Contestant(
                "SQLiteAdapter", .ours,
                prepare: {
                    raw = nil
                    store = EmptyStore()
                }
            ) { store.store(records, origin) },
        ]
    }
}

/// A store without records, in a file of its own.
private final class EmptyStore {
    static let schema = unfailing {
        try Schema {
            Entity("Author") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false)
                Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
            }
            Entity("Post") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("payload", .string, isOptional: false)
                Attribute("revision", .integer, isOptional: false)
                Relationship("author", to: "Author", inverse: "posts", isOptional: false)
            }
        }
    }

    let path: String
    private let folder: URL
    private let adapter: SQLiteAdapter

    init() {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("diffsync-\(UUID().uuidString)")
        let path = folder.appendingPathComponent("posts.sqlite").path
        self.path = path
        let folder = folder
        adapter = unfailing {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try blocking { try await SQLiteAdapter.open(at: path, schema: EmptyStore.schema) }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func close() {
        let adapter = adapter
        unfailing { try blocking { await adapter.close() } }
    }

    /// Authors, each before its posts, with keys in no order.
    static func records(count: Int) -> [Record] {
        let (author, post) = (schema["Author"]!, schema["Post"]!)
        var generator = SeededGenerator(seed: UInt64(count))
        var key = Value.null
        return (0..<count).map { number in
            let text = TextRecord.random(using: &generator)
            if number % 4 == 0 {
                key = .string(text.id)
                return Record(author, slots: [key, .string(text.payload)])
            }
            return Record(post, slots: [.string(text.id), .string(text.payload), .integer(Int64(number)), key])
        }
    }

    @inline(never)
    func store(_ records: [Record], _ origin: ChangeSet.Origin) {
        let adapter = adapter
        unfailing {
            try blocking {
                _ = try await adapter.write { transaction in
                    for record in records { try transaction.put(record, origin: origin) }
                }
            }
        }
    }
}
