/// The state of one hierarchy's journal in a transaction.
///
/// ``TransactionJournal`` alone changes it.
final class HierarchyJournal {
    /// The shape of the entries of the root's records; nil if the hierarchy has no journal.
    let shape: Shape?
    /// Whether the journal had no entries at the start, so that only records that the transaction has changed can have
    /// one.
    let wasEmpty: Bool
    /// Whether the transaction itself has created entries.
    fileprivate(set) var hasNewEntries = false
    /// Their keys, if there were others.
    fileprivate var newEntries: Set<Value> = []
    /// The keys of the entries when they were read; nil until a transaction has looked up as many records.
    fileprivate var keys: Set<Value>?
    /// How many records the transaction has looked up.
    fileprivate var lookups = 0
    /// The former entries that the transaction has changed or removed.
    fileprivate var formerEntries: [Value: Record?] = [:]
    /// The keys of entries that ``TransactionJournal/removeAgreed()`` removes, unless their records change again.
    fileprivate var agreedKeys: Set<Value> = []
    /// The shape of the last records, and that of their entries.
    fileprivate var latest: (shape: Shape, journal: Shape)?

    /// Creates the state of a journal that the transaction has not read.
    init(_ shape: Shape?, wasEmpty: Bool) {
        (self.shape, self.wasEmpty) = (shape, wasEmpty)
    }
}

/// The journal as a transaction reads and changes it: local changes, and changes of the remote that wait beside them.
final class TransactionJournal {
    /// The records whose remote change is not made yet.
    private(set) var heldBack: [RecordID] = []

    /// Whether local changes are merged with those of the remote once all of these are known.
    private(set) var mergesEdits = false

    /// Called with the token of each record whose journal entry changes, and of its targets for the remote.
    var onEntry: ((UInt64) -> Void)?

    /// The records whose entries name a record, after the first change of a key.
    private var names = NamedEntries()

    /// Reads what is stored.
    private let store: ReadTransaction
    /// The touched records.
    private let log: ChangeLog
    private var schema: Schema { store.schema }

    /// Creates the journal of a transaction.
    ///
    /// - Parameters:
    ///   - store: Reads what is stored.
    ///   - log: Has the touched records.
    init(of store: ReadTransaction, _ log: ChangeLog) {
        self.store = store
        self.log = log
    }
}

extension TransactionJournal {
    /// Whether the journal may have entries of a hierarchy.
    func mayHaveEntries(of shape: Shape) throws -> Bool {
        let journal = try log.hierarchy(of: shape).journal
        return !journal.wasEmpty || journal.hasNewEntries
    }

    /// Whether the journal may have an entry of a record.
    private func mayHaveEntry(for key: DigestedKey, in state: HierarchyState) throws -> Bool {
        if try mayHaveEarlierEntry(for: key.key, in: state) { return true }
        return state.journal.hasNewEntries && log.position(of: key, in: state) != nil
    }

    /// Whether the journal may have had an entry under a key before the transaction.
    ///
    /// At each power of two from 64, the number of lookups is compared with the size of the journal. A journal with
    /// fewer entries is read as a whole, so that the rest of a large change set needs no lookups.
    private func mayHaveEarlierEntry(for key: Value, in state: HierarchyState) throws -> Bool {
        let journal = state.journal
        if journal.wasEmpty { return false }
        if let keys = journal.keys { return keys.contains(key) }
        journal.lookups += 1
        let lookups = journal.lookups
        guard lookups >= 64 && lookups.nonzeroBitCount == 1, let shape = state.journal.shape,
            try store.storage.count(Query(shape.name, limit: lookups)) < lookups
        else { return true }
        var keys: Set<Value> = []
        try store.storage.forEachKey(shape, where: nil) { keys.insert($0) }
        journal.keys = keys
        return keys.contains(key)
    }

    /// Returns the journal's entry under a key.
    func entry(for key: DigestedKey, in state: HierarchyState) throws -> JournalEntry? {
        guard try mayHaveEntry(for: key, in: state), let shape = state.journal.shape else { return nil }
        return try store.storage.record(key.key, in: shape).map { try JournalEntry($0, schema: schema) }
    }

    /// Returns the journal's entry of a record.
    func entry(of record: Record) throws -> JournalEntry? {
        try entry(for: DigestedKey(record.key), in: log.hierarchy(of: record.shape))
    }

    /// Returns the journal's entry of a record before the transaction.
    func formerEntry(_ key: DigestedKey, of state: HierarchyState) throws -> JournalEntry? {
        let journal = state.journal
        if let former = journal.formerEntries[key.key] {
            return try former.map { try JournalEntry($0, schema: schema) }
        }
        return journal.wasEmpty || journal.newEntries.contains(key.key) ? nil : try entry(for: key, in: state)
    }

    /// Returns the record under a key that a change applies to: for a change of the remote, the remote's known version
    /// without local changes.
    func known(_ key: DigestedKey, in shape: Shape, to origin: ChangeSet.Origin) throws -> Record? {
        let state = try log.hierarchy(of: shape)
        if origin == .remote, let entry = try entry(for: key, in: state) { return entry.known }
        return try log.record(key, of: shape, in: state)
    }

    /// Whether a record was deleted locally and the deletion was not sent yet.
    func isDeletedHere(_ key: Value, in shape: Shape) throws -> Bool {
        guard try mayHaveEntries(of: shape) else { return false }
        return try entry(for: DigestedKey(key), in: log.hierarchy(of: shape)) != nil
            && log.record(RecordID(shape.name, key)) == nil
    }

    /// Returns the entries that are about a record, or have images that refer to it.
    ///
    /// - Complexity: O(number of entries) for the first record of a transaction, then O(number of found entries)
    func entries(naming renaming: Renaming) throws -> [JournalEntry] {
        var roots: [String] = [renaming.shape.root]
        for naming in renaming.namings where !roots.contains(naming.shape.root) { roots.append(naming.shape.root) }
        for root in roots where names.begin(root) {
            guard try mayHaveEntries(of: store.shape(root)) else { continue }
            for entry in try store.journal(of: root) { names.add(entry, in: schema) }
        }
        var found: [JournalEntry] = []
        for id in names.entries(naming: RecordID(renaming.shape.root, renaming.former)) {
            let state = try log.hierarchy(of: store.shape(id.entity))
            guard let entry = try entry(for: DigestedKey(id.key), in: state) else { continue }
            let images = [entry.base, entry.remote].compactMap { $0 }
            if renaming.renamed(entry.id) != entry.id || images.contains(where: { renaming.renamed($0) != $0 }) {
                found.append(entry)
            }
        }
        return found
    }
}

extension TransactionJournal {
    /// Records a local change with the old image, unless an older image exists.
    ///
    /// The entry of a record that becomes the remote's known version is removed. If it is unresolved, or if the change may
    /// be undone, ``removeAgreed()`` removes it.
    ///
    /// - Parameter mayBeUndone: Whether the transaction may undo the change, as it may for consequences.
    func recordEdit(
        _ key: DigestedKey, of state: HierarchyState, old: Record?, new: Record?, mayBeUndone: Bool = false
    ) throws {
        if let entry = try entry(for: key, in: state) {
            if entry.known != new { return }
            if !mayBeUndone && !entry.isUnresolved { return try remove(key.key, in: state) }
            state.journal.agreedKeys.insert(key.key)
            return
        }
        guard let shape = old?.shape ?? new?.shape else { return }
        try insert(old, key, of: shape, in: state)
    }

    /// Records a local change of a record without an entry.
    func insert(_ old: Record?, _ key: DigestedKey, of shape: Shape, in state: HierarchyState) throws {
        guard let shapeOfEntries = self.shape(ofEntriesOf: shape, in: state.journal) else { return }
        try store.storage.insertEntry(old, key: key.key, of: shape, in: shapeOfEntries)
        names.add(JournalEntry(id: RecordID(shape.name, key.key), base: old), in: schema)
        state.journal.hasNewEntries = true
        if !state.journal.wasEmpty { state.journal.newEntries.insert(key.key) }
    }

    /// Returns the shape of the entries of a shape's records.
    ///
    /// The last one is kept, because consecutive records usually have one shape.
    private func shape(ofEntriesOf shape: Shape, in journal: HierarchyJournal) -> Shape? {
        if let latest = journal.latest, latest.shape === shape { return latest.journal }
        let found = schema.journal(of: shape)
        journal.latest = found.map { (shape, $0) }
        return found
    }

    /// Removes the entry of a record, whose shadow then equals the record.
    func resolve(_ key: DigestedKey, of state: HierarchyState) throws {
        if try mayHaveEntry(for: key, in: state) { try remove(key.key, in: state) }
    }

    /// Removes entries of records that are as the remote has them, and returns the keys of those that remain.
    func removeResolved(_ keys: [Value], in state: HierarchyState) throws -> [Value] {
        guard onEntry == nil, !state.journal.hasNewEntries, let shape = state.journal.shape else { return keys }
        return state.journal.wasEmpty ? [] : try store.storage.removeResolvedEntries(keys, in: shape, of: state.root)
    }

    /// Removes the entries of records that are equal to the remote's known version after a local change.
    ///
    /// It runs at the end of the transaction, and after the remote's changes were stored or reverted.
    func removeAgreed() throws {
        for state in log.hierarchies.values {
            for key in state.journal.agreedKeys.map({ DigestedKey($0) }) {
                guard let entry = try entry(for: key, in: state) else { continue }
                if try entry.known == log.record(key, of: state.root, in: state) { try remove(key.key, in: state) }
            }
        }
    }

    /// Removes the entry of a key, if there is one.
    private func remove(_ key: Value, in state: HierarchyState) throws {
        guard let shape = state.journal.shape, let old = try store.storage.remove(key, in: shape) else { return }
        if let onEntry { try forEachToken(key, of: state.root, from: old, to: nil, onEntry) }
        let journal = state.journal
        // An entry that the transaction itself has created did not exist before it.
        if journal.newEntries.remove(key) == nil && !journal.wasEmpty && journal.formerEntries[key] == nil {
            journal.formerEntries[key] = .some(old)
        }
    }

    /// Stores an entry, which may lack mandatory values within the transaction.
    func put(_ entry: JournalEntry) throws {
        let shape = try store.shape(entry.id.entity)
        let (key, state) = (DigestedKey(entry.id.key), try log.hierarchy(of: shape))
        // The key is unique in the hierarchy, whatever the entity.
        let present = try log.record(key, of: state.root, in: state)
        if present == entry.base && !entry.isUnresolved { return try remove(key.key, in: state) }
        guard let record = entry.record(in: schema) else { return }
        names.add(entry, in: schema)
        let old = try store.storage.put(record)
        if old == record { return }
        if let onEntry { try forEachToken(key.key, of: shape, from: old, to: record, onEntry) }
        let journal = state.journal
        if journal.formerEntries[key.key] == nil && !journal.newEntries.contains(key.key) {
            journal.formerEntries[key.key] = .some(journal.wasEmpty ? nil : old)
        }
        touch(key, of: state, record: present)
    }

    /// Makes the sent version of a record the shadow's, because the remote has accepted it and has no other one.
    func acknowledge(_ id: RecordID, sent: Record?) throws {
        let (key, shape) = (DigestedKey(id.key), try store.shape(id.entity))
        let state = try log.hierarchy(of: shape)
        let entry = try entry(for: key, in: state)
        let present = try log.record(key, of: shape, in: state)
        let isUnresolved = entry.map { $0.isUnresolved && $0.remote != sent } ?? false
        if present == sent && !isUnresolved { return try resolve(key, of: state) }
        try put(JournalEntry(id: id, base: sent, isUnresolved: isUnresolved, remote: entry?.remote))
    }

    /// Stores a record as the shadow's version if it has no entry yet, before another record replaces it.
    func keepShadow(of id: RecordID) throws {
        let (key, state) = (DigestedKey(id.key), try log.hierarchy(of: store.shape(id.entity)))
        guard try entry(for: key, in: state) == nil, let present = try log.record(id) else { return }
        try insert(present, key, of: present.shape, in: state)
        touch(key, of: state, record: present)
    }

    /// Records that the entry of a key changes.
    private func touch(_ key: DigestedKey, of state: HierarchyState, record: Record?) {
        // From now on, the journal has an entry and must be read.
        state.journal.hasNewEntries = true
        log.touchEntry(key, of: state, record: record)
    }
}

extension TransactionJournal {
    /// Applies a change of the remote to a record with an entry: a local change or an unresolved conflict.
    ///
    /// - Parameter mayChange: Whether the transaction may restore a reference of the record.
    func apply(_ remote: Record, to entry: JournalEntry, in state: HierarchyState, mayChange: Bool) throws {
        let present = try store.storage.record(entry.id.key, in: remote.shape)
        if present == remote && !mergesEdits {
            if !mayChange { return try remove(entry.id.key, in: state) }
            state.journal.agreedKeys.insert(entry.id.key)
        }
        if !entry.isUnresolved && entry.base == remote { return }
        try holdBack(entry.id, base: entry.base, remote: remote)
    }

    /// Applies a deletion of the remote to a record that was deleted locally.
    func applyDeletion(of id: RecordID) throws {
        let (key, state) = (DigestedKey(id.key), try log.hierarchy(of: store.shape(id.entity)))
        guard mergesEdits, try entry(for: key, in: state) != nil else { return try resolve(key, of: state) }
        try holdBackDeletion(of: id)
    }

    /// Keeps a record that the remote has deleted, because it, or one that would be deleted with it, has a local
    /// change.
    func holdBackDeletion(of id: RecordID) throws {
        try holdBack(id, base: store.shadow(id), remote: nil)
    }

    /// Stores an entry for a change of the remote that is not made yet.
    private func holdBack(_ id: RecordID, base: Record?, remote: Record?) throws {
        try put(JournalEntry(id: id, base: base, isUnresolved: base != remote, remote: remote))
        if base != remote { heldBack.append(id) }
    }

    /// Stores the remote's version of a record beside it, and lists the record if that version is new.
    ///
    /// - Parameter entry: A checked entry with the remote's version.
    func holdBack(_ entry: JournalEntry) throws {
        let (key, state) = (DigestedKey(entry.id.key), try log.hierarchy(of: store.shape(entry.id.entity)))
        let former = try formerEntry(key, of: state)
        try put(entry)
        log.setHasConsequences()
        if !entry.isUnresolved { return }
        if let former, former.isUnresolved, former.base == entry.base, former.remote == entry.remote { return }
        heldBack.append(entry.id)
    }

    /// Removes records from those whose remote change is not made yet.
    ///
    /// - Parameter ids: The records, under the names of their hierarchies' roots.
    func removeHeldBack(_ ids: Set<RecordID>) throws {
        heldBack = try heldBack.filter { !ids.contains(RecordID(try store.shape($0.entity).root, $0.key)) }
    }

    /// Removes repetitions from ``heldBack``, and records without a waiting change of the remote.
    func completeHeldBack() throws {
        var seen: Set<RecordID> = []
        heldBack = try heldBack.filter {
            try seen.insert($0.rooted(in: schema)).inserted && store.journalEntry($0)?.isUnresolved ?? false
        }
    }

    /// Lists a record under its new key in ``heldBack`` and for ``removeAgreed()``.
    func rename(_ former: RecordID, to id: RecordID, in state: HierarchyState) {
        state.journal.agreedKeys.insert(id.key)
        if former.key == id.key { return }
        let root = RecordID(state.root.name, former.key)
        heldBack = heldBack.map { $0.rooted(in: schema) == root ? RecordID($0.entity, id.key) : $0 }
    }

    /// Defers local changes with a change of the remote to a merge.
    func beginMergingEdits() { mergesEdits = true }

    /// Ends the deferral of local changes.
    func endMergingEdits() { mergesEdits = false }
}

extension TransactionJournal {
    /// Whether an entry of before the transaction was changed or removed.
    func hasChanged() throws -> Bool {
        try log.hierarchies.values.contains { state in
            guard let shape = state.journal.shape else { return false }
            return try state.journal.formerEntries.contains { key, old in
                try store.storage.record(key, in: shape) != old
            }
        }
    }

    /// Returns the records whose entries the transaction has created, changed or removed, each with its former entry.
    ///
    /// - Complexity: O(number of such entries)
    func formerEntries() throws -> [(id: RecordID, entry: JournalEntry?)] {
        var entries: [(id: RecordID, entry: JournalEntry?)] = []
        for (root, state) in log.hierarchies.sorted(by: { $0.key < $1.key }) {
            guard let shape = state.journal.shape else { continue }
            var keys = state.journal.newEntries.union(state.journal.formerEntries.keys)
            if state.journal.wasEmpty { try store.storage.forEachKey(shape, where: nil) { keys.insert($0) } }
            for key in keys.sorted(by: Value.areInIncreasingOrder) {
                let old = try state.journal.formerEntries[key]?.map { try JournalEntry($0, schema: schema) }
                entries.append((RecordID(root, key), old))
            }
        }
        return entries
    }

    /// Returns the tokens of unchanged records whose entries may have changed, and of their targets in the remote's
    /// known versions.
    func changedTokens() throws -> Set<UInt64> {
        var tokens: Set<UInt64> = []
        for state in log.hierarchies.values {
            guard let shape = state.journal.shape else { continue }
            for (key, old) in state.journal.formerEntries {
                try forEachToken(key, of: state.root, from: old, to: store.storage.record(key, in: shape)) {
                    tokens.insert($0)
                }
            }
        }
        return tokens
    }

    /// Calls a body with the tokens of an entry's record, and of the records to which its remote version refers.
    private func forEachToken(
        _ key: Value, of shape: Shape, from old: Record?, to new: Record?, _ body: (UInt64) -> Void
    ) throws {
        body(RecordToken.record(key, of: shape))
        let present = try schema[shape.root].flatMap { try store.storage.record(key, in: $0) }
        let before = try old.map { try JournalEntry($0, schema: schema).known } ?? present
        let after = try new.map { try JournalEntry($0, schema: schema).known } ?? present
        RecordToken.forEach(from: before, to: after, body)
    }
}
