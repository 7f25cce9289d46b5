public import DifferentialSync

extension ReadTransaction {
    /// What a full snapshot of an entity's records changes of what is stored: by key, which records are new, which are
    /// gone, and which differ; nil for nothing.
    ///
    /// Nothing is written.
    ///
    /// ```swift
    /// let diff = try await store.read { try $0.diff(wins: downloaded, loses: "Note") }
    /// ```
    ///
    /// Records are compared by their digests; only those that differ are read.
    ///
    /// - Parameters:
    ///   - snapshot: All records of the entity, as they are to be.
    ///   - entity: The entity.
    ///   - filter: Which stored records the snapshot speaks of; nil for all of the entity. Those that it leaves out are
    ///     not deleted.
    /// - Throws: `KeyError` that names the key and the positions of two different records of the snapshot with one key;
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
                .unreadable, "two records of '\(entity)' have the key \(error.key): \(PersistenceError.damageRemedy)")
        }
        let changes = try differing?.changes.compactMap { change -> Change<Record>? in
            let new = change.new.map { snapshot[Int($0.position)] }
            // What lies outside the filter under the key of an arriving record is changed, not stored a second time.
            let old = try (change.old ?? change.new).flatMap { try storage.record($0.key, in: shape) }
            return old == new ? nil : Change(from: old, to: new)
        }
        return Diff(changes ?? [])
    }
}

/// What stands for a record while a snapshot is compared with a store.
struct RecordDigest: Equatable {
    let key: Value
    let digest: UInt64
    /// Where the record stands in the snapshot.
    let position: Int32

    static func == (left: RecordDigest, right: RecordDigest) -> Bool {
        left.digest == right.digest && left.key == right.key
    }
}
