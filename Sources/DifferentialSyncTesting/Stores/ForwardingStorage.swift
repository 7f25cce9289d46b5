public import SyncPersistence

/// A storage that passes each operation to another one.
///
/// Subclasses replace some of them.
open class ForwardingStorage: RecordStorage {
    /// The other storage.
    public let base: any RecordStorage

    /// The rows of another storage.
    public init(_ base: any RecordStorage) { self.base = base }

    /// The schema that the transaction sees.
    open var schema: Schema { base.schema }

    /// The record with a key in the hierarchy of a shape, or nil if there is none.
    open func record(_ key: Value, in hierarchy: Shape) throws -> Record? { try base.record(key, in: hierarchy) }

    /// Reads records that are about to be looked up.
    open func prefetch(_ lookups: () throws -> [KeyLookup]) throws {
        try base.prefetch(lookups)
    }

    /// Calls a body with the records of a query.
    open func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws { try base.forEach(query, body) }

    /// Returns the number of records of a query.
    open func count(_ query: Query) throws -> Int { try base.count(query) }

    /// Calls a body with the keys of an entity's records.
    open func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        try base.forEachKey(entity, where: filter, body)
    }

    /// Calls a body with the keys and digests of an entity's records.
    open func forEachDigest(
        _ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void
    ) throws {
        try base.forEachDigest(entity, where: filter, body)
    }

    /// Returns the digest of a record.
    open func digest(of record: Record) -> UInt64 { base.digest(of: record) }

    /// Stores a record, and replaces the one with its key.
    open func put(_ record: Record) throws -> Record? { try base.put(record) }

    /// Stores a record whose key is known to be new.
    open func insert(_ record: Record) throws { try base.insert(record) }

    /// Removes a record.
    open func remove(_ key: Value, in hierarchy: Shape) throws -> Record? { try base.remove(key, in: hierarchy) }
}
