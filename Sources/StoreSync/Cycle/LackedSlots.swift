import SyncPersistence

/// The slots of records that the remote lacks, and those that it has lacked before the comparison in progress.
///
/// A page has no value for a slot that the remote lacks, so the record keeps its own. Once the remote has the slot, a
/// comparison pulls its values. A value that another device has set then arrives like any other change. Where the
/// remote has the default, it has no value yet: the record's own becomes a local change, which is sent.
struct LackedSlots {
    private let transaction: WriteTransaction
    private let shapes: SyncedShapes

    /// The slots that the remote has again, by entity.
    private let regained: [String: [String]]

    /// Creates the slots; nil if there are none.
    init?(in transaction: WriteTransaction, _ shapes: SyncedShapes, regained: [String: [String]]) {
        if regained.isEmpty && shapes.missingSlots.isEmpty { return nil }
        (self.transaction, self.shapes, self.regained) = (transaction, shapes, regained)
    }

    /// Gives a record of a page the values that the remote has no slot for.
    ///
    /// If the remote has the default in a regained slot, the value of the shadow becomes a local change.
    func complete(_ record: inout Record) throws {
        let shape = record.shape
        let lacking = shape.slots.indices.filter { !shapes.remoteHas(shape.slots[$0], of: shape) }
        let regained = (regained[shape.name] ?? []).compactMap(shape.slot(named:))
        if lacking.isEmpty && regained.isEmpty { return }
        let entry = try transaction.journalEntry(record.rootID)
        // A record that both sides have inserted keeps the value of this side.
        guard let shadow = try entry?.remote ?? entry?.base ?? transaction.record(record.rootID) else { return }
        for slot in lacking {
            if let value = shadow.shape.slot(named: shape.slots[slot].name).map({ shadow.values[$0] }) {
                record.values[slot] = value
            }
        }
        guard var base = entry == nil ? shadow : entry?.base, base.shape == shape else { return }
        let lost = regained.filter {
            record.values[$0] == shape.slots[$0].defaultValue && base.values[$0] != record.values[$0]
        }
        if lost.isEmpty { return }
        for slot in lost { base.values[slot] = record.values[slot] }
        try transaction.acknowledge(base.rootID, sent: base)
    }
}
