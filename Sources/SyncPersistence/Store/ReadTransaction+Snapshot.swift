public import DifferentialSync

extension ReadTransaction {
    /// Returns the difference between a full snapshot of an entity's records and the stored ones, by key; nil if there
    /// is none.
    ///
    /// Nothing is written.
    ///
    /// ```swift
    /// let diff = try await store.read { try $0.diff(wins: downloaded, loses: "Note") }
    /// ```
    ///
    /// Records are compared by their digests. Only those that differ are read.
    ///
    /// - Parameters:
    ///   - snapshot: All records that the entity should have.
    ///   - entity: The entity.
    ///   - filter: The filter of the stored records that the snapshot replaces; nil for all of the entity. Other
    ///     records are not deleted.
    /// - Throws: `KeyError` with the key and the positions of two different records of the snapshot with one key;
    ///   ``PersistenceError`` if the store cannot be read.
    /// - Complexity: O(size of the snapshot + number of stored records), with a lookup for each that differs
    public func diff(
        wins snapshot: [Record], loses entity: String, where filter: Filter? = nil
    ) throws -> Diff<Record>? {
        let shape = try shape(entity)
        var stored: [RecordDigest] = []
        try storage.forEachDigest(shape, where: filter) { key, digest in
            stored.append(RecordDigest(key: key, digest: digest, position: -1))
        }
        var arriving: [RecordDigest] = []
        arriving.reserveCapacity(snapshot.count)
        for (position, record) in snapshot.enumerated() {
            arriving.append(
                RecordDigest(key: record.key, digest: storage.digest(of: record), position: Int32(position)))
        }
        let differing: Diff<RecordDigest>?
        do {
            differing = try DifferentialSync.diff(wins: arriving, loses: stored, primaryKey: \.key)
        } catch {
            guard error.collection == "loses" else { throw error }
            throw PersistenceError(
                .unreadable,
                "two records of '\(entity)' have the key \(error.keyText): \(PersistenceError.damageRemedy)")
        }
        let changes = try differing?.changes.compactMap { change -> Change<Record>? in
            let new = change.new.map { snapshot[Int($0.position)] }
            // A stored record outside the filter with the key of a record in the snapshot is replaced.
            let old = try (change.old ?? change.new).flatMap { try storage.record($0.key, in: shape) }
            return old == new ? nil : Change(from: old, to: new)
        }
        return Diff(changes ?? [])
    }
}

/// A record's digest while a snapshot is compared with a store.
struct RecordDigest: Equatable {
    /// The key of the record.
    let key: Value
    /// The digest of its content.
    let digest: UInt64
    /// The index of the record in the snapshot.
    let position: Int32

    /// Whether key and content are the same.
    static func == (left: RecordDigest, right: RecordDigest) -> Bool {
        left.digest == right.digest && left.key == right.key
    }
}
