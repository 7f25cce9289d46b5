/// The history and the fingerprint of a store, as a transaction changes them.
final class HistoryLog {
    /// What the store keeps; nil if unknown.
    private var known: KeptHistory?

    /// Whether the history was begun after changes of the transaction, which may be undone afterwards.
    private var hasBegunAfterChanges = false

    /// Who has made which of the transaction's changes.
    private var writers = HistoryWriters()

    /// The difference that changes make to the fingerprint, and how often the log was changed by then.
    private var latestEffect: (changeCount: Int, effect: StoreFingerprint)?

    /// Reads what is stored.
    private let store: ReadTransaction
    /// The touched records.
    private let log: ChangeLog
    /// Stores what is kept, and the last number.
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
        try writers.set(writer, of: ids) { RecordID(try store.shape($0.entity).root, $0.key) }
    }

    /// Returns the fingerprint with the transaction's changes so far; nil if none is kept.
    ///
    /// - Complexity: O(number of changes)
    func fingerprint() throws -> StoreFingerprint? {
        if try kept().isEmpty { return nil }
        return try store.storedFingerprint().map { $0 + effect() }
    }

    /// Returns the number of the last change at the end of the transaction, if it changes nothing more.
    ///
    /// It is nil if another writer has made some of its changes, or if no history is kept.
    ///
    /// - Complexity: O(number of changes)
    func lastSequence(by writer: String) throws -> Int64? {
        guard !hasBegunAfterChanges, try kept().contains(.changes) else { return nil }
        let changes = log.changesSoFar
        // A lookup moves on in the list of writers. It uses a copy, because more changes may follow.
        var writers = writers
        for (position, change) in changes.enumerated() {
            guard let record = change.new ?? change.old else { continue }
            if writers.writer(of: record.rootID, at: position) != writer { return nil }
        }
        return try store.historySequence + Int64(changes.count)
    }

    /// Adds the effective changes of the transaction at its end.
    ///
    /// - Complexity: O(number of changes) if a history or fingerprint is kept; else one lookup
    func finish() throws {
        if hasBegunAfterChanges { try removeRowsOfNone() }
        let changes = hasBegunAfterChanges ? log.touched : log.effectiveChanges()
        if changes.isEmpty { return }
        let kept = try kept()
        if kept.isEmpty { return }
        if kept.contains(.changes) { try addRows(for: changes) }
        if let former = try store.storedFingerprint() { try setFingerprint(former + effect()) }
    }

    /// Gives each change a number, and stores its row.
    ///
    /// - Complexity: O(number of changes)
    private func addRows(for changes: Commit.Changes) throws {
        let former = try store.historySequence
        var numbers = try HistoryNumbers(after: former, in: store)
        for (position, change) in changes.enumerated() {
            guard let record = change.new ?? change.old else { continue }
            try numbers.add(record.rootID, position, by: &writers)
        }
        try metadata.setUncounted("\(numbers.last)", for: HistoryName.sequence)
        // A change of another writer ends the run.
        let run = try store.historyRun()
        if let writer = writers.only {
            let start = run?.writer == writer && run?.end == former ? run?.start : nil
            let next = HistoryRun(writer: writer, start: start ?? former, end: numbers.last)
            try metadata.setUncounted(next.text, for: HistoryName.run)
        } else if run != nil {
            try metadata.setUncounted(nil, for: HistoryName.run)
        }
    }

    /// Returns the difference that the transaction's changes so far make to the fingerprint.
    ///
    /// - Complexity: O(number of changes), unless there was none since the last call
    private func effect() -> StoreFingerprint {
        if let latestEffect, latestEffect.changeCount == log.changeCount { return latestEffect.effect }
        var effect = StoreFingerprint()
        for change in log.touched {
            if let new = change.new { effect = effect + StoreFingerprint(of: new) }
            if let old = change.old { effect = effect - StoreFingerprint(of: old) }
        }
        latestEffect = (log.changeCount, effect)
        return effect
    }

    /// Stores the fingerprint; nil if it is not kept.
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
        let pruned = try store.number(HistoryName.pruned) ?? former
        if limit <= pruned { return }
        try removeTombstones(after: pruned, through: limit)
        if limit > former { try metadata.set("\(limit)", for: HistoryName.horizon) }
        try metadata.set(limit < former ? "\(limit)" : nil, for: HistoryName.pruned)
    }

    /// Moves the horizon to a number, and leaves the tombstones up to it to ``removeForgotten(among:)``. O(1)
    func moveHorizon(to sequence: Int64) throws {
        guard try kept().contains(.changes) else { return }
        let (limit, former) = (min(sequence, try store.historySequence), try store.historyHorizon)
        if limit <= former { return }
        if try store.number(HistoryName.pruned) == nil {
            try metadata.set("\(former)", for: HistoryName.pruned)
        }
        try metadata.set("\(limit)", for: HistoryName.horizon)
    }

    /// Removes some of the tombstones up to the horizon that are left.
    ///
    /// - Parameter count: How many numbers are examined.
    /// - Complexity: O(`count`), by an index
    func removeForgotten(among count: Int64) throws {
        guard let pruned = try store.number(HistoryName.pruned) else { return }
        let horizon = try store.historyHorizon
        let end = horizon - pruned > count ? pruned + count : horizon
        try removeTombstones(after: pruned, through: end)
        try metadata.set(end < horizon ? "\(end)" : nil, for: HistoryName.pruned)
    }

    /// Removes the tombstones of a range of numbers.
    private func removeTombstones(after start: Int64, through end: Int64) throws {
        try forEachEntry(after: start, through: end) { entry in
            if try log.record(entry.id) == nil { try remove(entry.id) }
        }
    }

    /// Calls a body with the entries of a range of numbers; the body may remove the entry.
    private func forEachEntry(
        after start: Int64, through end: Int64, _ body: (HistoryEntry) throws -> Void
    ) throws {
        var last = start
        while last < end {
            let page = try store.history(after: last, limit: 1_000)
            try store.prefetch { page.map(\.id) }
            for entry in page where entry.sequence <= end { try body(entry) }
            last = page.last?.sequence ?? end
        }
    }

    /// Removes the row of a record.
    private func remove(_ id: RecordID) throws {
        let shape = try store.shape(Shape.historyName)
        _ = try store.storage.remove(.array(HistoryEntry.rowKey(of: id)), in: shape)
    }

    /// Changes what the store keeps, and computes or removes the fingerprint.
    private func set(_ kept: KeptHistory) throws {
        let former = try self.kept()
        known = kept
        try metadata.set(kept.isEmpty ? nil : "\(kept.rawValue)", for: HistoryName.kept)
        if former.isEmpty {
            // The changes of the transaction are added at its end.
            try setFingerprint(StoreFingerprint(ofAllIn: store) - effect())
        } else if kept.isEmpty {
            try setFingerprint(nil)
        }
    }

    /// Adds a row for each existing record.
    private func begin() throws {
        hasBegunAfterChanges = !log.touched.isEmpty
        let former = try store.historySequence
        var numbers = try HistoryNumbers(after: former, in: store)
        for shape in store.schema.referenceOrder.roots {
            // Nothing is written while records are read.
            for key in try store.keys(of: shape.name) { try numbers.add(RecordID(shape.name, key), writer: nil) }
        }
        try metadata.set("\(numbers.last)", for: HistoryName.sequence)
        // Deletions while no history was kept are unknown.
        try metadata.set("\(former)", for: HistoryName.horizon)
        try metadata.set(nil, for: HistoryName.pruned)
    }

    /// Removes all rows, when a store no longer keeps a history.
    private func removeRows() throws {
        hasBegunAfterChanges = false
        try forEachEntry(after: 0, through: store.historySequence) { try remove($0.id) }
    }

    /// Removes the rows of records that the transaction has inserted before it began the history, and deleted after.
    private func removeRowsOfNone() throws {
        for state in log.hierarchies.values {
            for (position, key) in state.keysOfNone {
                let change = log.touched[position]
                if change.old == nil && change.new == nil { try remove(RecordID(state.root.name, key)) }
            }
        }
    }
}

/// The numbers that a transaction gives to changes.
private struct HistoryNumbers {
    /// The last number.
    private(set) var last: Int64

    /// The storage that keeps the rows.
    private let storage: any RecordStorage
    /// The shape of the rows.
    private let shape: Shape

    /// Creates the numbers after the last one that was given.
    init(after last: Int64, in store: ReadTransaction) throws {
        self.last = last
        (storage, shape) = (store.storage, try store.shape(Shape.historyName))
    }

    /// Gives the next number to the change of a record under the name of its root.
    ///
    /// - Parameter position: The position of the change among those of the transaction.
    mutating func add(_ id: RecordID, _ position: Int, by writers: inout HistoryWriters) throws {
        try add(id, writer: writers.writer(of: id, at: position))
    }

    /// Gives the next number to the change of a record under the name of its root.
    mutating func add(_ id: RecordID, writer: String?) throws {
        if last == .max {
            throw PersistenceError(
                .unreadable, "the number of the last change is the greatest: \(PersistenceError.damageRemedy)",
                id: RecordID("sync.metadata", .string(HistoryName.sequence)))
        }
        last += 1
        try storage.store(HistoryEntry(id: id, sequence: last, writer: writer).row(in: shape))
    }
}
