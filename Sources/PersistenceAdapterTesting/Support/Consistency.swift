import SyncPersistence

/// A comparison of all ways to find a record: list, key, count and index.
///
/// An index that is not restored after a rollback shows here.
///
/// Every check ends with it, so each check also tests the indexes after what it has done.
enum Consistency {
    /// The number of records at either end of a hierarchy that are looked up one by one.
    ///
    /// A check may store thousands of records, and look-ups of all of them would take longer than the check.
    private static let sampleSize = 50

    /// Returns one line for each query whose result contradicts the list of all records.
    ///
    /// - Complexity: O(*n*) for a store of *n* records, plus the lookups of at most 100 records in each hierarchy.
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

    /// Returns a line for each indexed value of a record by which a query does not find it.
    ///
    /// Internal slots, whose names contain a dot, cannot be used in a filter.
    private static func misses(of record: Record, in transaction: ReadTransaction) throws -> [String] {
        try zip(record.shape.slots, record.values).compactMap { slot, value in
            guard isIndexed(slot), !value.isNull, !slot.name.contains(".") else { return nil }
            let filter = Filter.comparison(path: slot.name, .equal, value)
            let found = try transaction.records(Query(record.entity, where: filter))
            return found.contains(record) ? nil : "\(StoreDump.text(record)): not by its \(slot.name)"
        }
    }

    /// Whether a slot is expected to have an index; references always are.
    private static func isIndexed(_ slot: Slot) -> Bool {
        if case .reference = slot.content { true } else { slot.isIndexed }
    }
}
