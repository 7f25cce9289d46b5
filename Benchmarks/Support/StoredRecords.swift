import DifferentialSyncTesting
package import SQLitePersistence
package import SyncPersistence

/// A store of records of about 100 bytes with text keys, in a file of its own.
package final class StoredRecords {
    package static let schema = unfailing {
        try Schema {
            Entity("Item") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("payload", .string, isOptional: false)
                Attribute("title", .string, isOptional: false)
                Attribute("revision", .integer, isOptional: false)
            }
        }
    }

    private let file = StoreFile(schema: StoredRecords.schema)

    /// The records as they are stored.
    package private(set) var records: [Record]

    /// How often the records were edited.
    private var revision: Int64 = 0

    package init(count: Int) {
        let shape = StoredRecords.schema["Item"]!
        var generator = SeededGenerator(seed: UInt64(count))
        records = (0..<count).map { _ in StoredRecords.random(shape, using: &generator) }
        var changes = ChangeSet(origin: .remote)
        for record in records { changes.put(record) }
        file.adapter.commitNow(changes)
    }

    package var adapter: SQLiteAdapter { file.adapter }

    /// The path of a folder that is removed with the store.
    package var folder: String { file.folder.path }

    /// The file of the database.
    package var path: String { file.path }

    private static func random(_ shape: Shape, using generator: inout SeededGenerator) -> Record {
        let text = TextRecord.random(using: &generator)
        return Record(
            shape, slots: [.string(text.id), .string(text.payload), .string(String(text.payload.prefix(16))), 0])
    }

    /// All records, of which the first of every `step` has another revision.
    ///
    /// Their text shares no memory with what is there.
    package func edited(every step: Int = 1) -> [Record] {
        revision += 1
        records = records.enumerated().map { position, record in
            var record = record
            for name in ["id", "payload", "title"] {
                if case .string(let text) = record[name] {
                    record[name] = .string(String(decoding: Array(text.utf8), as: UTF8.self))
                }
            }
            if position % step == 0 { record["revision"] = .integer(revision) }
            return record
        }
        return records
    }
}
