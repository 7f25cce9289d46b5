package import DifferentialSync

/// What the sync of payloads uses of a ``WriteTransaction``, besides the reads of any transaction.
///
/// A payload states the remote's version of a record. If the record has a local change, the payload is compared with
/// the remote's last known version, not with the stored record. Both are merged at the end of the sync.
package protocol PayloadStore: ReadTransaction {
    /// Marks an entity as one for synced JSON, if it could also be opened as a collection.
    func markForJSON(_ entity: String) throws

    // Records and links.

    /// Makes changes in their order, and throws as ``WriteTransaction/apply(_:)`` describes.
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

    /// Changes the primary key of a record, and merges it with one that has the key already since a common version.
    ///
    /// ``WriteTransaction/changeKey(of:to:origin:merging:)`` describes the origins, the errors and the complexity.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - key: The new key.
    ///   - origin: The side that has assigned the key.
    ///   - policy: Merges the record with one that has the key already.
    ///   - base: The last common version of both, under the former key; nil if it is not known.
    /// - Returns: The record with its new key.
    @discardableResult
    func changeKey(
        of id: RecordID, to key: Value, origin: ChangeSet.Origin, merging policy: ConflictPolicy<Record>?,
        since base: Record?
    ) throws -> Record

    // Local changes, and changes of the remote that wait beside them.

    /// Whether the journal may have entries of a hierarchy.
    func mayHaveEntries(of shape: Shape) throws -> Bool

    /// Returns the record that a change applies to: for a change of the remote, the remote's known version without
    /// local changes.
    func known(_ id: RecordID, to origin: ChangeSet.Origin) throws -> Record?

    /// Returns the record under a key that a change applies to, as ``known(_:to:)`` does.
    func known(_ key: Value, in shape: Shape, to origin: ChangeSet.Origin) throws -> Record?

    /// Whether a record was deleted locally and the deletion was not sent yet.
    func isDeletedHere(_ key: Value, in shape: Shape) throws -> Bool

    /// Whether a record, or one that would be deleted with it, has a local change.
    func hasLocalChange(in record: Record) throws -> Bool

    /// Whether a record with a journal entry has no local change.
    ///
    /// If a record of the remote has taken a reference from it that was set locally, it has one, which may be restored.
    ///
    /// - Parameter id: The record, under the name of its hierarchy's root.
    func isUnedited(_ id: RecordID, _ record: Record?, _ entry: JournalEntry) -> Bool

    /// The records whose remote change is not made yet.
    var heldBack: [RecordID] { get }

    /// Whether records of the remote have taken references from others since changes of the remote were last settled.
    var hasDisplacements: Bool { get }

    /// Reverts changes of the remote that violate the schema, so that the rest of the transaction reads what will be
    /// stored.
    ///
    /// The entries of records that are equal to the remote's known version are removed.
    ///
    /// - Returns: The missing targets of local changes.
    @discardableResult
    func settleIncoming() throws -> [RecordID]

    /// Defers local changes with a change of the remote to ``mergeEdits(_:stated:policy:delete:)``.
    func beginMergingEdits()

    /// Merges the remote's known versions of records with local changes.
    ///
    /// The shadow becomes the remote's version, so that the remaining differences are local changes. A record that
    /// equals the remote's version has no local change afterwards. Changes that wait for other records are left alone.
    /// A deletion that waited for a local change of another record is made once that change is resolved.
    ///
    /// - Parameters:
    ///   - ids: The records, under the names of their hierarchies' roots.
    ///   - stated: The positions of the slots that the remote states, for records that it states in part.
    ///   - policy: Resolves conflicts.
    ///   - delete: Deletes a record without a local change.
    /// - Returns: The conflicts.
    /// - Throws: The errors of the policy, `KeyError` if it returns another key, ``PersistenceError`` if it returns a
    ///   record that the schema does not allow.
    /// - Complexity: O(number of records), each with lookups
    func mergeEdits(
        _ ids: [RecordID], stated: [RecordID: Set<Int>], policy: ConflictPolicy<Record>,
        delete: (RecordID) throws -> Void
    ) throws -> [MergedEdit]

    /// Removes the entry of a record that was deleted locally, if the remote is known to have deleted it too.
    func settleDeletion(of key: Value, in shape: Shape) throws

    /// Records that the remote has accepted the sent version of a record.
    ///
    /// Later changes remain local changes. Values that the remote has changed meanwhile keep the remote's.
    ///
    /// - Parameters:
    ///   - id: The record, or a link.
    ///   - base: The remote's version when the record was sent; nil if there was none.
    ///   - sent: The sent version; nil for a deletion.
    func acknowledge(_ id: RecordID, base: Record?, sent: Record?) throws

    // The memory of payloads, by which unchanged objects are skipped.

    /// Returns the index of a record among the changes of the transaction so far; nil if it was not touched.
    func changeIndex(of key: Value, in shape: Shape) throws -> Int?

    /// Calls a function with the old and the new version of each record that changes from now on; nil for none.
    var onTouch: ((Record?, Record?) -> Void)? { get set }

    /// Calls a function with the token of each record whose journal entry changes from now on, and of its targets for
    /// the remote; nil for none.
    var onEntry: ((UInt64) -> Void)? { get set }

    /// The number of the commit if anything changes.
    func expectedSequence() throws -> Int64

    /// The rows that the sync of payloads keeps.
    var payloadRows: PayloadRows { get }

    /// The marks of changed records, by which these rows become void.
    var payloadMarks: PayloadMarks { get }
}
