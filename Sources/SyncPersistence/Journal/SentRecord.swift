/// A record of a push that was sent and not answered.
///
/// A store keeps its key. What was sent is what is there, as long as the record is not changed; only then is the sent
/// image saved.
struct SentRecord {
    /// The entity of the collection that was pushed.
    let entity: String

    let key: Value

    /// What was sent, if the record has been changed since; nil if it is still what was sent.
    let image: Image?

    /// What was sent: a record, or nil for its deletion.
    struct Image {
        let record: Record?
    }

    static let shapeName = "sync.inFlight"
}

extension SentRecord {
    init(_ record: Record, schema: Schema) throws {
        guard case .string(let entity) = record["entity"], case .string(let key) = record["key"] else {
            throw PersistenceError(
                .unreadable, "a record in flight is not one: was the file changed by another program?")
        }
        self.entity = entity
        self.key = try Value(taggedJSON: key)
        image = if case .string(let text) = record["image"] { try Image(text, schema: schema) } else { nil }
    }

    /// The record that a store keeps of one that has not been changed.
    static func record(_ key: Value, of entity: String, in shape: Shape) -> Record {
        Record(shape, slots: [.string(entity), .string(Tombstone.text(of: key)), .null])
    }

    /// The primary key under which a store keeps it.
    static func key(_ key: Value, of entity: String) -> Value {
        [.string(entity), .string(Tombstone.text(of: key))]
    }
}

extension SentRecord.Image {
    private static let deletion = "null"

    init(_ text: String, schema: Schema) throws {
        record = text == Self.deletion ? nil : try Record(journalText: text, schema: schema)
    }

    var text: String { record?.journalText ?? Self.deletion }
}
