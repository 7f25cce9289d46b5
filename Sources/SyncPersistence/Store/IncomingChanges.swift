/// What a transaction keeps of the remote's changes until its end, when it checks what the schema asks of the whole.
struct IncomingChanges {
    /// Deletions that something here stands against so far.
    var deletions: [Deletion] = []

    /// What storing a record of the remote has changed in other records, in order.
    var displacements: [Displacement] = []

    /// Of records that the remote itself has changed, how many displacements came before: what those did is decided.
    var decided: [RecordID: Int] = [:]

    /// Of records of which a change has stated the shadow, how many displacements came before.
    var statedShadows: [RecordID: Int] = [:]

    /// The record of the remote that is being connected, whose consequences are noted.
    var cause: RecordID?

    /// Records and entries before the remote's change, where the transaction itself had changed them earlier.
    var earlier: [RecordID: (record: Record?, entry: JournalEntry?)] = [:]

    /// By shape, what the delete rules of its records may reach.
    var reaches: [ObjectIdentifier: DeletionReach] = [:]

    /// A deletion of the remote.
    struct Deletion {
        /// The record, under the name of its hierarchy's root.
        let id: RecordID
        let origin: ChangeSet.Origin
        /// What a later change of the set says of the record's shadow.
        var entry: JournalEntry?
    }

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

    /// The displacements that no later change of the remote has decided.
    var openDisplacements: [Displacement] {
        displacements.filter { $0.index >= decided[$0.victim, default: 0] }
    }
}

/// What the delete rules of a shape's records may reach.
struct DeletionReach {
    /// The roots of the hierarchies of which records may be deleted or changed.
    var roots: Set<String> = []
    /// Whether a rule may deny the deletion, or a reference that must have a value may lose it.
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
