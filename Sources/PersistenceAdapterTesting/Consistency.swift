import SyncPersistence

/// Whether all ways to the records of a store lead to the same ones.
///
/// An index of keys or values that was not kept, for instance when a transaction was rolled back, shows here.
enum Consistency {
    /// How many records of a hierarchy are looked for one by one, from either end.
    private static let sampleSize = 50

    /// What is found otherwise than in the list of all records, one difference in a line.
    ///
    /// - Complexity: O(size of the store)
    static func differences(in transaction: ReadTransaction) throws -> [String] {
        var differences: [String] = []
        for root in transaction.schema.roots {
            let records = try transaction.records(Query(root.name))
            let keys = try transaction.keys(of: root.name)
            if keys != records.map(\.key) { differences.append("\(root.name): the keys are \(keys)") }
            let count = try transaction.count(Query(root.name))
            if count != records.count { differences.append("\(root.name): \(count) are counted of \(records.count)") }
            let samples = records.prefix(sampleSize) + records.dropFirst(sampleSize).suffix(sampleSize)
            for record in samples {
                let found = try transaction.storage.record(record.key, in: root)
                if found != record {
                    let other = found.map(StoreDump.text) ?? "nothing"
                    differences.append("\(StoreDump.text(record)): by its key, \(other)")
                }
                differences += try misses(of: record, in: transaction)
            }
        }
        return differences
    }

    /// The indexed values by which a record is not found.
    private static func misses(of record: Record, in transaction: ReadTransaction) throws -> [String] {
        try zip(record.shape.slots, record.values).compactMap { slot, value in
            guard isIndexed(slot), !value.isNull, !slot.name.contains(".") else { return nil }
            let filter = Filter.comparison(path: slot.name, .equal, value)
            let found = try transaction.records(Query(record.entity, where: filter))
            return found.contains(record) ? nil : "\(StoreDump.text(record)): not by its \(slot.name)"
        }
    }

    private static func isIndexed(_ slot: Slot) -> Bool {
        if case .reference = slot.content { true } else { slot.isIndexed }
    }
}
