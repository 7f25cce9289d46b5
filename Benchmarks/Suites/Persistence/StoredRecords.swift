import BenchmarkSupport
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence

/// A store of records of about 100 bytes with text keys, in a file of its own.
final class StoredRecords {
    static let schema = unfailing {
        try Schema {
            Entity("Item") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("payload", .string, isOptional: false)
                Attribute("title", .string, isOptional: false)
                Attribute("revision", .integer, isOptional: false)
            }
        }
    }

    let folder: URL
    let adapter: SQLiteAdapter
    let raw: RawItems

    /// The records as they are stored.
    private(set) var records: [Record]

    private var generator: SeededGenerator

    /// How many records a new key was made for; no two have the same.
    private var revision: Int64 = 0

    init(count: Int) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("diffsync-\(UUID().uuidString)")
        self.folder = folder
        let shape = StoredRecords.schema["Item"]!
        var generator = SeededGenerator(seed: UInt64(count))
        let records = (0..<count).map { _ in StoredRecords.random(shape, using: &generator) }
        self.records = records
        self.generator = generator
        let path = folder.appendingPathComponent("items.sqlite").path
        (adapter, raw) = unfailing {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let adapter = try blocking {
                let adapter = try await SQLiteAdapter.open(at: path, schema: StoredRecords.schema)
                var changes = ChangeSet(origin: .remote)
                for record in records { changes.put(record) }
                try await adapter.commit(changes)
                return adapter
            }
            return (adapter, RawItems(path: path))
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The file of the database.
    var path: String { folder.appendingPathComponent("items.sqlite").path }

    static func random(_ shape: Shape, using generator: inout SeededGenerator) -> Record {
        let text = TextRecord.random(using: &generator)
        return Record(
            shape, slots: [.string(text.id), .string(text.payload), .string(String(text.payload.prefix(16))), 0])
    }

    /// All records with another revision, of which the text shares no memory with what is there.
    func edited() -> [Record] {
        revision += 1
        records = records.map { record in
            var record = record
            for name in ["id", "payload", "title"] {
                if case .string(let text) = record[name] {
                    record[name] = .string(String(decoding: Array(text.utf8), as: UTF8.self))
                }
            }
            record["revision"] = .integer(revision)
            return record
        }
        return records
    }
}

/// Runs something asynchronous to its end.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let semaphore = DispatchSemaphore(value: 0)
    let box = ResultBox<Result>()
    Task.detached {
        do {
            box.result = .success(try await body())
        } catch {
            box.result = .failure(error)
        }
        semaphore.signal()
    }
    semaphore.wait()
    return try box.result!.get()
}

// because the semaphore orders the one write before the one read.
private final class ResultBox<Value>: @unchecked Sendable {
    var result: Swift.Result<Value, any Error>?
}
