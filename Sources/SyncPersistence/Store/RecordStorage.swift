/// The operations that an adapter provides within one transaction: rows of records by key, without their meaning.
///
/// Delete rules, inverses, journal, history and metadata are the same in every store, because ``ReadTransaction``
/// and ``WriteTransaction`` build them on these few operations. Internal data is stored as records as well, of shapes
/// that ``Schema`` adds.
///
/// Records of all shapes of one hierarchy share their keys: a key finds the record whatever its shape in the hierarchy.
/// One transaction at a time uses a storage. Counts, keys, digests and insertions have default implementations;
/// ``select(_:from:_:)`` evaluates queries for stores without their own.
///
/// Each operation throws if the store cannot be read or written, such as a ``PersistenceError``. The caller of the
/// transaction receives the error unchanged, unless its body catches it.
public protocol RecordStorage: AnyObject {
    /// The schema of the transaction.
    var schema: Schema { get }

    /// Returns the record with a key in the hierarchy of a shape; nil if there is none.
    ///
    /// - Complexity: O(log *n*) for *n* records is expected: a sync calls it for each object of a payload
    func record(_ key: Value, in hierarchy: Shape) throws -> Record?

    /// Whether there is a record with a key in the hierarchy of a shape.
    ///
    /// The default implementation reads the record.
    func contains(_ key: Value, in hierarchy: Shape) throws -> Bool

    /// Prepares for ``record(_:in:)`` with the keys that a transaction is about to look up.
    ///
    /// A store at the other end of a network reads their records in a few round trips. The default implementation does
    /// not call its argument.
    ///
    /// - Parameter lookups: Returns the keys, one element for each hierarchy.
    func prefetch(_ lookups: () throws -> [KeyLookup]) throws

    /// Calls a body with the records of a query, one by one, until it returns false.
    ///
    /// Records without a sort key, or with equal ones, are in the order in which they were inserted. The body does not
    /// write.
    ///
    /// - Throws: ``PersistenceError`` also for a query that does not match the schema; the errors of the body.
    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws

    /// Returns the number of records of a query.
    func count(_ query: Query) throws -> Int

    /// Calls a body with the keys of an entity's records, in the order in which they were inserted.
    func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws

    /// Calls a body with the keys and content digests of an entity's records, in the order in which they were inserted.
    ///
    /// Two records of one shape with equal values have equal digests. With different values their digests differ,
    /// except for one pair in 2⁶⁴.
    func forEachDigest(_ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void) throws

    /// Returns the digest of a record that ``forEachDigest(_:where:_:)`` would pass.
    func digest(of record: Record) -> UInt64

    /// Stores a record in place of the one with its key, and returns that one.
    ///
    /// If both are equal, nothing is written. The record keeps the place of the old one in the order of insertion. A
    /// record that was removed before is last.
    ///
    /// - Complexity: O(log *n*) for *n* records is expected
    func put(_ record: Record) throws -> Record?

    /// Stores a record whose key is known to be new.
    func insert(_ record: Record) throws

    /// Stores the journal's entry of a record before its first local change: the record, or that there was none.
    ///
    /// The journal is known to have no entry of it. The default implementation inserts a journal record.
    func insertEntry(_ old: Record?, key: Value, of shape: Shape, in journal: Shape) throws

    /// Removes a record and returns it; nil if there is none.
    ///
    /// - Complexity: O(log *n*) for *n* records is expected
    func remove(_ key: Value, in hierarchy: Shape) throws -> Record?

    /// Stores a record in place of the one with its key, or inserts it.
    ///
    /// The default implementation puts the record.
    func store(_ record: Record) throws

    /// Calls a body with the entries of a journal and the records that they describe, in the order in which the entries
    /// were inserted, until it returns false.
    ///
    /// The record is nil if it was deleted. The default implementation looks up each record.
    func forEachEntry(in journal: Shape, of hierarchy: Shape, _ body: (Record, Record?) throws -> Bool) throws

    /// Removes entries of a journal, except unresolved ones.
    ///
    /// The default implementation reads and removes each entry.
    ///
    /// - Parameters:
    ///   - keys: The keys of the entries.
    ///   - journal: The shape of the journal.
    ///   - hierarchy: The shape of the records that the entries describe.
    /// - Returns: The keys under which nothing was removed.
    func removeResolvedEntries(_ keys: [Value], in journal: Shape, of hierarchy: Shape) throws -> [Value]
}
