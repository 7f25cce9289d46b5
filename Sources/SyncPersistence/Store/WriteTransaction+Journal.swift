extension WriteTransaction {
    /// Whether the journal may have an entry for a record.
    private func mayHaveEntry(for key: DigestedKey, in state: HierarchyState) throws -> Bool {
        if try mayHaveEarlierEntry(for: key.key, in: state) { return true }
        return state.hasMadeEntries && position(of: key, in: state) != nil
    }

    /// Whether the journal may have had an entry for a key before the transaction.
    ///
    /// At each power of two from 64, the lookups of a transaction are compared with the size of the journal. A journal
    /// with fewer entries is read as a whole, so that the rest of a large change set needs no lookups.
    private func mayHaveEarlierEntry(for key: Value, in state: HierarchyState) throws -> Bool {
        if state.journalWasEmpty { return false }
        if let keys = state.journalKeys { return keys.contains(key) }
        state.journalLookups += 1
        let lookups = state.journalLookups
        guard lookups >= 64 && lookups.nonzeroBitCount == 1,
            let journal = schema[JournalEntry.shapeName(of: state.root.name)],
            try storage.count(Query(journal.name, limit: lookups)) < lookups
        else { return true }
        var keys: Set<Value> = []
        try storage.forEachKey(journal, where: nil) { keys.insert($0) }
        state.journalKeys = keys
        return keys.contains(key)
    }

    /// What the journal holds under a key.
    func entry(for key: DigestedKey, in state: HierarchyState) throws -> JournalEntry? {
        guard try mayHaveEntry(for: key, in: state) else { return nil }
        guard let journal = schema[JournalEntry.shapeName(of: state.root.name)] else { return nil }
        return try storage.record(key.key, in: journal).map { try JournalEntry($0, schema: schema) }
    }

    /// Notes a local change: the old image, unless an older one is there already.
    func journal(_ key: DigestedKey, of state: HierarchyState, old: Record?, new: Record?) throws {
        if let entry = try entry(for: key, in: state) {
            if entry.base == new && !entry.isUnsettled { try removeEntry(key.key, in: state.root) }
            return
        }
        guard let shape = old?.shape ?? new?.shape else { return }
        try makeEntry(old, key, of: shape, in: state)
    }

    /// Notes a local change of a record of which the journal holds nothing.
    func makeEntry(_ old: Record?, _ key: DigestedKey, of shape: Shape, in state: HierarchyState) throws {
        guard let journal = state.journal(of: shape, in: schema) else { return }
        try storage.insertEntry(old, key: key.key, of: shape, in: journal)
        state.hasMadeEntries = true
        if !state.journalWasEmpty { state.newEntries.insert(key.key) }
    }

    /// Makes the shadow equal to what is there: nothing is noted of the record any more.
    func settle(_ key: DigestedKey, of state: HierarchyState) throws {
        if try mayHaveEntry(for: key, in: state) { try removeEntry(key.key, in: state.root) }
    }

    private func removeEntry(_ key: Value, in root: Shape) throws {
        guard let journal = schema[JournalEntry.shapeName(of: root.name)] else { return }
        let state = try hierarchy(of: root)
        guard let old = try storage.remove(key, in: journal) else { return }
        if let onEntry { try entryTokens(key, of: root, from: old, to: nil, onEntry) }
        // An entry that the transaction itself has made was not there before, and is not there after it.
        if state.newEntries.remove(key) == nil && !state.journalWasEmpty && state.formerEntries[key] == nil {
            state.formerEntries[key] = .some(old)
        }
    }

    /// The record that a change was made on: for one of the remote, what that is known to hold, without what was changed
    /// here.
    package func known(_ id: RecordID, to origin: ChangeSet.Origin) throws -> Record? {
        let shape = try shape(id.entity)
        let known = try known(id.key, in: shape, to: origin)
        return known.flatMap { $0.shape === shape || $0.shape.inherits(id.entity) ? $0 : nil }
    }

    /// The record with a key in the hierarchy of a shape that a change was made on, as ``known(_:to:)`` has it.
    package func known(_ key: Value, in shape: Shape, to origin: ChangeSet.Origin) throws -> Record? {
        let state = try hierarchy(of: shape)
        let key = DigestedKey(key)
        if origin == .remote, let entry = try entry(for: key, in: state) {
            return entry.known
        }
        return try record(key, of: shape, in: state)
    }

    /// Whether the journal may hold something of a hierarchy's records.
    package func mayHaveEntries(of shape: Shape) throws -> Bool {
        let state = try hierarchy(of: shape)
        return !state.journalWasEmpty || state.hasMadeEntries
    }

    /// Whether a record was deleted here, and the remote has not been told yet.
    package func isDeletedHere(_ key: Value, in shape: Shape) throws -> Bool {
        guard try mayHaveEntries(of: shape) else { return false }
        return try entry(for: DigestedKey(key), in: hierarchy(of: shape)) != nil
            && record(RecordID(shape.name, key)) == nil
    }

    /// The tokens of records of which the journal may hold something else than before, while they are as they were, and
    /// of what they are connected with in what the remote is known to hold.
    func entryTokens() throws -> Set<UInt64> {
        var tokens: Set<UInt64> = []
        for state in hierarchies.values {
            guard let journal = schema[JournalEntry.shapeName(of: state.root.name)] else { continue }
            for (key, old) in state.formerEntries {
                try entryTokens(key, of: state.root, from: old, to: storage.record(key, in: journal)) {
                    tokens.insert($0)
                }
            }
        }
        return tokens
    }

    /// Hands over the tokens of what is another for the remote after a change of an entry.
    private func entryTokens(
        _ key: Value, of shape: Shape, from old: Record?, to new: Record?, _ body: (UInt64) -> Void
    ) throws {
        body(RecordToken.record(key, of: shape))
        let present = try schema[shape.root].flatMap { try storage.record(key, in: $0) }
        let before = try old.map { try JournalEntry($0, schema: schema).known } ?? present
        let after = try new.map { try JournalEntry($0, schema: schema).known } ?? present
        RecordToken.forEach(from: before, to: after, body)
    }

    /// A remote change meets an entry of the journal: a local change, or a conflict that is open.
    func meet(_ entry: JournalEntry, remote: Record) throws {
        let present = try storage.record(entry.id.key, in: remote.shape)
        if present == remote && !incoming.mergesEdits { return try removeEntry(entry.id.key, in: remote.shape) }
        if !entry.isUnsettled && entry.base == remote { return }
        try holdBack(entry.id, base: entry.base, remote: remote)
    }

    /// Keeps a record that the remote has deleted, because it, or one that would go with it, has a local change.
    func holdBackDeletion(of id: RecordID) throws {
        try holdBack(id, base: shadow(id), remote: nil)
    }

    private func holdBack(_ id: RecordID, base: Record?, remote: Record?) throws {
        try note(JournalEntry(id: id, base: base, isUnsettled: base != remote, remote: remote))
        if base != remote { heldBack.append(id) }
    }

    /// A deletion of the remote meets one that was made here.
    func meetDeletion(of id: RecordID) throws {
        let state = try hierarchy(of: shape(id.entity))
        guard incoming.mergesEdits, try entry(for: DigestedKey(id.key), in: state) != nil else {
            return try settle(DigestedKey(id.key), of: state)
        }
        try holdBackDeletion(of: id)
    }

    /// Notes what the shadow holds of a record, and what the remote holds if that is something else.
    func setShadow(_ entry: JournalEntry) throws {
        let shape = try shape(entry.id.entity)
        func adopted(_ image: Record?) throws -> Record? {
            guard var image else { return nil }
            try adopt(&image)
            try check(image)
            if image.key != entry.id.key || image.shape.root != shape.root {
                throw PersistenceError(
                    .wrongType, "what is noted of it in the journal has another key, or is of another entity",
                    id: entry.id)
            }
            return image
        }
        try note(
            JournalEntry(
                id: entry.id, base: adopted(entry.base), isUnsettled: entry.isUnsettled, remote: adopted(entry.remote)))
    }

    /// Notes an entry, which may lack what is mandatory while the transaction goes on.
    func note(_ entry: JournalEntry) throws {
        let shape = try shape(entry.id.entity)
        // Whatever its entity: the key is that of one record in the hierarchy.
        let present = try record(RecordID(shape.root, entry.id.key))
        if present == entry.base && !entry.isUnsettled { return try removeEntry(entry.id.key, in: shape) }
        guard let record = entry.record(in: schema) else { return }
        let (key, state) = (entry.id.key, try hierarchy(of: shape))
        let old = try storage.put(record)
        if old == record { return }
        if let onEntry { try entryTokens(key, of: shape, from: old, to: record, onEntry) }
        if state.formerEntries[key] == nil && !state.newEntries.contains(key) {
            state.formerEntries[key] = .some(state.journalWasEmpty ? nil : old)
        }
        // The journal is not empty any more, so it has to be asked from now on.
        touchEntry(DigestedKey(key), of: state, record: present)
    }
}
