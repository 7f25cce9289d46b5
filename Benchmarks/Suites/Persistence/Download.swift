import BenchmarkSupport
import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence

/// A first download: authors and posts.
enum Download {
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
    static func store(_ records: [Record], _ origin: ChangeSet.Origin, in file: StoreFile) {
        let adapter = file.adapter
        unfailing {
            try blocking {
                _ = try await adapter.write { transaction in
                    for record in records { try transaction.put(record, origin: origin) }
                }
            }
        }
    }
}
