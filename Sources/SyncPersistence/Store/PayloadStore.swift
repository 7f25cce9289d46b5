package import DifferentialSync

/// What the sync of payloads needs of a transaction, besides the public functions of a transaction.
///
/// It writes records and links here. What concerns local changes is in ``LocalEditStore``, and what concerns the memory
/// of payloads in ``PayloadMemoryStore``. ``WriteTransaction`` alone conforms to it.
package protocol PayloadStore: LocalEditStore, PayloadMemoryStore {
    /// Makes changes in their order.
    ///
    /// - Throws: ``PersistenceError`` for a change that the schema does not allow.
    func apply(_ changes: ChangeSet) throws

    /// Inserts or replaces a record, as a change set of it alone would.
    func put(_ record: Record, origin: ChangeSet.Origin) throws

    /// Deletes a record if it exists, as a change set of it alone would.
    func delete(_ id: RecordID, origin: ChangeSet.Origin) throws

    /// Returns the record with the key that a counting store will give it, if it has none.
    func adoptingKey(_ record: Record) throws -> Record

    /// Links a record with these records alone, in this order, where the present links are known.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - name: The relationship.
    ///   - present: The result of ``ReadTransaction/related(_:_:)``; not needed to replace one target by another.
    ///   - wanted: The distinct keys; one at most for a relationship to one record.
    ///   - origin: The origin of the change.
    func setLinks(
        _ id: RecordID, _ name: String, from present: [Value], to wanted: [Value], origin: ChangeSet.Origin
    ) throws

    /// Changes the primary key of a record, as ``WriteTransaction/changeKey(of:to:origin:merging:)`` does.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - key: The new key.
    ///   - origin: The side that has assigned the key.
    ///   - policy: Merges the record with one that has the key already.
    ///   - base: The last common version of both, if it is known.
    /// - Returns: The record with its new key.
    @discardableResult
    func changeKey(
        of id: RecordID, to key: Value, origin: ChangeSet.Origin, merging policy: ConflictPolicy<Record>?,
        since base: Record?
    ) throws -> Record

    /// Returns the index of a record among the changes of the transaction so far; nil if it was not touched.
    func changeIndex(of key: Value, in shape: Shape) throws -> Int?

    /// Returns an image of a record after the key of another one has changed.
    func renamed(_ record: Record, _ id: RecordID, to key: Value) throws -> Record

    /// Whether an entity stores the elements of a collection of an app's own type as JSON.
    func keepsElements(_ entity: String) throws -> Bool

    /// Marks an entity as one for synced JSON, if it could also be opened as a collection.
    func markForJSON(_ entity: String) throws
}
