/// A transaction that reads and changes a store.
///
/// ```swift
/// try await store.write { transaction in
///     var changes = ChangeSet()
///     for todo in try transaction.records(Query("ToDo", where: Field("isDone") == true)) {
///         changes.delete(todo.id)
///     }
///     try transaction.apply(changes)
/// }
/// ```
///
/// Its later reads see the applied changes. Other transactions see them after the commit.
public final class WriteTransaction: ReadTransaction {
    /// The touched records.
    let log: ChangeLog

    /// The metadata, and the number of the commit.
    let metadataLog: MetadataLog

    /// The differences between the records and their shadow.
    let entries: TransactionJournal

    /// The pushes that were sent and not answered.
    let inFlight: PushesInFlight

    /// The history and the fingerprint.
    let history: HistoryLog

    /// The entities that have a remote of their own.
    let synchronized: SynchronizedEntities

    /// The rows that the sync of payloads keeps.
    package let payloadRows: PayloadRows

    /// The marks of changed records, by which these rows become void.
    package let payloadMarks: PayloadMarks

    /// Checks records before they are stored.
    var checks: RecordChecks

    /// Keeps references, inverses and delete rules consistent.
    private(set) lazy var rules = RelationshipRules(of: self)

    /// The deletions of the remote.
    private(set) lazy var deletions = IncomingDeletions(of: self)

    /// The remote's changes that the schema does not allow yet.
    private(set) lazy var waiting = WaitingChanges(of: self)

    /// The missing records for which others wait.
    private(set) lazy var awaited = AwaitedRecords(of: self)

    /// The error of a failed change set, after which the transaction cannot be committed.
    private var failure: (any Error)?

    override init(on storage: any RecordStorage) {
        let store = ReadTransaction(on: storage)
        log = ChangeLog(of: store)
        metadataLog = MetadataLog(of: store)
        entries = TransactionJournal(of: store, log)
        inFlight = PushesInFlight(of: store, metadataLog)
        history = HistoryLog(of: store, log, metadataLog)
        synchronized = SynchronizedEntities(of: store)
        payloadRows = PayloadRows(of: store, metadataLog)
        payloadMarks = PayloadMarks(of: store, metadataLog)
        checks = RecordChecks(in: store)
        super.init(on: storage)
    }

    /// Runs a body that changes the store, unless a change has failed before.
    func changing<Result>(_ body: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        if isPassingRecords {
            throw PersistenceError(
                .mismatch, "records are being passed to a body: collect the changes, and apply them afterwards")
        }
        do {
            return try body()
        } catch {
            failure = error
            throw error
        }
    }

    /// Runs a body that changes a storage, and checks the rules of the schema for several records.
    ///
    /// An adapter calls it within a transaction of its store, commits that if this returns, and rolls it back if this
    /// throws.
    ///
    /// - Parameters:
    ///   - storage: The operations of the adapter within its transaction.
    ///   - body: A function that must not keep the transaction.
    /// - Returns: The result of the body, and the commit that the adapter publishes after it has committed.
    /// - Throws: The error of the body; ``PersistenceError`` if the changes violate the schema, such as a reference to
    ///   a missing record.
    /// - Complexity: O(number of touched records) besides the body
    public static func run<Result>(
        on storage: any RecordStorage, _ body: (WriteTransaction) throws -> Result
    ) throws -> WriteResult<Result> {
        let transaction = WriteTransaction(on: storage)
        let result = try body(transaction)
        return WriteResult(commit: try transaction.finish(), result: result)
    }

    /// Returns the record of an entity, or of an inheriting one, with a key; nil if there is none.
    ///
    /// Records that the transaction knows are not read from the storage.
    public override func record(_ id: RecordID) throws -> Record? {
        try failure == nil ? log.record(id) : super.record(id)
    }

    /// Whether there is a record of an entity, or of an inheriting one, with a key.
    package func contains(_ id: RecordID) throws -> Bool {
        try failure == nil ? log.contains(id) : super.record(id) != nil
    }

    /// Returns the fingerprint of the store with the changes of the transaction; nil if the store keeps none.
    public override func fingerprint() throws -> StoreFingerprint? { try history.fingerprint() }

    /// Checks the rules of the schema for several records, and returns the effective changes.
    private func finish() throws -> Commit {
        if let failure { throw failure }
        try rules.check(missing: waiting.mayExist() ? settleIncoming() : rules.missingTargets())
        try entries.removeAgreed()
        try entries.completeHeldBack()
        for (root, state) in log.hierarchies.sorted(by: { $0.key < $1.key }) {
            if let key = state.keys.unsaved { try metadataLog.set("\(key)", for: KeyCounter.name(of: root)) }
        }
        try history.finish()
        let changes = log.effectiveChanges()
        var sequence = try metadataLog.nextSequence() - 1
        let hasInternalChanges = try metadataLog.hasInternalChanges || entries.hasChanged()
        if !changes.isEmpty || !heldBack.isEmpty || hasInternalChanges {
            sequence += 1
            try metadataLog.set("\(sequence)", for: "sync.sequence")
            try payloadMarks.add(log, entries, in: sequence)
        }
        return Commit(
            sequence: sequence, changes: changes, unchangedCount: log.unchangedCount, heldBack: heldBack,
            metadata: metadataLog.names, hasInternalChanges: hasInternalChanges, hasReinsertions: log.hasReinsertions)
    }
}

extension WriteTransaction {
    /// Stores the keys of an entity's push before it is sent.
    func keepInFlight(_ keys: [Value], of entity: String) throws {
        try changing { try inFlight.add(keys, of: entity) }
    }

    /// Removes an entity's push that was answered.
    func removeInFlight(of entity: String) throws {
        try changing { try inFlight.remove(of: entity) }
    }
}

extension WriteTransaction {
    /// Sets who has made the transaction's changes of records.
    ///
    /// The history names no writer for all other changes of the transaction.
    package func setHistoryWriter(_ writer: String, of ids: [RecordID]) throws {
        try changing { try history.setWriter(writer, of: ids) }
    }

    /// Returns the number of the history's last change at the end of the transaction, if it changes nothing more.
    ///
    /// - Parameter writer: The writer of all changes of the transaction; if another one has made some, nil is returned.
    /// - Complexity: O(number of changes)
    package func historySequence(by writer: String) throws -> Int64? { try history.lastSequence(by: writer) }

    /// Starts or stops to keep a fingerprint of the store without a history.
    ///
    /// A store that keeps a history always keeps a fingerprint.
    ///
    /// - Complexity: O(number of records) to start
    package func keepFingerprint(_ isKept: Bool) throws {
        try changing { try history.keepFingerprint(isKept) }
    }
}
