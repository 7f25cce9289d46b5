public import DifferentialSync

extension WriteTransaction {
    /// Changes the primary key of a record, with everything that refers to it: references, links with their places, and
    /// the journal.
    ///
    /// An app uses it for a record that was inserted offline, once the server has assigned its key:
    ///
    /// ```swift
    /// try await store.write { transaction in
    ///     try transaction.changeKey(of: RecordID("User", -1), to: 7, origin: .remote)
    /// }
    /// ```
    ///
    /// With the origin `.remote` or `.agreed`, the remote has assigned the key: the journal has the same entries under the
    /// new key, and nothing more is sent. With the origin `.local`, the key is a local change. A record that the remote
    /// knows is deleted under the old key and inserted under the new one, and records that refer to it are changed. A
    /// record that the remote does not know is new under the new key.
    ///
    /// No delete rule is followed. A commit lists the record as deleted and inserted.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - key: The new key; an array if it has several parts.
    ///   - origin: The side that has assigned the key.
    ///   - policy: Merges the record with one that has the key already, field by field. The record is the local version,
    ///     the other one that of the remote. Without a policy that is an error.
    /// - Returns: The record with its new key.
    /// - Throws: ``PersistenceError`` if there is no such record, if the key is not one of its entity, or if another record
    ///   has the key and there is no policy; the errors of the policy. Nothing of the transaction is stored then.
    /// - Complexity: O(number of records and links that refer to the record + number of changed records in the journal)
    @discardableResult
    public func changeKey(
        of id: RecordID, to key: Value, origin: ChangeSet.Origin = .local, merging policy: ConflictPolicy<Record>? = nil
    ) throws -> Record {
        try changeKey(of: id, to: key, origin: origin, merging: policy, since: nil)
    }

    @discardableResult
    package func changeKey(
        of id: RecordID, to key: Value, origin: ChangeSet.Origin, merging policy: ConflictPolicy<Record>?,
        since base: Record?
    ) throws -> Record {
        try changing {
            guard let former = try record(id) else {
                throw PersistenceError(.missingRecord, "there is no such record: its key cannot change", id: id)
            }
            let change = KeyChange(of: former, to: key, origin: origin, in: self)
            return try change.make(for: id, merging: policy, since: base)
        }
    }

    /// Changes the primary key of a record that was deleted here, and that the remote has under the other key.
    ///
    /// - Complexity: O(number of changed records in the journal)
    package func changeKey(ofDeleted record: Record, to key: Value) throws {
        try changing { try KeyChange(of: record, to: key, origin: .remote, in: self).renameDeletion() }
    }
}
