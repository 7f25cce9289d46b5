/// The remote's changes that a transaction checks at its end against the rules of the schema.
struct IncomingChanges {
    /// Deletions that something local has prevented so far.
    var deletions = PendingDeletions()

    /// The changes of other records that storing a record of the remote has made, in order.
    var displacements: [Displacement] = []

    /// For each record that the remote itself has changed, the number of earlier displacements, whose effects are
    /// decided.
    var decided: [RecordID: Int] = [:]

    /// For each record whose shadow a change has stated, the number of earlier displacements.
    var statedShadows: [RecordID: Int] = [:]

    /// The record of the remote whose links are being made and whose consequences are recorded.
    var cause: RecordID? {
        didSet { causeStart = displacements.count }
    }

    /// The number of displacements before the record's links were made.
    private var causeStart = 0

    /// Records and entries before the remote's change, if the transaction itself had changed them.
    var earlier: [RecordID: (record: Record?, entry: JournalEntry?)] = [:]

    /// Whether local changes are merged with those of the remote, once all of these are known.
    var mergesEdits = false

    /// By shape, what the delete rules of its records can reach.
    var reaches: [ObjectIdentifier: DeletionReach] = [:]

    /// Records that another record no longer refers to, in order, each under the name of its hierarchy's root.
    private(set) var released: [RecordID] = []
    private var known: Set<RecordID> = []

    /// Records of the remote before it changed them.
    var putBack: [RecordID] = []

    /// A reference that one record has lost or gained because another was stored.
    struct Displacement {
        let cause: RecordID
        /// The other record, under the name of its hierarchy's root.
        let victim: RecordID
        let slot: String
        let before: Value
        let after: Value
        /// The reference in the shadow.
        let shadow: Value
        /// Whether the reference was a local change, or the remote's change of the record waits.
        let isProtected: Bool
        /// The number of earlier displacements.
        let index: Int
    }

    /// Whether the record whose links are being made has taken a protected reference from another record.
    func hasTaken(_ slot: String, from victim: RecordID) -> Bool {
        displacements[causeStart...].contains { $0.victim == victim && $0.slot == slot && $0.isProtected }
    }

    /// Records that one reference to a record was removed.
    ///
    /// O(1)
    mutating func release(_ id: RecordID) {
        if known.insert(id).inserted { released.append(id) }
    }

    /// Whether any record was released since they were last returned.
    var hasReleased: Bool { !released.isEmpty }

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

/// The reach of the delete rules of a shape's records.
struct DeletionReach {
    /// The roots of the hierarchies whose records may be deleted or changed.
    var roots: Set<String> = []
    /// Whether a rule may deny the deletion, a mandatory reference may be cleared, or a record with a remote of its own
    /// may be deleted or changed.
    var mayBeDenied = false
}

extension JournalEntry {
    /// Whether nothing was changed locally, while the remote's change waits.
    package func isWaiting(with present: Record?) -> Bool { isUnsettled && present == base }

    /// Whether a reference of the record is a local change, or conflicts with a waiting change of the remote.
    func protects(_ slot: String, of present: Record) -> Bool {
        if isWaiting(with: present) { return remote != nil }
        return base?[slot] != present[slot]
    }
}
