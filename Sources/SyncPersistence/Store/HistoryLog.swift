/// The history and the fingerprint of a store, as a transaction changes them.
final class HistoryLog {
    /// What the store keeps; nil if unknown.
    private var known: KeptHistory?

    /// Whether the history was begun after changes of the transaction, which may be undone afterwards.
    private var hasBegunAfterChanges = false

    /// The writers of the transaction's changes, by the records under the names of their roots.
    private var writers: [RecordID: String] = [:]

    private let store: ReadTransaction
    private let log: ChangeLog
    private let metadata: MetadataLog

    /// Creates the history of a transaction.
    ///
    /// - Parameters:
    ///   - store: Reads what is stored.
    ///   - log: Has the touched records.
    ///   - metadata: Stores what is kept, and the last number.
    init(of store: ReadTransaction, _ log: ChangeLog, _ metadata: MetadataLog) {
        self.store = store
        self.log = log
        self.metadata = metadata
    }

    /// Returns what the store keeps, after one lookup.
    private func kept() throws -> KeptHistory {
        if let known { return known }
        let kept = try store.keptHistory
        known = kept
        return kept
    }

    /// States who has made the transaction's changes of records.
    func setWriter(_ writer: String, of ids: [RecordID]) throws {
        for id in ids { writers[RecordID(try store.shape(id.entity).root, id.key)] = writer }
    }

    /// Returns the fingerprint with the transaction's changes so far; nil if none is kept.
    ///
    /// - Complexity: O(number of changes)
    func fingerprint() throws -> StoreFingerprint? {
        if try kept().isEmpty { return nil }
        return try store.storedFingerprint().map { $0 + effect(of: log.touched) }
    }

    /// Adds the effective changes of the transaction at its end.
    ///
    /// - Complexity: O(number of changes) if a history or fingerprint is kept; else one lookup
    func finish() throws {
        let changes = hasBegunAfterChanges ? log.touched : log.effectiveChanges()
        if changes.isEmpty { return }
        let kept = try kept()
        if kept.isEmpty { return }
        if let former = try store.storedFingerprint() { try setFingerprint(former + effect(of: changes)) }
        guard kept.contains(.changes) else { return }
        var numbers = try HistoryNumbers(after: store.historySequence, in: store)
        for change in changes {
            guard let record = change.new ?? change.old else { continue }
            try numbers.add(record, by: writers)
        }
        try metadata.setUncounted("\(numbers.last)", for: HistoryName.sequence)
    }

    /// Returns the difference that changes make to the fingerprint.
    private func effect(of changes: [Commit.RecordChange]) -> StoreFingerprint {
        var effect = StoreFingerprint()
        for change in changes {
            if let new = change.new { effect = effect + StoreFingerprint(of: new) }
            if let old = change.old { effect = effect - StoreFingerprint(of: old) }
        }
        return effect
    }

    private func setFingerprint(_ fingerprint: StoreFingerprint?) throws {
        try metadata.setUncounted(fingerprint?.text, for: HistoryName.fingerprint)
    }
}

extension HistoryLog {
    /// Changes whether the store keeps a history.
    ///
    /// - Complexity: O(number of records)
    func keepChanges(_ isKept: Bool) throws {
        let kept = try kept()
        if kept.contains(.changes) == isKept { return }
        try set(isKept ? kept.union(.changes) : kept.subtracting(.changes))
        try isKept ? begin() : removeRows()
    }

    /// Changes whether the store keeps a fingerprint without a history.
    ///
    /// - Complexity: O(number of records)
    func keepFingerprint(_ isKept: Bool) throws {
        let kept = try kept()
        if kept.contains(.fingerprint) == isKept { return }
        try set(isKept ? kept.union(.fingerprint) : kept.subtracting(.fingerprint))
    }

    /// Removes the tombstones up to a number.
    ///
    /// - Complexity: O(number of changes up to that number), by an index
    func removeTombstones(through sequence: Int64) throws {
        guard try kept().contains(.changes) else { return }
        let (limit, former) = (min(sequence, try store.historySequence), try store.historyHorizon)
        if limit <= former { return }
        var (next, isComplete) = (Int64(0), false)
        while !isComplete {
            let page = try store.history(after: next, limit: HistoryLog.pageCount)
            for entry in page where entry.sequence <= limit {
                if try log.record(entry.id) != nil { continue }
                try remove(entry.id)
            }
            next = page.last?.sequence ?? limit
            isComplete = next >= limit
        }
        try metadata.set("\(limit)", for: HistoryName.horizon)
    }

    /// The number of rows that are read at once.
    private static let pageCount = 1_000

    private func remove(_ id: RecordID) throws {
        let shape = try store.shape(HistoryEntry.shapeName)
        _ = try store.storage.remove(.array(HistoryEntry.rowKey(of: id)), in: shape)
    }

    /// Changes what the store keeps, and computes or removes the fingerprint.
    private func set(_ kept: KeptHistory) throws {
        let former = try self.kept()
        known = kept
        try metadata.set(kept.isEmpty ? nil : "\(kept.rawValue)", for: HistoryName.kept)
        if former.isEmpty {
            var fingerprint = StoreFingerprint()
            for shape in store.schema.parentsFirst {
                try store.forEach(Query(shape.name)) { record in
                    fingerprint = fingerprint + StoreFingerprint(of: record)
                    return true
                }
            }
            // The changes of the transaction are added at its end.
            try setFingerprint(fingerprint - effect(of: log.touched))
        } else if kept.isEmpty {
            try setFingerprint(nil)
        }
    }

    /// Adds a row for each existing record.
    private func begin() throws {
        hasBegunAfterChanges = !log.touched.isEmpty
        let former = try store.historySequence
        var numbers = try HistoryNumbers(after: former, in: store)
        for shape in store.schema.parentsFirst {
            // Nothing is written while records are read.
            for key in try store.keys(of: shape.name) { try numbers.add(RecordID(shape.name, key), by: writers) }
        }
        try metadata.set("\(numbers.last)", for: HistoryName.sequence)
        // Deletions while no history was kept are unknown.
        try metadata.set("\(former)", for: HistoryName.horizon)
    }

    private func removeRows() throws {
        hasBegunAfterChanges = false
        var page: [HistoryEntry] = []
        repeat {
            page = try store.history(after: 0, limit: HistoryLog.pageCount)
            for entry in page { try remove(entry.id) }
        } while !page.isEmpty
    }
}

/// The numbers that a transaction gives to changes.
private struct HistoryNumbers {
    /// The last number.
    private(set) var last: Int64

    private let storage: any RecordStorage
    private let shape: Shape

    init(after last: Int64, in store: ReadTransaction) throws {
        self.last = last
        (storage, shape) = (store.storage, try store.shape(HistoryEntry.shapeName))
    }

    /// Gives the next number to the change of a record.
    mutating func add(_ record: Record, by writers: [RecordID: String]) throws {
        try add(RecordID(record.shape.root, record.key), by: writers)
    }

    /// Gives the next number to the change of a record under the name of its root.
    mutating func add(_ id: RecordID, by writers: [RecordID: String]) throws {
        if last == .max {
            throw PersistenceError(
                .unreadable, "the number of the last change is the greatest: \(PersistenceError.damageRemedy)",
                id: RecordID("sync.metadata", .string(HistoryName.sequence)))
        }
        last += 1
        let writer = writers.isEmpty ? nil : writers[id]
        _ = try storage.put(HistoryEntry(id: id, sequence: last, writer: writer).row(in: shape))
    }
}
