import StoreSync
import SyncPersistence

/// How far the synchronization of some records is.
struct SyncStatesState: ObservedState {
    /// The observed records, which need not exist.
    private let ids: [RecordID]
    /// The states at the last reading; nil before the first.
    private var states: [RecordID: RecordSyncState]?

    /// Creates the states before the first reading.
    init(of ids: [RecordID]) {
        self.ids = ids
    }

    /// A commit does not show the journal.
    func receive(_ commit: Commit) -> Bool { true }

    /// Returns the states if one has changed; nil otherwise.
    mutating func update(
        in transaction: ReadTransaction, isPrepared: Bool
    ) throws -> [RecordID: RecordSyncState]? {
        let former = states
        let states = try transaction.syncStates(of: ids)
        self.states = states
        return states == former ? nil : states
    }
}
