import DifferentialSync

/// A part of a stored collection in memory: the records that a step of a cycle concerns.
struct CollectionWindow {
    /// The entity whose records the collection has.
    private let entity: String
    /// The root of its hierarchy if that is another entity; otherwise nil.
    private let root: String?
    /// The transaction in which the records are read.
    private let transaction: ReadTransaction
    /// The rows, in the order in which they were read.
    private var rows: [Row] = []
    /// The position of each row, by its key.
    private var positions: [Value: Int] = [:]

    /// The keys of elements that a pull has left out because a local change of another entity's record is sent first.
    var leftOut: Set<Value> = []

    /// The keys of changes to be pushed that are not in the window.
    private var outgoingKeysElsewhere: [Value] = []

    /// The content of the store under one key.
    struct Row {
        /// The key.
        let key: Value
        /// The stored record; nil if there is none.
        let record: Record?
        /// The part of the journal entry that is about the entity; nil if record and shadow are the same.
        let entry: JournalEntry?
        /// The record of another entity of the hierarchy that has the key, if it has changed since the shadow.
        fileprivate var otherRecord: Record?
        /// The version of another entity of the hierarchy that the shadow or the remote has under the key.
        fileprivate var otherShadow: Record?
        /// Whether the journal entry of the key is unresolved, for whatever entity.
        fileprivate var isUnresolved = false
        /// The record and its base with new members of the remote; nil if they are unchanged.
        fileprivate(set) var adopted: MemberAdoption.Result?

        /// The record in the shadow.
        var base: Record? { entry.map(\.base) ?? record }

        /// The record to merge with the remote's.
        var recordToMerge: Record? { adopted.map(\.local) ?? record }

        /// The record in the shadow to merge with the remote's.
        var baseToMerge: Record? { adopted?.base ?? base }

        /// Whether the record has become one of the entity, and waits until the deletion of the former one was sent.
        var isWaitingForOther: Bool { record != nil && otherShadow != nil }

        /// The version of another entity with the key whose local change is sent first; nil if there is none.
        var otherToSendFirst: Record? {
            if isWaitingForOther { return otherShadow }
            if record != nil { return nil }
            guard let entry else { return otherShadow ?? otherRecord }
            // An inserted record with a conflict has become one of another entity. The remote's version waits.
            return entry.isUnresolved && entry.base == nil ? otherRecord : nil
        }

        /// The change of the record to be pushed; nil if there is none.
        var outgoingChange: Change<Record>? {
            guard let entry, !isWaitingForOther, !entry.isUnresolved, entry.base != record else { return nil }
            return Change(from: entry.base, to: record)
        }
    }

    /// Creates an empty window.
    init(of entity: String, in transaction: ReadTransaction) {
        self.entity = entity
        self.transaction = transaction
        root = transaction.schema[entity].flatMap { $0.isRoot ? nil : $0.root }
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
        let row = try row(key)
        positions[key] = rows.count
        rows.append(row)
        return row
    }

    /// Reads the record and the journal entry with a key.
    private func row(_ key: Value) throws -> Row {
        let id = RecordID(entity, key)
        let (record, entry) = (try transaction.record(id), try transaction.journalEntry(id))
        guard let root, let entry else { return Row(key: key, record: record, entry: entry) }
        // The entry of a key is about all entities of the hierarchy.
        var row = Row(key: key, record: record, entry: try transaction.entry(entry, of: entity))
        if record == nil { row.otherRecord = try transaction.record(RecordID(root, key)) }
        row.isUnresolved = entry.isUnresolved
        row.otherShadow = [entry.base, entry.remote].compactMap { $0 }.first { !$0.shape.inherits(entity) }
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
        for key in try transaction.journalKeys(of: entity) { try load(key) }
    }

    /// Loads the records in the shadow into the window.
    ///
    /// - Complexity: O(*n*); records that were inserted locally are not read
    mutating func loadShadow() throws {
        let new = Set(
            try transaction.journalKeys(
                of: entity,
                where: .and([
                    .comparison(path: "sync.isInShadow", .equal, false),
                    .comparison(path: JournalShape.unresolvedName, .equal, false),
                ])))
        for key in try transaction.keys(of: entity) where !new.contains(key) { try load(key) }
        for key in try transaction.journalKeys(of: entity) where !new.contains(key) { try load(key) }
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
                unresolved: rows.filter { $0.entry?.isUnresolved == true }.map {
                    Conflict(base: $0.baseToMerge, local: $0.recordToMerge, remote: $0.entry?.remote)
                }, pushNames: state.pushNames),
            primaryKey: { $0.key })
        collection.outgoingKeysElsewhere = outgoingKeysElsewhere
        return collection
    }

    /// Removes the records that have become ones of the entity while the shadow or the remote still has them as ones
    /// of another entity.
    ///
    /// The journal keeps one shadow for each key. So these records are sent after the deletion of the former ones.
    mutating func removeWaiting() {
        if !rows.contains(where: \.isWaitingForOther) { return }
        rows.removeAll(where: \.isWaitingForOther)
        positions = Dictionary(uniqueKeysWithValues: rows.indices.map { (rows[$0].key, $0) })
    }

    /// Requires that a record does not wait until the deletion of a former one was sent.
    ///
    /// - Throws: ``PersistenceError`` for such a record.
    func requireOwnShadow(_ row: Row) throws {
        if row.isWaitingForOther, let other = row.otherShadow { throw otherIsFirst(other, row) }
    }

    /// Requires that no record of the window waits until the deletion of a former one was sent.
    ///
    /// - Throws: ``PersistenceError`` for such a record.
    func requireOwnShadows() throws { for row in rows { try requireOwnShadow(row) } }

    /// Returns the keys that a cycle leaves out because a local change of another entity's record is sent first.
    ///
    /// - Parameter keys: The keys of the remote's elements that may have been left out.
    /// - Complexity: O(number of the hierarchy's journal entries)
    mutating func keysWaitingForOthers(among keys: Set<Value>) throws -> Set<Value> {
        if root == nil { return [] }
        let entity = entity
        let journaled = try transaction.journalKeys(of: entity) { entry in
            [entry.base, entry.remote].contains { $0?.shape.inherits(entity) == false }
        }
        return try keys.union(journaled).filter { try load($0).otherToSendFirst != nil }
    }

    /// Returns the changes that make this part of the store equal to the collection.
    ///
    /// - Throws: ``PersistenceError`` if they would overwrite a local change of a record of another entity.
    /// - Complexity: O(size of the window)
    func changes(to after: JournaledCollection<Record, Value>, shape: Shape) throws -> ChangeSet {
        var unresolved: [Value: Conflict<Record>] = [:]
        for conflict in after.unresolved {
            if let version = conflict.local ?? conflict.base ?? conflict.remote { unresolved[version.key] = conflict }
        }
        var changes = ChangeSet(origin: .agreed)
        for row in rows {
            let (record, base, conflict) = (after[row.key], after.shadow(for: row.key), unresolved[row.key])
            let isClean = base == record && conflict == nil
            if let other = row.otherShadow {
                let isUnresolved = row.entry?.isUnresolved == true
                if record == row.record && base == row.base && (conflict != nil) == isUnresolved { continue }
                throw otherIsFirst(other, row)
            }
            if let other = row.otherRecord {
                if record != nil { throw row.entry == nil ? otherIsFirst(other, row) : isOther(other, row.key) }
                if isClean {
                    // The remote has no record with the key now, so the one of the other entity is new.
                    if row.entry != nil { changes.add(.setShadow(JournalEntry(id: other.id, base: nil))) }
                    continue
                }
            }
            if record != row.record || isClean && row.entry != nil {
                // A change of the origin `.agreed` leaves no journal entry.
                if let record { changes.put(record) } else { changes.delete(RecordID(shape.name, row.key)) }
            }
            let isAsItWas =
                record == row.record && row.entry != nil && base == row.base
                && (conflict != nil) == (row.entry?.isUnresolved == true) && conflict?.remote == row.entry?.remote
            if isClean || isAsItWas { continue }
            let entity = (row.record ?? base ?? conflict?.remote)?.entity ?? shape.name
            changes.add(
                .setShadow(
                    JournalEntry(
                        id: RecordID(entity, row.key), base: base, isUnresolved: conflict != nil,
                        remote: conflict?.remote)))
        }
        return changes
    }

    /// Returns the error for a key that has local changes of a record of another entity, which are sent first.
    private func otherIsFirst(_ other: Record, _ row: Row) -> PersistenceError {
        let reason =
            row.isUnresolved ? "an unresolved conflict: resolve it, and " : "local changes that are sent first: "
        return PersistenceError(
            .mismatch,
            "a '\(other.entity)' with this key has \(reason)synchronize the collection of '\(other.entity)' before "
                + "that of '\(entity)', or synchronize the collection of '\(root ?? entity)' or the whole store "
                + "instead. If the account has changed, delete the record with this key or store it under another key",
            id: RecordID(entity, row.key))
    }

    /// Returns the error for a record that is one of another entity now, and that a version of the remote would replace.
    private func isOther(_ other: Record, _ key: Value) -> PersistenceError {
        PersistenceError(
            .mismatch,
            "the remote's version would replace a '\(other.entity)' with local changes: delete that and store it under "
                + "another key, or synchronize the collection of '\(root ?? entity)' or the whole store instead",
            id: RecordID(entity, key))
    }
}

extension ReadTransaction {
    /// Returns the keys of the journal entries that are about an entity, in the order of the journal.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - filter: The condition of the entries; nil for all.
    ///   - isIncluded: A further condition of the entries, for an entity with a parent.
    /// - Complexity: O(number of the hierarchy's journal entries)
    func journalKeys(
        of entity: String, where filter: Filter? = nil, _ isIncluded: (JournalEntry) -> Bool = { _ in true }
    ) throws -> [Value] {
        let shape = try shape(entity)
        if shape.isRoot { return try keys(of: JournalShape.name(of: entity), where: filter) }
        // An entry keeps the entity that its record had first.
        var found: [Value] = []
        try storage.forEach(Query(JournalShape.name(of: shape.root), where: filter)) { record in
            let entry = try JournalEntry(record, schema: schema)
            if isIncluded(entry), try self.entry(entry, of: entity) != nil { found.append(entry.id.key) }
            return true
        }
        return found
    }

    /// Returns the keys of an entity's changes to be pushed, in the order of the journal.
    ///
    /// A record that has become one of the entity is left out until the deletion of the former one was sent.
    ///
    /// - Complexity: O(number of journal entries)
    func outgoingKeys(of entity: String) throws -> [Value] {
        try journalKeys(of: entity, where: .comparison(path: JournalShape.unresolvedName, .equal, false)) {
            $0.base?.shape.inherits(entity) != false
        }
    }

    /// Returns the keys of an entity's records whose remote version is known to differ from the shadow.
    ///
    /// - Complexity: O(number of journal entries)
    func unresolvedKeys(of entity: String) throws -> [Value] {
        try journalKeys(of: entity, where: .comparison(path: JournalShape.unresolvedName, .equal, true)) { entry in
            [entry.base, entry.remote].contains { $0?.shape.inherits(entity) == true }
        }
    }
}
