/// Reads and changes a store in one transaction.
///
/// ```swift
/// try await store.write { transaction in
///     var changes = ChangeSet()
///     for task in try transaction.records(Query("Task", where: Field("isDone") == true)) {
///         changes.delete(task.id)
///     }
///     try transaction.apply(changes)
/// }
/// ```
///
/// What it has applied is seen by what it reads afterwards, and by nobody else before the transaction is committed.
public final class WriteTransaction: ReadTransaction {
    /// What is known of each hierarchy that the transaction has touched, by its root.
    private(set) var hierarchies: [String: HierarchyState] = [:]
    // The two that were touched last: records come with those that they name.
    private var latestHierarchy: HierarchyState?
    private var previousHierarchy: HierarchyState?

    /// About how many records will be touched.
    var expectedCount = 0

    /// The shapes of the records that were stored last, one of which is that of the next as a rule.
    var latestShape: Shape?
    var previousShape: Shape?

    /// The touched records: as they were, and as they are.
    var touched: [Commit.RecordChange] = []

    /// Whether a record was touched that was touched before, and may be again what it was.
    private var mayHaveReverted = false
    var unchangedCount = 0
    package internal(set) var heldBack: [RecordID] = []
    var metadataNames: [String] = []

    /// Whether something was written that is no record of the user's.
    var hasNotes = false

    /// What else there is to be marked of the changes than what they say themselves.
    package var payloadMarks: [UInt64]?

    /// Hears of each change of a record, as it was before that and as it is now.
    package var onTouch: ((Record?, Record?) -> Void)?

    /// Hears of each record of which the journal holds something else than before, by its token, and of what it was and is
    /// connected with for the remote.
    package var onEntry: ((UInt64) -> Void)?

    /// The next places at the ends of ordered links.
    var linkPositions = LinkPositions()

    /// The deletions that the store keeps.
    var tombstones = TombstoneLog()

    /// What has to hold at the end.
    var obligations = Obligations()

    /// What of the remote's changes is looked at once more at the end.
    var incoming = IncomingChanges()

    /// By shape, whether its records have a remote of their own, where that is known.
    var synchronizedShapes: [ObjectIdentifier: Bool] = [:]

    /// The entities of the cycles that go on in the transaction.
    var cyclingEntities: Set<String> = []

    /// For how many records others wait; nil if that is not known yet.
    var awaitedCount: Int64?

    /// How many of the touched records were looked at for others that wait for them.
    var awaitingScan = 0

    /// Whether records have become something else than the change sets say.
    var hasConsequences = false

    /// Whether changes are made that a user has decided on, of which nothing waits.
    var isDecided = false

    /// Whether records were stored as the remote has them, and whether others were changed.
    private(set) var hasArrivals = false
    private(set) var hasOtherChanges = false

    /// What has made a change set fail: the transaction is not committed then, whatever its body does about it.
    private(set) var failure: (any Error)?

    /// Runs something that changes the store, unless that has failed before.
    func changing<Result>(_ body: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        if isHandingOver {
            throw PersistenceError(
                .mismatch, "records are being handed over: collect what is to be changed, and apply it afterwards")
        }
        do {
            return try body()
        } catch {
            failure = error
            throw error
        }
    }

    private var knownSequence: Int64?

    /// Whether a push is in flight; nil if that is not known yet.
    var hasInFlight: Bool?

    /// Runs a body that changes a storage, and checks what the schema asks of the whole.
    ///
    /// The author of an adapter calls it in a transaction of the store's own, commits that if it returns, and rolls it
    /// back if it throws.
    public static func run<Result>(
        on storage: any RecordStorage, _ body: (WriteTransaction) throws -> Result
    ) throws -> (commit: Commit, result: Result) {
        let transaction = WriteTransaction(on: storage)
        let result = try body(transaction)
        return (try transaction.finish(), result)
    }

    /// The record of an entity, or of one that inherits it, with a key; nil if there is none.
    ///
    /// What the transaction itself knows is not asked of the storage.
    public override func record(_ id: RecordID) throws -> Record? {
        let shape = try shape(id.entity)
        guard failure == nil, let state = knownHierarchy(of: shape) else { return try super.record(id) }
        let record = try record(DigestedKey(id.key), of: shape, in: state)
        return record.flatMap { $0.shape === shape || $0.shape.inherits(id.entity) ? $0 : nil }
    }

    /// The record with a key in the hierarchy of a shape.
    func record(_ key: DigestedKey, of shape: Shape, in state: HierarchyState) throws -> Record? {
        if failure == nil {
            if let position = position(of: key, in: state) { return touched[position].new }
            if state.wasEmpty { return nil }
        }
        return try storage.record(key.key, in: shape)
    }
}

extension WriteTransaction {
    func hierarchy(of shape: Shape) throws -> HierarchyState {
        if let known = knownHierarchy(of: shape) { return known }
        let root = try self.shape(shape.root)
        let journal = JournalEntry.shapeName(of: root.name)
        // What the library keeps of its own is not noted where records are touched.
        let isTouched = root.role == nil || root.role == .links
        let state = HierarchyState(
            root: root, wasEmpty: try isTouched && storage.count(Query(root.name, limit: 1)) == 0,
            journalWasEmpty: schema[journal] == nil ? true : try storage.count(Query(journal, limit: 1)) == 0)
        if hierarchies.isEmpty { state.positions.reserve(expectedCount) }
        hierarchies[root.name] = state
        return keep(state)
    }

    /// What is known of the hierarchy of a shape; nil if the transaction has not met it.
    func knownHierarchy(of shape: Shape) -> HierarchyState? {
        if let latest = latestHierarchy, latest.root === shape || latest.root.name == shape.root { return latest }
        if let previous = previousHierarchy, previous.root === shape { return keep(previous) }
        return hierarchies[shape.root].map(keep)
    }

    private func keep(_ state: HierarchyState) -> HierarchyState {
        if state !== latestHierarchy { (latestHierarchy, previousHierarchy) = (state, latestHierarchy) }
        return state
    }

    /// Where in ``touched`` a record stands.
    func position(of key: DigestedKey, in hierarchy: HierarchyState) -> Int? {
        hierarchy.positions.find(key.digest) { isKey(key.key, at: $0, of: hierarchy) }
    }

    private func isKey(_ key: Value, at position: Int, of hierarchy: HierarchyState) -> Bool {
        ((touched[position].new ?? touched[position].old)?.key ?? hierarchy.keysOfNone[position]) == key
    }

    /// The name under which a store notes the last key that it has counted for a hierarchy.
    static func lastKeyName(of root: String) -> String { "sync.lastKey.\(root)" }

    /// Notes that a record has changed.
    func touch(
        _ key: DigestedKey, of hierarchy: HierarchyState, old: consuming Record?, new: consuming Record?,
        origin: ChangeSet.Origin, isConsequence: Bool
    ) {
        onTouch?(old, new)
        if let old, old.shape.role == .links { linkPositions.remove(old, becoming: new) }
        let isNone = new == nil
        let known = hierarchy.positions.find(key.digest, orInsert: touched.count) {
            isKey(key.key, at: $0, of: hierarchy)
        }
        if isNone, known.map({ touched[$0].old == nil }) ?? (old == nil) {
            hierarchy.keysOfNone[known ?? touched.count] = key.key
        }
        let isArrival = noteArrival(origin, isConsequence)
        if isConsequence { hasConsequences = true }
        if let position = known {
            touched[position].new = new
            touched[position].origin = origin
            touched[position].isConsequence = touched[position].isConsequence && isConsequence
            if !isConsequence { touched[position].isArrival = isArrival }
            mayHaveReverted = true
        } else {
            touched.append(Commit.RecordChange(old: old, new: new, origin: origin, isConsequence: isConsequence))
            touched[touched.count - 1].isArrival = isArrival
        }
    }

    /// Whether a change of an origin makes a record what the remote has.
    private func noteArrival(_ origin: ChangeSet.Origin, _ isConsequence: Bool) -> Bool {
        let isArrival = origin != .local && !isConsequence && !isDecided
        if isArrival { hasArrivals = true } else { hasOtherChanges = true }
        return isArrival
    }

    /// Notes a new record, unless the transaction has touched the key before; answers whether it has not.
    func touchFirst(
        _ key: DigestedKey, of hierarchy: HierarchyState, new: Record, origin: ChangeSet.Origin, isConsequence: Bool
    ) -> Bool {
        let known = hierarchy.positions.find(key.digest, orInsert: touched.count) {
            isKey(key.key, at: $0, of: hierarchy)
        }
        if known != nil { return false }
        if new.shape.hasReferences { onTouch?(nil, new) }
        touched.append(Commit.RecordChange(old: nil, new: new, origin: origin, isConsequence: isConsequence))
        touched[touched.count - 1].isArrival = noteArrival(origin, isConsequence)
        return true
    }

    /// Notes that the journal holds something of a record, which has not changed itself.
    func touchEntry(_ key: DigestedKey, of hierarchy: HierarchyState, record: Record?) {
        hierarchy.hasMadeEntries = true
        let hadConsequences = hasConsequences
        touch(key, of: hierarchy, old: record, new: record, origin: .agreed, isConsequence: true)
        hasConsequences = hadConsequences
        mayHaveReverted = true
    }

    /// The number that the commit will have if anything changes.
    func nextSequence() throws -> Int64 {
        if let knownSequence { return knownSequence + 1 }
        let sequence = try sequence
        if sequence == .max {
            throw PersistenceError(
                .unreadable, "the number of the last commit is the greatest: \(PersistenceError.damageRemedy)",
                id: RecordID("sync.metadata", "sync.sequence"))
        }
        knownSequence = sequence
        return sequence + 1
    }
}

extension WriteTransaction {
    /// Whether an entry of the journal is another than before, or gone.
    private func hasJournalChanged() throws -> Bool {
        try hierarchies.values.contains { state in
            guard let journal = schema[JournalEntry.shapeName(of: state.root.name)] else { return false }
            return try state.formerEntries.contains { key, old in try storage.record(key, in: journal) != old }
        }
    }

    /// Checks what the schema asks of the whole, and answers what has changed.
    func finish() throws -> Commit {
        if let failure { throw failure }
        try checkObligations()
        for (root, state) in hierarchies.sorted(by: { $0.key < $1.key }) {
            if state.hasNewLastKey, let lastKey = state.lastKey {
                try note("\(lastKey)", as: WriteTransaction.lastKeyName(of: root))
            }
        }
        if mayHaveReverted { touched.removeAll { $0.old == $0.new } }
        var sequence = try nextSequence() - 1
        let hasNotes = try hasNotes || hasJournalChanged()
        if !touched.isEmpty || !heldBack.isEmpty || hasNotes {
            sequence += 1
            try note("\(sequence)", as: "sync.sequence")
            try mark(in: sequence)
        }
        return Commit(
            sequence: sequence, changes: touched, unchangedCount: unchangedCount, heldBack: heldBack,
            metadata: metadataNames, hasNotes: hasNotes)
    }
}
