public import DifferentialSync

extension ReadTransaction {
    /// Returns the journal entries of an entity's records, sorted by key.
    ///
    /// A record may have become one of another entity of its hierarchy since the shadow. It then has an entry for both
    /// entities: without a record for the former one, and without a version in the shadow for the present one.
    ///
    /// - Complexity: O(*d* log *d*) for *d* changed records of the entity's hierarchy
    public func journal(of entity: String) throws -> [JournalEntry] {
        let shape = try shape(entity)
        var entries: [JournalEntry] = []
        // An entry keeps the entity that its record had first.
        try storage.forEach(Query(JournalShape.name(of: shape.root))) { record in
            let entry = try JournalEntry(record, schema: schema)
            if shape.isRoot {
                entries.append(entry)
            } else if let own = try self.entry(entry, of: entity) {
                entries.append(own)
            }
            return true
        }
        // By position, because an entry is large.
        let order = entries.indices.sorted {
            Value.areInIncreasingOrder(entries[$0].id.key, entries[$1].id.key)
        }
        return order.map { entries[$0] }
    }

    /// Returns the part of a journal entry that is about records of an entity; nil if there is none.
    func entry(_ entry: JournalEntry, of entity: String) throws -> JournalEntry? {
        let base = entry.base.flatMap { $0.shape.inherits(entity) ? $0 : nil }
        let remote = entry.remote.flatMap { $0.shape.inherits(entity) ? $0 : nil }
        let isOfEntity = schema[entry.id.entity]?.inherits(entity) == true
        let id = RecordID(isOfEntity ? entry.id.entity : entity, entry.id.key)
        if base == nil && remote == nil, try record(RecordID(entity, id.key)) == nil { return nil }
        // A conflict of another entity's record is none of this entity.
        let isUnresolved = entry.isUnresolved && (base != nil || remote != nil)
        return JournalEntry(id: id, base: base, isUnresolved: isUnresolved, remote: remote)
    }

    /// Returns the remote's known versions of an entity's records that were deleted locally.
    ///
    /// - Complexity: O(*d*) for *d* changed records, each with a lookup
    package func deletedHere(of entity: String) throws -> [Record] {
        let root = try shape(entity).root
        var deleted: [Record] = []
        for entry in try journal(of: root) {
            guard let known = entry.known, known.shape.inherits(entity) else { continue }
            if try record(RecordID(root, entry.id.key)) == nil { deleted.append(known) }
        }
        return deleted
    }

    /// Returns the journal entry of a record; nil if nothing has changed since the shadow.
    public func journalEntry(_ id: RecordID) throws -> JournalEntry? {
        let shape = try shape(JournalShape.name(of: id.entity))
        return try storage.record(id.key, in: shape).map { try JournalEntry($0, schema: schema) }
    }

    /// Returns the local changes since the shadow, which are to be sent to the remote; nil if there are none.
    ///
    /// - Complexity: O(*d* log *d*) for *d* changed records
    public func localDiff(of entity: String) throws -> Diff<Record>? {
        try localDiff(of: entity) { _ in true }
    }

    /// Returns the local diff without unresolved records, whose remote version is known to differ from the shadow; nil
    /// if it is empty.
    ///
    /// - Complexity: O(*d* log *d*) for *d* changed records
    public func outgoingDiff(of entity: String) throws -> Diff<Record>? {
        try localDiff(of: entity) { !$0.isUnresolved }
    }

    /// Returns the local changes whose entries satisfy a predicate; nil if there are none.
    private func localDiff(of entity: String, where isIncluded: (JournalEntry) -> Bool) throws -> Diff<Record>? {
        let changes = try journal(of: entity).filter(isIncluded).compactMap { entry in
            let record = try record(RecordID(entity, entry.id.key))
            return entry.base == record ? nil : Change(from: entry.base, to: record)
        }
        return Diff(changes)
    }

    /// Returns the record in the shadow, the state last agreed with the remote; nil if it does not exist there.
    public func shadow(_ id: RecordID) throws -> Record? {
        if let entry = try journalEntry(id) { return entry.base }
        return try record(id)
    }
}

extension ReadTransaction {
    /// Returns the metadata under a name; nil if there is none.
    public func metadata(_ name: String) throws -> String? {
        guard case .string(let value)? = try storage.record(.string(name), in: shape("sync.metadata"))?["value"] else {
            return nil
        }
        return value
    }

    /// Returns the account that the whole store is synchronized with; nil before the first synchronization.
    package func storeAccount() throws -> String? { try metadata(SynchronizedEntities.accountName) }

    /// The number of the last commit; 0 before the first.
    public var sequence: Int64 {
        get throws { try number("sync.sequence") ?? 0 }
    }

    /// Returns the metadata whose names begin with a text.
    ///
    /// - Complexity: O(*n*) for all metadata
    package func metadata(prefix: String) throws -> [(name: String, text: String)] {
        var texts: [(name: String, text: String)] = []
        try storage.forEach(Query("sync.metadata", where: Field("name").hasPrefix(prefix))) { record in
            if case .string(let name) = record["name"], case .string(let text) = record["value"] {
                texts.append((name, text))
            }
            return true
        }
        return texts
    }

    /// Returns a number from the library's metadata; nil if there is none.
    ///
    /// - Throws: ``PersistenceError`` if the text is not a number from 0 up.
    func number(_ name: String) throws -> Int64? {
        guard let text = try metadata(name) else { return nil }
        if let number = Int64(text), number >= 0 { return number }
        throw PersistenceError(
            .unreadable, "the value is not a number from 0 up: \(PersistenceError.damageRemedy)",
            id: RecordID("sync.metadata", .string(name)), property: "value")
    }
}
