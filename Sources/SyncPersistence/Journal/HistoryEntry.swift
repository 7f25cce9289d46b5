/// The last change of a record in a store that keeps a history.
///
/// An entry whose record does not exist is a tombstone: it states that the record was deleted.
public struct HistoryEntry: Hashable, Sendable {
    /// The record, under the name of the root of its hierarchy.
    public let id: RecordID

    /// The number of the change, which is greater than those of all earlier changes.
    public let sequence: Int64

    /// Who has made the change, if a service has stored it for a device; nil for other changes.
    public let writer: String?

    /// Creates an entry.
    init(id: RecordID, sequence: Int64, writer: String?) {
        self.id = id
        self.sequence = sequence
        self.writer = writer
    }
}

extension HistoryEntry {
    /// Reads a row of the history.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/unreadable`` for another row.
    init(_ row: Record) throws {
        let values = row.values
        guard values.count == 4, case .string(let entity) = values[0], case .string(let key) = values[1],
            case .integer(let sequence) = values[2]
        else {
            throw PersistenceError(
                .unreadable, "the row of the history is not one: \(PersistenceError.damageRemedy)", id: row.id)
        }
        do {
            id = RecordID(entity, try Value(taggedJSON: key))
        } catch {
            throw PersistenceError(
                .unreadable, "\(error): \(PersistenceError.damageRemedy)", id: row.id, property: "key")
        }
        self.sequence = sequence
        writer = if case .string(let writer) = values[3] { writer } else { nil }
    }

    /// Returns the row that a store keeps for the entry.
    func row(in shape: Shape) -> Record {
        let (rowKey, writer) = (HistoryEntry.rowKey(of: id), writer.map(Value.string) ?? .null)
        return Record(shape, slots: rowKey + [.integer(sequence), writer])
    }

    /// Returns the parts of the primary key under which a store keeps the row of a record.
    ///
    /// - Parameter id: The record, under the name of the root of its hierarchy.
    static func rowKey(of id: RecordID) -> [Value] { [.string(id.entity), .string(id.key.keyText)] }
}
