/// The history of a store's changes, and its fingerprint.
///
/// A transaction gives its changes their numbers at its end. Until then, only ``ReadTransaction/fingerprint()`` includes
/// them.
extension ReadTransaction {
    /// Whether the store keeps a history: a number for the last change of each record and link.
    ///
    /// A new store keeps none; see ``ChangeSet/keepHistory(_:)``.
    public var keepsHistory: Bool {
        get throws { try keptHistory.contains(.changes) }
    }

    /// The number of the last change in the history; 0 before the first.
    public var historySequence: Int64 {
        get throws { try number(HistoryName.sequence) ?? 0 }
    }

    /// The number up to which the history may lack deleted records.
    ///
    /// Their tombstones were removed, or the store kept no history when they were deleted.
    public var historyHorizon: Int64 {
        get throws { try number(HistoryName.horizon) ?? 0 }
    }

    /// Returns the last changes of records after a number, in the order of their numbers.
    ///
    /// Each record is in the history once. If it changes again, it moves to the end.
    ///
    /// ```swift
    /// for entry in try transaction.history(after: cursor, limit: 100) {
    ///     if let record = try transaction.record(entry.id) { send(record) } else { sendDeletion(of: entry.id) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: The number of the last known change; 0 for all.
    ///   - limit: The largest number of entries.
    /// - Returns: The entries; none for a store that keeps no history.
    /// - Complexity: O(number of returned entries), by an index
    public func history(after sequence: Int64, limit: Int) throws -> [HistoryEntry] {
        try historyRows(after: sequence, limit: limit).map { try HistoryEntry($0) }
    }

    /// Returns the rows of the last changes after a number, in the order of their numbers.
    ///
    /// They are searched by ranges of numbers with both ends, which every adapter can look up. A range with few rows is
    /// followed by one of twice the length, so that a long gap takes few queries.
    func historyRows(after sequence: Int64, limit: Int) throws -> [Record] {
        var rows: [Record] = []
        var (start, length) = (max(sequence, 0), Int64(limit))
        let last = try historySequence
        while start < last, rows.count < limit {
            let end = last - start > length ? start + length : last
            let range: [Filter] = [
                .comparison(path: "sequence", .greater, .integer(start)),
                .comparison(path: "sequence", .lessOrEqual, .integer(end)),
            ]
            let found = try records(
                Query(
                    Shape.historyName, where: .and(range), sort: [Query.SortKey("sequence")],
                    limit: limit - rows.count))
            rows += found
            start = end
            length = Int64(found.count) > length / 2 ? Int64(limit - rows.count) : length < last / 2 ? 2 * length : last
        }
        return rows
    }

    /// Returns the last change of a record; nil if it has not changed since the store keeps a history.
    ///
    /// - Complexity: O(1), with one lookup
    public func lastChange(of id: RecordID) throws -> HistoryEntry? {
        let id = RecordID(try shape(id.entity).root, id.key)
        return try storage.record(.array(HistoryEntry.rowKey(of: id)), in: shape(Shape.historyName))
            .map { try HistoryEntry($0) }
    }

    /// What the store keeps of its changes.
    var keptHistory: KeptHistory {
        get throws { KeptHistory(rawValue: try number(HistoryName.kept) ?? 0) }
    }

    /// Returns the fingerprint that the store keeps; nil if it keeps none.
    func storedFingerprint() throws -> StoreFingerprint? {
        guard let text = try metadata(HistoryName.fingerprint) else { return nil }
        if let fingerprint = StoreFingerprint(text: text) { return fingerprint }
        throw PersistenceError(
            .unreadable, "the value is not a fingerprint: \(PersistenceError.damageRemedy)",
            id: RecordID("sync.metadata", .string(HistoryName.fingerprint)), property: "value")
    }
}

/// What a store keeps of its changes.
struct KeptHistory: OptionSet {
    /// What the store keeps, as bits of a stored number.
    let rawValue: Int64

    /// The last change of each record, and the fingerprint.
    static let changes = KeptHistory(rawValue: 1)
    /// The fingerprint.
    static let fingerprint = KeptHistory(rawValue: 2)
}

/// The names of the history's metadata.
enum HistoryName {
    /// What the store keeps of its changes, as a ``KeptHistory``.
    static let kept = "sync.history.kept"
    /// The number of the last change.
    static let sequence = "sync.history.sequence"
    /// The number up to which deletions may be missing.
    static let horizon = "sync.history.horizon"
    /// The number up to which tombstones were removed; missing if it is the horizon.
    static let pruned = "sync.history.pruned"
    /// The last changes by one writer, as a ``HistoryRun``.
    static let run = "sync.history.run"
    /// The fingerprint of the records.
    static let fingerprint = "sync.history.fingerprint"
}
