package import DifferentialSyncTesting
package import SyncPersistence

/// What the transactions of a store have read and written.
package struct StorageCounts: Sendable {
    /// The transactions.
    package var transactions = 0
    /// The look-ups of one key.
    package var lookups = 0
    /// The queries that pass records.
    package var queries = 0
    /// The records that queries have passed.
    package var rows = 0
    /// The keys that were passed without their records.
    package var keys = 0
    /// The sum of the results of `count(_:)`.
    package var counted = 0
    /// The records that were stored and removed.
    package var writes = 0

    /// Creates counts of zero.
    package init() {}

    /// The records that were read and written; digests and results of `count(_:)` do not count.
    package var records: Int { lookups + rows + keys + writes }
}

extension Locked<StorageCounts> {
    /// Sets all counts to zero.
    package func reset() { exchange(with: StorageCounts()) }
}

extension PersistenceAdapter {
    /// Returns a store on the rows of this one that counts what its transactions read and write.
    package func counted(by counts: Locked<StorageCounts>) -> ForwardingAdapter {
        ForwardingAdapter(self) { CountedStorage($0, counts) }
    }
}

/// A storage that counts its operations; each transaction has its own.
private final class CountedStorage: ForwardingStorage {
    private let counts: Locked<StorageCounts>

    init(_ base: any RecordStorage, _ counts: Locked<StorageCounts>) {
        self.counts = counts
        super.init(base)
        counts.withLock { $0.transactions += 1 }
    }

    override func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        counts.withLock { $0.lookups += 1 }
        return try super.record(key, in: hierarchy)
    }

    override func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        counts.withLock { $0.queries += 1 }
        try super.forEach(query) { record in
            counts.withLock { $0.rows += 1 }
            return try body(record)
        }
    }

    override func count(_ query: Query) throws -> Int {
        let count = try super.count(query)
        counts.withLock { $0.counted += count }
        return count
    }

    override func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        try super.forEachKey(entity, where: filter) { key in
            counts.withLock { $0.keys += 1 }
            try body(key)
        }
    }

    override func put(_ record: Record) throws -> Record? {
        counts.withLock { $0.writes += 1 }
        return try super.put(record)
    }

    override func insert(_ record: Record) throws {
        counts.withLock { $0.writes += 1 }
        try super.insert(record)
    }

    override func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        counts.withLock { $0.writes += 1 }
        return try super.remove(key, in: hierarchy)
    }
}
