/// A record of a push that was sent and has no response yet.
///
/// A store keeps its key. While the record is unchanged, the stored record is what was sent. The sent image is only
/// saved when the record changes.
struct SentRecord {
    /// The entity of the collection that was pushed.
    let entity: String

    /// The key of the record.
    let key: Value

    /// The sent image if the record has changed since; nil if it is unchanged.
    let image: Image?

    /// The sent content: a record, or nil for its deletion.
    struct Image {
        /// The sent record; nil for its deletion.
        let record: Record?
    }
}

extension SentRecord {
    /// Reads a row of the records in flight.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/unreadable`` for another row.
    init(_ record: Record, schema: Schema) throws {
        guard case .string(let entity) = record["entity"], case .string(let key) = record["key"] else {
            throw PersistenceError(
                .unreadable, "a record in flight is not one: was the file changed by another program?")
        }
        self.entity = entity
        self.key = try Value(taggedJSON: key)
        image = if case .string(let text) = record["image"] { try Image(text, schema: schema) } else { nil }
    }

    /// Returns the record that a store keeps for a sent record that has not changed.
    static func record(_ key: Value, of entity: String, in shape: Shape) -> Record {
        Record(shape, slots: [.string(entity), .string(key.keyText), .null])
    }

    /// Returns the primary key under which a store keeps the record.
    static func key(_ key: Value, of entity: String) -> Value {
        [.string(entity), .string(key.keyText)]
    }
}

extension SentRecord.Image {
    /// The text for a record whose deletion was sent.
    private static let deletion = "null"

    /// Creates an image from its text.
    init(_ text: String, schema: Schema) throws {
        record = text == Self.deletion ? nil : try Record(journalText: text, schema: schema)
    }

    /// The image as a store keeps it.
    var text: String { record?.journalText ?? Self.deletion }
}
