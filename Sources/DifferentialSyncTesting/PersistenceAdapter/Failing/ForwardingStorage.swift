public import SyncPersistence

/// Rows that are those of another storage: to be inherited by one that does a few things otherwise.
open class ForwardingStorage: RecordStorage {
    /// The other storage.
    public let base: any RecordStorage

    /// The rows of another storage.
    public init(_ base: any RecordStorage) { self.base = base }

    /// The schema that the transaction sees.
    open var schema: Schema { base.schema }

    /// The record with a key in the hierarchy of a shape, or nil if there is none.
    open func record(_ key: Value, in hierarchy: Shape) throws -> Record? { try base.record(key, in: hierarchy) }

    /// Hands over the records that a query means.
    open func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws { try base.forEach(query, body) }

    /// How many records a query means.
    open func count(_ query: Query) throws -> Int { try base.count(query) }

    /// Hands over the keys of an entity's records.
    open func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        try base.forEachKey(entity, where: filter, body)
    }

    /// Hands over the keys and digests of an entity's records.
    open func forEachDigest(
        _ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void
    ) throws {
        try base.forEachDigest(entity, where: filter, body)
    }

    /// The digest of a record.
    open func digest(of record: Record) -> UInt64 { base.digest(of: record) }

    /// Stores a record in the place of that with its key.
    open func put(_ record: Record) throws -> Record? { try base.put(record) }

    /// Stores a record whose key is known to be new.
    open func insert(_ record: Record) throws { try base.insert(record) }

    /// Takes a record away.
    open func remove(_ key: Value, in hierarchy: Shape) throws -> Record? { try base.remove(key, in: hierarchy) }
}
