import SyncPersistence

/// The one-to-one references that records have lost to records of the pages so far.
///
/// A remote with the rules of the schema states the loss itself, on the same page or on a later one. One without them,
/// such as a folder of objects, lets both records have the reference. Then the order of arrival would decide which of
/// them has it on a device. So a loss that the remote has not stated after the last page becomes a local change, which
/// is sent.
struct LostReferences {
    private static let list = RecordList("lost")
    private let transaction: WriteTransaction
    /// Whether former pages have left none.
    private let areNone: Bool

    init(in transaction: WriteTransaction) throws {
        self.transaction = transaction
        areNone = try Self.list.isEmpty(in: transaction)
    }

    /// Removes a record because the remote states its own version.
    func remove(_ id: RecordID) throws { if !areNone { try Self.list.set(nil, for: id, in: transaction) } }

    /// Adds what records have lost in this transaction since the last call.
    func addLost() throws {
        for lost in transaction.takeLostReferences() {
            var slots = try Self.list.text(of: lost.id, in: transaction).map(Self.slots) ?? []
            slots.append((lost.slot, lost.former))
            let text = Value.array(slots.map { .array([.string($0.name), $0.former]) }).taggedJSON
            try Self.list.set(text, for: lost.id, in: transaction)
        }
    }

    /// Makes local changes of the losses, and forgets them.
    func makeLocalChanges() throws {
        if areNone { return }
        for (id, text) in try Self.list.all(in: transaction) {
            try Self.list.set(nil, for: id, in: transaction)
            guard let record = try transaction.record(id), try transaction.journalEntry(id) == nil else { continue }
            var base = record
            for (name, former) in Self.slots(text) where record.shape.slot(named: name) != nil && record[name].isNull {
                base[name] = former
            }
            if base != record { try transaction.putEntry(JournalEntry(id: record.id, base: base)) }
        }
    }

    /// Returns the slots that a record has lost, with the keys to which they referred.
    private static func slots(_ text: String) -> [(name: String, former: Value)] {
        guard case .array(let slots)? = try? Value(taggedJSON: text) else { return [] }
        return slots.compactMap { slot in
            guard case .array(let parts) = slot, parts.count == 2, case .string(let name) = parts[0] else { return nil }
            return (name, parts[1])
        }
    }
}
