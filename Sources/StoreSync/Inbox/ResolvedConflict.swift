import DifferentialSync
public import SyncPersistence

/// A conflict that was resolved by hand, with what is needed to take that back.
///
/// ```swift
/// let resolved = try await store.resolve(conflict, with: .local)
/// try await store.undo(resolved)
/// ```
public struct ResolvedConflict: Sendable {
    /// The conflict.
    public let conflict: StoreConflict

    /// The versions of the record and of the changed ones before and after the resolution.
    let records: [Version<Record>]

    /// The entries of the journal before and after the resolution.
    let entries: [Version<JournalEntry>]

    /// A state before and after the resolution; nil for none.
    struct Version<State: Sendable>: Sendable {
        let id: RecordID
        let old: State?
        let new: State?
    }
}

extension PersistenceAdapter {
    /// Takes the resolution of a conflict back: the conflict is open again, as it was.
    ///
    /// Records that were changed with it, such as those that a deletion has reached, are as before too.
    ///
    /// - Parameter resolved: The result of ``resolve(_:with:)``.
    /// - Throws: `ConflictError` if the resolution was sent, or if one of its records has changed since; `PersistenceError`
    ///   if the schema does not allow it, or if the store cannot be written. Nothing has changed then.
    /// - Complexity: O(number of records that the resolution has changed)
    public func undo(_ resolved: ResolvedConflict) async throws {
        try await write { try $0.undo(resolved) }
    }
}

extension WriteTransaction {
    /// Takes a resolution back, as ``SyncPersistence/PersistenceAdapter/undo(_:)`` does.
    fileprivate func undo(_ resolved: ResolvedConflict) throws {
        var known: [String: Set<Value>] = [:]
        for entry in resolved.entries {
            let present = try journalEntry(entry.id)
            if try isInFlight(entry.id, known: &known) || entry.new != nil && present == nil {
                throw ConflictError(.sent, key: entry.id.key)
            }
            guard present == entry.new else { throw ConflictError(.changed, key: entry.id.key) }
        }
        for version in resolved.records where try record(version.id) != version.new {
            throw ConflictError(.changed, key: version.id.key)
        }
        var (puts, deletions) = (ChangeSet(origin: .agreed), ChangeSet(origin: .agreed))
        for version in resolved.records {
            if let old = version.old { puts.put(old) } else { deletions.delete(version.id) }
        }
        var entries = Dictionary(uniqueKeysWithValues: resolved.entries.map { ($0.id, $0.old) })
        for version in resolved.records where entries[version.id] == nil {
            entries[version.id] = .some(try journalEntry(version.id))
        }
        for changes in [puts, deletions] where !changes.isEmpty { try applyDecided(changes) }
        for (id, entry) in entries.sorted(by: { RecordID.areInIncreasingOrder($0.key, $1.key) }) {
            try putEntry(entry ?? JournalEntry(id: id, base: try record(id)))
        }
        // A rule of the schema may have had other consequences.
        for version in resolved.records where try record(version.id) != version.old {
            throw ConflictError(.changed, key: version.id.key)
        }
    }
}
