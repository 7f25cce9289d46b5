import TestSupport

import SyncPersistence

extension Population {
    /// A storage that holds the records.
    var storage: InMemoryStorage {
        get throws {
            let storage = InMemoryStorage(schema: Staff.schema)
            for record in records { try storage.insert(record) }
            return storage
        }
    }
}

extension InMemoryStorage {
    /// The records that a query means.
    func records(_ query: Query) throws -> [Record] {
        var records: [Record] = []
        try forEach(query) {
            records.append($0)
            return true
        }
        return records
    }
}

extension BoundFilter {
    /// Whether the filter holds for a record that stands alone.
    func holds(for record: Record) -> Bool { predicate { _, _ in nil }(record) }
}
