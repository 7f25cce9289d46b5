#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The trace of a deleted record.
public struct Tombstone: Hashable, Sendable {
    /// The identity of the deleted record.
    public let id: RecordID

    /// The number of the commit that deleted it.
    public let sequence: Int64
}

extension Tombstone {
    init(_ record: Record) throws {
        guard case .string(let entity) = record["entity"], case .string(let key) = record["key"],
            case .integer(let sequence) = record["sequence"]
        else {
            throw PersistenceError(
                .unreadable, "the tombstone is not one: \(PersistenceError.damageRemedy)", id: record.id)
        }
        do {
            id = RecordID(entity, try Value(taggedJSON: key))
        } catch {
            throw PersistenceError(
                .unreadable, "\(error): \(PersistenceError.damageRemedy)", id: record.id, property: "key")
        }
        self.sequence = sequence
    }

    /// Returns the record that a store keeps for the tombstone.
    func record(in schema: Schema) -> Record? {
        schema["sync.tombstones"].map {
            Record(
                $0, slots: [.string(id.entity), .string(Tombstone.text(of: id.key)), .integer(sequence)])
        }
    }

    /// Returns the text of a key.
    ///
    /// Equal keys have the same text, even if the signs of their zeros differ.
    static func text(of key: Value) -> String { key.withoutNegativeZero.taggedJSON }
}

extension Value {
    fileprivate var withoutNegativeZero: Value {
        switch self {
        case .double(let number) where number == 0: .double(0)
        case .date(let date) where date.timeIntervalSinceReferenceDate == 0:
            .date(Date(timeIntervalSinceReferenceDate: 0))
        case .array(let elements): .array(elements.map(\.withoutNegativeZero))
        default: self
        }
    }
}
