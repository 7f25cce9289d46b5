import DifferentialSync
import SyncPersistence

extension NaiveStore {
    /// Whether a history is kept.
    var keepsHistory: Bool { state.metadata["sync.history.kept"] != nil }

    /// Starts to keep a history with all existing records, or stops and removes it.
    ///
    /// The commit must not have changed anything before.
    mutating func keepHistory(_ isKept: Bool) {
        if keepsHistory == isKept { return }
        state.history = [:]
        state.metadata["sync.history.kept"] = isKept ? "1" : nil
        if !isKept { return }
        let former = number("sync.history.sequence")
        let ids = state.rows.flatMap { root, rows in rows.map { RecordID(root, $0.key) } }
        for id in ids { state.history[id] = former + Int64(ids.count) }
        state.metadata["sync.history.sequence"] = "\(former + Int64(ids.count))"
        state.metadata["sync.history.horizon"] = "\(former)"
    }

    /// Removes deleted records from the history up to a number.
    mutating func forgetHistory(_ sequence: Int64) {
        let limit = min(sequence, number("sync.history.sequence"))
        if !keepsHistory || limit <= number("sync.history.horizon") { return }
        state.history = state.history.filter { $0.value > limit || row($0.key) != nil }
        state.metadata["sync.history.horizon"] = "\(limit)"
    }

    /// Adds the changes of a commit to the history.
    mutating func addToHistory(_ changes: Set<Change<Record>>) {
        if !keepsHistory { return }
        let last = number("sync.history.sequence") + Int64(changes.count)
        for record in changes.compactMap({ $0.new ?? $0.old }) { state.history[rootID(record.id)] = last }
        state.metadata["sync.history.sequence"] = "\(last)"
    }

    private func number(_ name: String) -> Int64 { state.metadata[name].flatMap { Int64($0) } ?? 0 }
}
