/// An entry of a store's journal, for one record that has changed since the shadow.
///
/// The shadow is the last state that the store had in common with the remote.
public struct JournalEntry: Hashable, Sendable {
    /// The record's entity and key.
    public let id: RecordID

    /// The record in the shadow, or nil if the shadow does not contain it.
    public let base: Record?

    /// Whether the remote is known to differ from the shadow.
    ///
    /// Either a conflict is unresolved, or a remote change has coincided with a local one.
    public let isUnresolved: Bool

    /// The record that the remote is known to have, if ``isUnresolved``; nil if the remote has none with the key.
    public let remote: Record?

    /// The record that the remote is known to have; nil if it has none with the key.
    package var known: Record? { isUnresolved ? remote : base }

    /// Creates an entry.
    package init(id: RecordID, base: Record?, isUnresolved: Bool = false, remote: Record? = nil) {
        self.id = id
        self.base = base
        self.isUnresolved = isUnresolved
        self.remote = isUnresolved ? remote : nil
    }
}

extension JournalEntry {
    /// Creates the entry from a record of the journal.
    init(_ record: Record, schema: Schema) throws {
        // The slots of an entry follow those of the old image.
        guard case .journal(let entity)? = record.shape.role, let shape = schema[entity],
            record.values.count == shape.slots.count + 3,
            case .bool(let isInShadow) = record.values[shape.slots.count],
            case .bool(let isUnresolved) = record.values[shape.slots.count + 1]
        else {
            throw PersistenceError(
                .unreadable, "the journal entry is not one: \(PersistenceError.damageRemedy)",
                id: RecordID(record.entity, record.key))
        }
        var remote: Record?
        if case .string(let text) = record.values[shape.slots.count + 2] {
            do {
                remote = try Record(journalText: text, schema: schema)
            } catch {
                throw PersistenceError(
                    .unreadable, "\(error): \(PersistenceError.damageRemedy)", id: RecordID(record.entity, record.key),
                    property: "sync.remote")
            }
        }
        self.init(
            id: RecordID(entity, record.key),
            base: isInShadow ? Record(shape, slots: Array(record.values.prefix(shape.slots.count))) : nil,
            isUnresolved: isUnresolved, remote: remote)
    }

    /// Returns the record of the journal for this entry; nil if the schema has no journal for its entity.
    func record(in schema: Schema) -> Record? {
        guard let shape = schema[base?.entity ?? id.entity], let journal = schema.journal(of: shape) else { return nil }
        return JournalEntry.record(
            in: journal, of: shape, key: id.key, base: base, isUnresolved: isUnresolved, remote: remote)
    }

    /// Returns the record of a journal for a change to a record of the shape.
    package static func record(
        in journal: Shape, of shape: Shape, key: Value, base: Record?, isUnresolved: Bool = false,
        remote: Record? = nil
    ) -> Record {
        var values: [Value] = []
        values.reserveCapacity(journal.slots.count)
        if let base {
            values += base.values
        } else {
            values += shape.slots.map { _ in .null }
            let parts = if case .array(let parts) = key, shape.keySlots.count > 1 { parts } else { [key] }
            for (slot, part) in zip(shape.keySlots, parts) { values[slot] = part }
        }
        values += [.bool(base != nil), .bool(isUnresolved), remote.map { .string($0.journalText) } ?? .null]
        return Record(journal, slots: values)
    }
}

extension Record {
    /// The entity and the values as text.
    package var journalText: String {
        Value.array([.string(entity), .array(values)]).taggedJSON
    }

    /// Creates a record from the text that a journal keeps of it.
    ///
    /// - Throws: `JSONError` for malformed text; ``PersistenceError`` for a record that is not of the schema.
    package init(journalText: String, schema: Schema) throws {
        guard case .array(let parts) = try Value(taggedJSON: journalText), parts.count == 2,
            case .string(let entity) = parts[0], case .array(let values) = parts[1], let shape = schema[entity],
            values.count <= shape.slots.count
        else {
            throw PersistenceError(.unreadable, "the remote's version is not a record of the schema")
        }
        // A schema only grows: slots that were added later have their defaults.
        self.init(shape, slots: values + shape.slots[values.count...].map(\.defaultValue))
    }
}

extension JournalEntry {
    /// Whether nothing was changed locally, while the remote's change waits.
    package func isWaiting(with present: Record?) -> Bool { isUnresolved && present == base }

    /// Whether a reference of the record is a local change, or conflicts with a waiting change of the remote.
    func protects(_ slot: String, of present: Record) -> Bool {
        if isWaiting(with: present) { return remote != nil }
        return base?[slot] != present[slot]
    }
}
