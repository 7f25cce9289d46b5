/// A transaction that reads and changes a store.
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
/// Its later reads see the applied changes. Other transactions see them after the commit.
public final class WriteTransaction: ReadTransaction {
    /// The state of each hierarchy that the transaction has used, by its root.
    private(set) var hierarchies: [String: HierarchyState] = [:]
    // The two that were used last: consecutive records often belong to them.
    private var latestHierarchy: HierarchyState?
    private var previousHierarchy: HierarchyState?

    /// The expected number of touched records.
    var expectedCount = 0

    /// The shapes of the last stored records, which the next record usually shares.
    var latestShape: Shape?
    var previousShape: Shape?

    /// The touched records, before and after.
    var touched: [Commit.RecordChange] = []

    /// Whether a record was touched twice, and may be as it was before.
    private var mayHaveReverted = false
    var unchangedCount = 0
    package internal(set) var heldBack: [RecordID] = []
    var metadataNames: [String] = []

    /// Whether internal data was written.
    var hasNotes = false

    /// The tokens to be marked instead of those of the touched records; nil for these.
    package var payloadMarks: [UInt64]?

    /// Called with the old and the new version of each changed record.
    package var onTouch: ((Record?, Record?) -> Void)?

    /// Called with the token of each record whose journal entry changes, and of its targets for the remote.
    package var onEntry: ((UInt64) -> Void)?

    /// The next places at the ends of ordered links.
    var linkPositions = LinkPositions()

    /// The deletions that the store keeps.
    var tombstones = TombstoneLog()

    /// The conditions that must hold at the end.
    var obligations = Obligations()

    /// The remote's changes that are checked again at the end.
    var incoming = IncomingChanges()

    /// By shape, whether its records have a remote of their own, as far as is known.
    var synchronizedShapes: [ObjectIdentifier: Bool] = [:]

    /// The entities with a cycle in progress.
    var cyclingEntities: Set<String> = []

    /// How many records others wait for; nil if unknown.
    var awaitedCount: Int64?

    /// How many of the touched records were checked for others that wait for them.
    var awaitingScan = 0

    /// Links that were made locally and never sent, and that a deletion of the remote has deleted.
    private(set) var deletedLinks: [RecordID] = []

    /// Whether records differ from what the change sets state.
    var hasConsequences = false

    /// Whether the changes are a user's decision, so that none of them waits.
    var isDecided = false

    /// Whether records were stored as the remote's version, and whether others were changed.
    private(set) var hasArrivals = false
    private(set) var hasOtherChanges = false

    /// The error of a failed change set, after which the transaction cannot be committed.
    private(set) var failure: (any Error)?

    /// Runs a body that changes the store, unless a change has failed before.
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

    /// Whether a push is in flight; nil if unknown.
    var hasInFlight: Bool?

    /// Runs a body that changes a storage, and checks the rules of the schema for several records.
    ///
    /// An adapter calls it within a transaction of its store, commits that if this returns, and rolls it back if this
    /// throws.
    public static func run<Result>(
        on storage: any RecordStorage, _ body: (WriteTransaction) throws -> Result
    ) throws -> (commit: Commit, result: Result) {
        let transaction = WriteTransaction(on: storage)
        let result = try body(transaction)
        return (try transaction.finish(), result)
    }

    /// Returns the record of an entity, or of an inheriting one, with a key; nil if there is none.
    ///
    /// Records that the transaction knows are not read from the storage.
    public override func record(_ id: RecordID) throws -> Record? {
        let shape = try shape(id.entity)
        guard failure == nil, let state = knownHierarchy(of: shape) else { return try super.record(id) }
        let record = try record(DigestedKey(id.key), of: shape, in: state)
        return record.flatMap { $0.shape === shape || $0.shape.inherits(id.entity) ? $0 : nil }
    }

    /// Returns the record with a key in the hierarchy of a shape.
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
        // Internal records are not among the touched ones.
        let isTouched = root.role == nil || root.role == .links
        let state = HierarchyState(
            root: root, wasEmpty: try isTouched && storage.count(Query(root.name, limit: 1)) == 0,
            journalWasEmpty: schema[journal] == nil ? true : try storage.count(Query(journal, limit: 1)) == 0)
        if hierarchies.isEmpty { state.positions.reserve(expectedCount) }
        hierarchies[root.name] = state
        return keep(state)
    }

    /// Returns the state of a shape's hierarchy; nil if the transaction has not used it.
    func knownHierarchy(of shape: Shape) -> HierarchyState? {
        if let latest = latestHierarchy, latest.root === shape || latest.root.name == shape.root { return latest }
        if let previous = previousHierarchy, previous.root === shape { return keep(previous) }
        return hierarchies[shape.root].map(keep)
    }

    private func keep(_ state: HierarchyState) -> HierarchyState {
        if state !== latestHierarchy { (latestHierarchy, previousHierarchy) = (state, latestHierarchy) }
        return state
    }

    /// Returns the index of a record in ``touched``.
    func position(of key: DigestedKey, in hierarchy: HierarchyState) -> Int? {
        hierarchy.positions.find(key.digest) { isKey(key.key, at: $0, of: hierarchy) }
    }

    private func isKey(_ key: Value, at position: Int, of hierarchy: HierarchyState) -> Bool {
        ((touched[position].new ?? touched[position].old)?.key ?? hierarchy.keysOfNone[position]) == key
    }

    /// Returns the metadata's name of the last key that a store has counted for a hierarchy.
    static func lastKeyName(of root: String) -> String { "sync.lastKey.\(root)" }

    /// Records the change of a record.
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

    /// Records that a deletion of the remote deletes a link, if that was made locally and never sent.
    func noteDeletedLink(_ link: Record) throws {
        if let entry = try entry(of: link), entry.base == nil { deletedLinks.append(link.id) }
    }

    /// Whether a change makes a record the remote's version.
    private func noteArrival(_ origin: ChangeSet.Origin, _ isConsequence: Bool) -> Bool {
        let isArrival = origin != .local && !isConsequence && !isDecided
        if isArrival { hasArrivals = true } else { hasOtherChanges = true }
        return isArrival
    }

    /// Records a new record, unless the transaction has touched the key before; returns whether it has not.
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

    /// Records that the journal entry of an unchanged record has changed.
    func touchEntry(_ key: DigestedKey, of hierarchy: HierarchyState, record: Record?) {
        hierarchy.hasMadeEntries = true
        let hadConsequences = hasConsequences
        touch(key, of: hierarchy, old: record, new: record, origin: .agreed, isConsequence: true)
        hasConsequences = hadConsequences
        mayHaveReverted = true
    }

    /// Returns the number of the commit if anything changes.
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
    /// Whether a journal entry was changed or removed.
    private func hasJournalChanged() throws -> Bool {
        try hierarchies.values.contains { state in
            guard let journal = schema[JournalEntry.shapeName(of: state.root.name)] else { return false }
            return try state.formerEntries.contains { key, old in try storage.record(key, in: journal) != old }
        }
    }

    /// Checks the rules of the schema for several records, and returns the effective changes.
    func finish() throws -> Commit {
        if let failure { throw failure }
        try checkObligations()
        for (root, state) in hierarchies.sorted(by: { $0.key < $1.key }) {
            if state.hasNewLastKey, let lastKey = state.lastKey {
                try note("\(lastKey)", as: WriteTransaction.lastKeyName(of: root))
            }
        }
        if mayHaveReverted { touched.removeAll { $0.old == $0.new } }
        if heldBack.count > 1 {
            var seen: Set<RecordID> = []
            heldBack = try heldBack.filter { seen.insert(RecordID(try shape($0.entity).root, $0.key)).inserted }
        }
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
