extension WriteTransaction {
    /// Whether the journal may have an entry of a record.
    private func mayHaveEntry(for key: DigestedKey, in state: HierarchyState) throws -> Bool {
        if try mayHaveEarlierEntry(for: key.key, in: state) { return true }
        return state.hasMadeEntries && position(of: key, in: state) != nil
    }

    /// Whether the journal may have had an entry under a key before the transaction.
    ///
    /// At each power of two from 64, the number of lookups is compared with the size of the journal. A journal with
    /// fewer entries is read as a whole, so that the rest of a large change set needs no lookups.
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

    /// Returns the journal's entry under a key.
    func entry(for key: DigestedKey, in state: HierarchyState) throws -> JournalEntry? {
        guard try mayHaveEntry(for: key, in: state) else { return nil }
        guard let journal = schema[JournalEntry.shapeName(of: state.root.name)] else { return nil }
        return try storage.record(key.key, in: journal).map { try JournalEntry($0, schema: schema) }
    }

    /// Records a local change with the old image, unless an older image exists.
    func journal(_ key: DigestedKey, of state: HierarchyState, old: Record?, new: Record?) throws {
        if let entry = try entry(for: key, in: state) {
            if entry.base == new && !entry.isUnsettled { try removeEntry(key.key, in: state.root) }
            return
        }
        guard let shape = old?.shape ?? new?.shape else { return }
        try makeEntry(old, key, of: shape, in: state)
    }

    /// Records a local change of a record without an entry.
    func makeEntry(_ old: Record?, _ key: DigestedKey, of shape: Shape, in state: HierarchyState) throws {
        guard let journal = state.journal(of: shape, in: schema) else { return }
        try storage.insertEntry(old, key: key.key, of: shape, in: journal)
        state.hasMadeEntries = true
        if !state.journalWasEmpty { state.newEntries.insert(key.key) }
    }

    /// Removes the entry of a record, whose shadow then equals the record.
    func settle(_ key: DigestedKey, of state: HierarchyState) throws {
        if try mayHaveEntry(for: key, in: state) { try removeEntry(key.key, in: state.root) }
    }

    private func removeEntry(_ key: Value, in root: Shape) throws {
        guard let journal = schema[JournalEntry.shapeName(of: root.name)] else { return }
        let state = try hierarchy(of: root)
        guard let old = try storage.remove(key, in: journal) else { return }
        if let onEntry { try entryTokens(key, of: root, from: old, to: nil, onEntry) }
        // An entry that the transaction itself has created did not exist before it.
        if state.newEntries.remove(key) == nil && !state.journalWasEmpty && state.formerEntries[key] == nil {
            state.formerEntries[key] = .some(old)
        }
    }

    /// Returns the record that a change applies to: for a change of the remote, the remote's known version without
    /// local changes.
    package func known(_ id: RecordID, to origin: ChangeSet.Origin) throws -> Record? {
        let shape = try shape(id.entity)
        let known = try known(id.key, in: shape, to: origin)
        return known.flatMap { $0.shape === shape || $0.shape.inherits(id.entity) ? $0 : nil }
    }

    /// Returns the record under a key that a change applies to, as ``known(_:to:)`` does.
    package func known(_ key: Value, in shape: Shape, to origin: ChangeSet.Origin) throws -> Record? {
        let state = try hierarchy(of: shape)
        let key = DigestedKey(key)
        if origin == .remote, let entry = try entry(for: key, in: state) {
            return entry.known
        }
        return try record(key, of: shape, in: state)
    }

    /// Whether the journal may have entries of a hierarchy.
    package func mayHaveEntries(of shape: Shape) throws -> Bool {
        let state = try hierarchy(of: shape)
        return !state.journalWasEmpty || state.hasMadeEntries
    }

    /// Whether a record was deleted locally and the deletion was not sent yet.
    package func isDeletedHere(_ key: Value, in shape: Shape) throws -> Bool {
        guard try mayHaveEntries(of: shape) else { return false }
        return try entry(for: DigestedKey(key), in: hierarchy(of: shape)) != nil
            && record(RecordID(shape.name, key)) == nil
    }

    /// Returns the tokens of unchanged records whose entries may have changed, and of their targets in the remote's
    /// known versions.
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

    /// Calls a body with the tokens of what changes for the remote with an entry.
    private func entryTokens(
        _ key: Value, of shape: Shape, from old: Record?, to new: Record?, _ body: (UInt64) -> Void
    ) throws {
        body(RecordToken.record(key, of: shape))
        let present = try schema[shape.root].flatMap { try storage.record(key, in: $0) }
        let before = try old.map { try JournalEntry($0, schema: schema).known } ?? present
        let after = try new.map { try JournalEntry($0, schema: schema).known } ?? present
        RecordToken.forEach(from: before, to: after, body)
    }

    /// Applies a change of the remote to a record with an entry: a local change or an unresolved conflict.
    func meet(_ entry: JournalEntry, remote: Record) throws {
        let present = try storage.record(entry.id.key, in: remote.shape)
        if present == remote && !incoming.mergesEdits { return try removeEntry(entry.id.key, in: remote.shape) }
        if !entry.isUnsettled && entry.base == remote { return }
        try holdBack(entry.id, base: entry.base, remote: remote)
    }

    /// Keeps a record that the remote has deleted, because it, or one that would be deleted with it, has a local
    /// change.
    func holdBackDeletion(of id: RecordID) throws {
        try holdBack(id, base: shadow(id), remote: nil)
    }

    private func holdBack(_ id: RecordID, base: Record?, remote: Record?) throws {
        try note(JournalEntry(id: id, base: base, isUnsettled: base != remote, remote: remote))
        if base != remote { heldBack.append(id) }
    }

    /// Applies a deletion of the remote to a record that was deleted locally.
    func meetDeletion(of id: RecordID) throws {
        let state = try hierarchy(of: shape(id.entity))
        guard incoming.mergesEdits, try entry(for: DigestedKey(id.key), in: state) != nil else {
            return try settle(DigestedKey(id.key), of: state)
        }
        try holdBackDeletion(of: id)
    }

    /// Sets the shadow's version of a record, and the remote's if that differs.
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

    /// Stores an entry, which may lack mandatory values within the transaction.
    func note(_ entry: JournalEntry) throws {
        let shape = try shape(entry.id.entity)
        // The key is unique in the hierarchy, whatever the entity.
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
        // From now on, the journal has an entry and must be read.
        touchEntry(DigestedKey(key), of: state, record: present)
    }
}
