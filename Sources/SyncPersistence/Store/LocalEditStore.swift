package import DifferentialSync

/// The part of a transaction that relates a payload to unsent local changes.
///
/// A payload states the remote's version of a record. If the record has a local change, the payload is compared with
/// the remote's last known version, not with the stored record. Both are merged at the end of the sync.
///
/// ``WriteTransaction`` alone conforms to it.
package protocol LocalEditStore: ReadTransaction {
    /// Whether the journal may have entries of a hierarchy.
    func mayHaveEntries(of shape: Shape) throws -> Bool

    /// Returns the record that a change applies to: for a change of the remote, the remote's known version without
    /// local changes.
    func known(_ id: RecordID, to origin: ChangeSet.Origin) throws -> Record?

    /// Returns the record under a key that a change applies to, as ``known(_:to:)`` does.
    func known(_ key: Value, in shape: Shape, to origin: ChangeSet.Origin) throws -> Record?

    /// Whether a record was deleted locally and the deletion was not sent yet.
    func isDeletedHere(_ key: Value, in shape: Shape) throws -> Bool

    /// Returns the remote's known versions of an entity's records that were deleted locally.
    ///
    /// - Complexity: O(*d*) for *d* changed records, each with a lookup
    func deletedHere(of entity: String) throws -> [Record]

    /// Whether a record, or one that would be deleted with it, has a local change.
    func hasLocalChange(in record: Record) throws -> Bool

    /// The records whose remote change is not made yet.
    var heldBack: [RecordID] { get }

    /// Reverts changes of the remote that violate the schema, so that the rest of the transaction reads what will be
    /// stored.
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
    ///   - stated: The slots that the remote states, for records that it states in part.
    ///   - policy: Resolves conflicts.
    ///   - delete: Deletes a record without a local change.
    /// - Returns: The conflicts.
    /// - Throws: The errors of the policy, `KeyError` if it returns another key, ``PersistenceError`` if it returns a
    ///   record that the schema does not allow.
    /// - Complexity: O(number of records), each with lookups
    func mergeEdits(
        _ ids: [RecordID], stated: [RecordID: StatedSlots], policy: ConflictPolicy<Record>,
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
}
