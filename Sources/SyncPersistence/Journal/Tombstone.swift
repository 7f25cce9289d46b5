/// That a record was deleted.
public struct Tombstone: Hashable, Sendable {
    /// The record.
    public let id: RecordID

    /// The number of the commit that deleted it.
    public let sequence: Int64
}

extension Tombstone {
    init(_ record: Record) throws {
        guard case .string(let entity) = record["entity"], case .string(let key) = record["key"],
            case .integer(let sequence) = record["sequence"]
        else {
            throw PersistenceError(.unreadable, "a tombstone is not one: was the file changed by another program?")
        }
        id = RecordID(entity, try Value(taggedJSON: key))
        self.sequence = sequence
    }

    /// The record that a store keeps of it.
    func record(in schema: Schema) -> Record? {
        schema["sync.tombstones"].map {
            Record(
                $0, slots: [.string(id.entity), .string(id.key.taggedJSON), .integer(sequence)])
        }
    }
}
