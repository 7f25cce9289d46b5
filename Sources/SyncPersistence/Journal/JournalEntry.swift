/// What a store's journal holds of one record that has changed since the shadow, the state last had in common with the
/// remote.
public struct JournalEntry: Hashable, Sendable {
    /// The record's entity and key.
    public let id: RecordID

    /// The record as it is in the shadow, or nil if it is not there.
    public let base: Record?

    /// Whether the remote is known to hold something else than the shadow: a conflict left open, or a remote change that
    /// met a local one.
    public let isUnsettled: Bool

    /// What the remote is known to hold, where the entry is unsettled; nil if it has nothing under the key.
    public let remote: Record?

    /// What the remote is known to hold; nil if it has nothing under the key.
    var known: Record? { isUnsettled ? remote : base }

    package init(id: RecordID, base: Record?, isUnsettled: Bool = false, remote: Record? = nil) {
        self.id = id
        self.base = base
        self.isUnsettled = isUnsettled
        self.remote = isUnsettled ? remote : nil
    }
}

extension JournalEntry {
    static func shapeName(of entity: String) -> String { "sync.journal.\(entity)" }

    /// The slots of an entry besides those of the old image, which come first.
    package static func ownSlots(declaredBy name: String) -> [Slot] {
        [
            Slot("sync.isInShadow", .attribute(.bool), isOptional: false, declaredBy: name, isInternal: true),
            Slot("sync.isUnsettled", .attribute(.bool), isOptional: false, declaredBy: name, isInternal: true),
            Slot("sync.remote", .attribute(.string), declaredBy: name, isInternal: true),
        ]
    }
}

extension JournalEntry {
    /// What a record of the journal says.
    init(_ record: Record, schema: Schema) throws {
        guard case .journal(let entity)? = record.shape.role, let shape = schema[entity],
            case .bool(let isInShadow) = record["sync.isInShadow"],
            case .bool(let isUnsettled) = record["sync.isUnsettled"]
        else {
            throw PersistenceError(
                .unreadable, "the journal entry is not one: \(PersistenceError.damageRemedy)",
                id: RecordID(record.entity, record.key))
        }
        var remote: Record?
        if case .string(let text) = record["sync.remote"] {
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
            isUnsettled: isUnsettled, remote: remote)
    }

    /// The record that a store's journal keeps of it.
    func record(in schema: Schema) -> Record? {
        guard let shape = schema[base?.entity ?? id.entity], let journal = schema.journal(of: shape) else { return nil }
        return JournalEntry.record(
            in: journal, of: shape, key: id.key, base: base, isUnsettled: isUnsettled, remote: remote)
    }

    /// The record that a journal keeps of a change of a record of the shape.
    package static func record(
        in journal: Shape, of shape: Shape, key: Value, base: Record?, isUnsettled: Bool = false,
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
        values += [.bool(base != nil), .bool(isUnsettled), remote.map { .string($0.journalText) } ?? .null]
        return Record(journal, slots: values)
    }
}

extension Record {
    /// Entity and values as text.
    package var journalText: String {
        Value.array([.string(entity), .array(values)]).taggedJSON
    }

    package init(journalText: String, schema: Schema) throws {
        guard case .array(let parts) = try Value(taggedJSON: journalText), parts.count == 2,
            case .string(let entity) = parts[0], case .array(let values) = parts[1], let shape = schema[entity],
            values.count <= shape.slots.count
        else {
            throw PersistenceError(.unreadable, "what the remote holds is not noted as a record of the schema")
        }
        // A schema only grows: what has come later has its default.
        self.init(shape, slots: values + shape.slots[values.count...].map(\.defaultValue))
    }
}
