/// What a transaction keeps of the remote's changes until its end, when it checks what the schema asks of the whole.
struct IncomingChanges {
    /// Deletions that something here stands against so far.
    var deletions = PendingDeletions()

    /// What storing a record of the remote has changed in other records, in order.
    var displacements: [Displacement] = []

    /// Of records that the remote itself has changed, how many displacements came before: what those did is decided.
    var decided: [RecordID: Int] = [:]

    /// Of records of which a change has stated the shadow, how many displacements came before.
    var statedShadows: [RecordID: Int] = [:]

    /// The record of the remote that is being connected, whose consequences are noted.
    var cause: RecordID? {
        didSet { causeStart = displacements.count }
    }

    /// How many displacements came before the record was connected.
    private var causeStart = 0

    /// Records and entries before the remote's change, where the transaction itself had changed them earlier.
    var earlier: [RecordID: (record: Record?, entry: JournalEntry?)] = [:]

    /// Whether local changes that meet those of the remote are merged with them once all of these are known.
    var mergesEdits = false

    /// By shape, what the delete rules of its records may reach.
    var reaches: [ObjectIdentifier: DeletionReach] = [:]

    /// Records that another record does not name any more, in order, each under the name of its hierarchy's root.
    private(set) var released: [RecordID] = []
    private var known: Set<RecordID> = []

    /// Records of the remote that are as they were before it changed them.
    var putBack: [RecordID] = []

    /// A reference that one record has lost or gained because another was stored.
    struct Displacement {
        let cause: RecordID
        /// The other record, under the name of its hierarchy's root.
        let victim: RecordID
        let slot: String
        let before: Value
        let after: Value
        /// The reference as it was in the shadow.
        let shadow: Value
        /// Whether the reference was a local change, or the remote's change of the record waits.
        let isProtected: Bool
        /// How many displacements came before.
        let index: Int
    }

    /// Whether the record that is being connected has taken a protected reference from another record before.
    func hasTaken(_ slot: String, from victim: RecordID) -> Bool {
        displacements[causeStart...].contains { $0.victim == victim && $0.slot == slot && $0.isProtected }
    }

    /// Notes that a record is named by one record less. O(1)
    mutating func release(_ id: RecordID) {
        if known.insert(id).inserted { released.append(id) }
    }

    /// Returns the records that were released since the last call.
    mutating func takeReleased() -> [RecordID] {
        defer { released = [] }
        return released
    }

    /// The displacements that no later change of the remote has decided.
    var openDisplacements: [Displacement] {
        displacements.filter { $0.index >= decided[$0.victim, default: 0] }
    }
}

/// What the delete rules of a shape's records may reach.
struct DeletionReach {
    /// The roots of the hierarchies of which records may be deleted or changed.
    var roots: Set<String> = []
    /// Whether a rule may deny the deletion, a reference that must have a value may lose it, or a record may be deleted
    /// or changed of which a remote of its own reports that.
    var mayBeDenied = false
}

extension JournalEntry {
    /// Whether nothing was changed here, while the remote's change waits.
    func isWaiting(with present: Record?) -> Bool { isUnsettled && present == base }

    /// Whether a reference of the record was changed here, or would get in the way of a remote change that waits.
    func protects(_ slot: String, of present: Record) -> Bool {
        if isWaiting(with: present) { return remote != nil }
        return base?[slot] != present[slot]
    }
}
