/// What the author of an adapter provides within one transaction: rows of records, by key, and nothing of what they
/// mean.
///
/// Delete rules, inverses, journal, tombstones and metadata are the same in every store, because
/// ``ReadTransaction`` and ``WriteTransaction`` make them of these few operations. What the library itself keeps are
/// records as well, of shapes that ``Schema`` adds.
///
/// Records of all shapes of one hierarchy share their keys: a key finds the record whatever its shape in the hierarchy.
/// A storage is used by one transaction at a time. What it does not provide of counts, keys, digests and insertions is made
/// of the rest; ``select(_:from:_:)`` evaluates queries where the store has none.
public protocol RecordStorage: AnyObject {
    /// The schema that the transaction sees.
    var schema: Schema { get }

    /// The record with a key in the hierarchy of a shape, or nil if there is none.
    func record(_ key: Value, in hierarchy: Shape) throws -> Record?

    /// Hands over the records that a query means, one after the other, until the body answers false.
    ///
    /// The body does not write.
    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws

    /// How many records a query means.
    func count(_ query: Query) throws -> Int

    /// Hands over the keys of an entity's records, in the order in which they were first stored.
    func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws

    /// Hands over the keys and content digests of an entity's records, in the order in which they were first stored.
    ///
    /// Two records of one shape with equal values have one digest. With different values they have different ones, but
    /// for one pair in 2⁶⁴.
    func forEachDigest(_ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void) throws

    /// The digest under which ``forEachDigest(_:where:_:)`` would show a record.
    func digest(of record: Record) -> UInt64

    /// Stores a record in the place of that with its key, and answers what was there.
    ///
    /// Where the two are equal, nothing is written.
    func put(_ record: Record) throws -> Record?

    /// Stores a record whose key is known to be new.
    func insert(_ record: Record) throws

    /// Stores what a journal keeps of a record before its first local change: the record, or that there was none.
    ///
    /// The journal is known to have nothing of it. What is not made for it is ``insert(_:)`` of a record of the journal.
    func insertEntry(_ old: Record?, key: Value, of shape: Shape, in journal: Shape) throws

    /// Takes a record away and answers it; nil if there is none.
    func remove(_ key: Value, in hierarchy: Shape) throws -> Record?
}
