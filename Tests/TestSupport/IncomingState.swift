import DifferentialSyncTesting
import SyncPersistence

/// The remote changes of a running commit that are decided at its end.
struct IncomingState {
    /// The origin of the commit.
    var origin = ChangeSet.Origin.local
    /// The records whose remote change was undone, in that order.
    var putBack: [RecordID] = []
    /// The records that the commit has changed so far.
    var touched: Set<RecordID> = []
    /// The records whose last change came from the remote.
    var arrivals: Set<RecordID> = []
    /// The states of records before their remote change, if the commit had changed them before.
    var earlier: [RecordID: Noted] = [:]
    /// The records that are undone before others to whose one-to-one targets they refer.
    var undone: Set<RecordID> = []
    /// The remote deletions that are not made yet.
    var deletions: [Deletion] = []
    /// The records that are equal to the remote's known version after a local change, and still count as changed.
    var agreed: Set<RecordID> = []
    /// The references that changed as consequences of remote changes, in order.
    var displacements: [Displacement] = []
    /// For each record, the number of displacements before the remote's own change of it.
    ///
    /// Those displacements no longer count.
    var decided: [RecordID: Int] = [:]
    /// For each record, the number of displacements before a `setShadow` operation.
    var statedShadows: [RecordID: Int] = [:]
    /// The record whose remote change is being stored; nil at other times.
    var cause: RecordID? { didSet { causeStart = displacements.count } }
    /// The number of displacements before the present cause.
    var causeStart = 0

    /// The displacements that no later remote change of the displaced record supersedes.
    var openDisplacements: [Displacement] {
        displacements.filter { $0.index >= decided[$0.victim] ?? 0 }
    }

    /// The state of a record at one point of the commit.
    struct Noted {
        var row: Record?
        var shadow: Record?
        var open: Record??
        var isDirty: Bool { open != nil || shadow != row }
    }

    /// A remote deletion that waits for the end of the commit.
    struct Deletion {
        let id: RecordID
        let origin: ChangeSet.Origin
        var entry: JournalEntry?
        /// Whether the deletion waits in the journal already.
        var isNoted = false
    }

    /// A change of one reference as a consequence of a remote change.
    struct Displacement {
        /// The record whose remote change is the reason.
        let cause: RecordID
        /// The record whose reference changed.
        let victim: RecordID
        /// The name of the reference.
        let slot: String
        /// The value of the reference before the displacement.
        let before: Value
        /// The value of the reference after the displacement.
        let after: Value
        /// The value in the shadow before the change.
        let shadow: Value
        /// Whether the former value was a local change, which must be kept.
        let isProtected: Bool
        /// The position in the list of displacements.
        let index: Int

        /// Whether the other record still has the changed reference, and must not keep it.
        func mustBeUndone(in record: Record) -> Bool {
            guard record[slot] == after, let position = record.shape.slot(named: slot) else { return false }
            return isProtected || after.isNull && !record.shape.slots[position].isOptional
        }
    }
}

extension IncomingState {
    /// Whether the present cause has taken a protected reference from a record before.
    func hasTaken(_ slot: String, from victim: RecordID) -> Bool {
        displacements[causeStart...].contains { $0.victim == victim && $0.slot == slot && $0.isProtected }
    }
}
