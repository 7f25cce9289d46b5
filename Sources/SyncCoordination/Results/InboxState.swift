import StoreSync
import SyncPersistence

/// What the synchronization of a store has left to people.
struct InboxState: ObservedState {
    /// The inbox at the last reading; nil before the first.
    private var inbox: StoreInbox?

    /// A commit does not show the journal.
    func receive(_ commit: Commit) -> Bool { true }

    /// Returns the inbox if it has changed; nil otherwise.
    mutating func update(in transaction: ReadTransaction, isPrepared: Bool) throws -> StoreInbox? {
        let former = inbox
        let inbox = try transaction.inbox
        self.inbox = inbox
        return inbox == former ? nil : inbox
    }
}
