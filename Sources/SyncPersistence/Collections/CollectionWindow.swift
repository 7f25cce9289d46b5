import DifferentialSync

/// A part of a stored collection in memory: the records that a step of a cycle concerns.
struct CollectionWindow {
    /// The entity whose records the collection has.
    private let entity: String
    /// The transaction in which the records are read.
    private let transaction: ReadTransaction
    /// The rows, in the order in which they were read.
    private var rows: [Row] = []
    /// The position of each row, by its key.
    private var positions: [Value: Int] = [:]

    /// The keys of changes to be pushed that are not in the window.
    private var outgoingKeysElsewhere: [Value] = []

    /// The content of the store under one key.
    struct Row {
        /// The key.
        let key: Value
        /// The stored record; nil if there is none.
        let record: Record?
        /// The journal entry; nil if record and shadow are the same.
        let entry: JournalEntry?
        /// The record and its base with new members of the remote; nil if they are unchanged.
        fileprivate(set) var adopted: MemberAdoption.Result?

        /// The record in the shadow.
        var base: Record? { entry.map(\.base) ?? record }

        /// The record to merge with the remote's.
        var recordToMerge: Record? { adopted.map(\.local) ?? record }

        /// The record in the shadow to merge with the remote's.
        var baseToMerge: Record? { adopted?.base ?? base }

        /// The change of the record to be pushed; nil if there is none.
        var outgoingChange: Change<Record>? {
            guard let entry, !entry.isUnsettled, entry.base != record else { return nil }
            return Change(from: entry.base, to: record)
        }
    }

    /// Creates an empty window.
    init(of entity: String, in transaction: ReadTransaction) {
        self.entity = entity
        self.transaction = transaction
    }
}

extension CollectionWindow {
    /// Loads the record and the journal entry with a key into the window.
    ///
    /// The record may be missing.
    ///
    /// - Complexity: O(1)
    @discardableResult
    mutating func load(_ key: Value) throws -> Row {
        if let position = positions[key] { return rows[position] }
        let id = RecordID(entity, key)
        let row = Row(key: key, record: try transaction.record(id), entry: try transaction.journalEntry(id))
        positions[key] = rows.count
        rows.append(row)
        return row
    }

    /// Adds members that the type reads since its update from the remote's records to local changes.
    ///
    /// - Parameters:
    ///   - remote: All elements of the remote that differ from the shadow.
    ///   - known: The members that were read when collection and remote last agreed.
    ///   - adopt: Returns base and local version with the new members.
    mutating func adopt(
        _ remote: [Record], knowing known: MemberTree, _ adopt: (MemberAdoption) -> MemberAdoption.Result?
    ) {
        for record in remote {
            guard let position = positions[record.key], rows[position].entry != nil, let base = rows[position].base
            else { continue }
            rows[position].adopted = adopt(
                MemberAdoption(base: base, local: rows[position].record, remote: record, known: known))
        }
    }

    /// The number of keys in the window, including those without a record.
    var count: Int { rows.count }

    /// Whether the window has loaded a key, even if no record exists under it.
    func contains(_ key: Value) -> Bool { positions[key] != nil }

    /// Loads the first of the given changes, as many as a push holds.
    ///
    /// If `areAll` is true, keeps the keys of the others.
    mutating func loadOutgoing(_ keys: some Sequence<Value>, upTo limit: PushLimit<Record>, areAll: Bool) throws {
        var count = 0
        var weight = 0
        for key in keys where !contains(key) {
            // Loads one change more than the push holds; otherwise the push would treat the others as done.
            if count < limit.count && (weight <= max(0, limit.weight) || count < 2) {
                guard let change = try load(key).outgoingChange else { continue }
                count += 1
                let (sum, isTooLarge) = weight.addingReportingOverflow(limit.weight(of: change))
                weight = isTooLarge ? .max : sum
            } else if areAll {
                outgoingKeysElsewhere.append(key)
            } else {
                return
            }
        }
    }

    /// Loads all records and all local deletions into the window.
    ///
    /// - Complexity: O(*n*)
    mutating func loadEverything() throws {
        for key in try transaction.keys(of: entity) { try load(key) }
        for key in try transaction.keys(of: JournalShape.name(of: entity)) { try load(key) }
    }

    /// Loads the records in the shadow into the window.
    ///
    /// - Complexity: O(*n*); records that were inserted locally are not read
    mutating func loadShadow() throws {
        let journal = JournalShape.name(of: entity)
        let new = Set(
            try transaction.keys(
                of: journal,
                where: .and([
                    .comparison(path: "sync.isInShadow", .equal, false),
                    .comparison(path: "sync.isUnsettled", .equal, false),
                ])))
        for key in try transaction.keys(of: entity) where !new.contains(key) { try load(key) }
        for key in try transaction.keys(of: journal) where !new.contains(key) { try load(key) }
    }
}

extension CollectionWindow {
    /// Returns the rows as a collection, by the keys of the records.
    ///
    /// - Parameters:
    ///   - state: The stored state of the collection's cycles.
    ///   - push: The push in doubt, if there is one.
    func collection(_ state: CycleState, push: Push<Record>?) throws -> JournaledCollection<Record, Value> {
        var collection = try JournaledCollection(
            restoring: StoredCollection(
                client: rows.compactMap(\.recordToMerge), shadow: rows.compactMap(\.baseToMerge),
                version: state.version, account: state.account, pendingPush: push,
                unresolved: rows.filter { $0.entry?.isUnsettled == true }.map {
                    Conflict(base: $0.baseToMerge, local: $0.recordToMerge, remote: $0.entry?.remote)
                }, pushNames: state.pushNames),
            primaryKey: { $0.key })
        collection.outgoingKeysElsewhere = outgoingKeysElsewhere
        return collection
    }

    /// Returns the changes that make this part of the store equal to the collection.
    ///
    /// - Complexity: O(size of the window)
    func changes(to after: JournaledCollection<Record, Value>, shape: Shape) -> ChangeSet {
        var unsettled: [Value: Conflict<Record>] = [:]
        for conflict in after.unresolved {
            if let version = conflict.local ?? conflict.base ?? conflict.remote { unsettled[version.key] = conflict }
        }
        var changes = ChangeSet(origin: .agreed)
        for row in rows {
            let (record, base, conflict) = (after[row.key], after.shadow(for: row.key), unsettled[row.key])
            let isClean = base == record && conflict == nil
            if record != row.record || isClean && row.entry != nil {
                // A change of the origin `.agreed` leaves no journal entry.
                if let record { changes.put(record) } else { changes.delete(RecordID(shape.name, row.key)) }
            }
            let isAsItWas =
                record == row.record && row.entry != nil && base == row.base
                && (conflict != nil) == (row.entry?.isUnsettled == true) && conflict?.remote == row.entry?.remote
            if isClean || isAsItWas { continue }
            let entity = (row.record ?? base ?? conflict?.remote)?.entity ?? shape.name
            changes.add(
                .setShadow(
                    JournalEntry(
                        id: RecordID(entity, row.key), base: base, isUnsettled: conflict != nil,
                        remote: conflict?.remote)))
        }
        return changes
    }
}

extension ReadTransaction {
    /// Returns the keys of an entity's changes to be pushed, in the order of the journal.
    ///
    /// - Complexity: O(number of journal entries)
    func outgoingKeys(of entity: String) throws -> [Value] {
        try keys(
            of: JournalShape.name(of: entity), where: .comparison(path: "sync.isUnsettled", .equal, false))
    }

    /// Returns the keys of an entity's records whose remote version is known to differ from the shadow.
    ///
    /// - Complexity: O(number of journal entries)
    func unsettledKeys(of entity: String) throws -> [Value] {
        try keys(of: JournalShape.name(of: entity), where: .comparison(path: "sync.isUnsettled", .equal, true))
    }
}
