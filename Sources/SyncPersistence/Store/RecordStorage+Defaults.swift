extension RecordStorage {
    /// Whether ``record(_:in:)`` returns a record.
    public func contains(_ key: Value, in hierarchy: Shape) throws -> Bool { try record(key, in: hierarchy) != nil }

    /// Does nothing.
    public func prefetch(_ lookups: () throws -> [KeyLookup]) throws {}

    /// Counts the records that ``forEach(_:_:)`` passes.
    public func count(_ query: Query) throws -> Int {
        var count = 0
        try forEach(query) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Passes the key of each record that ``forEach(_:_:)`` passes.
    public func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        try forEach(Query(entity.name, where: filter)) { record in
            try body(record.key)
            return true
        }
    }

    /// Passes the digest of each record that ``forEach(_:_:)`` passes.
    public func forEachDigest(
        _ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void
    ) throws {
        try forEach(Query(entity.name, where: filter)) { record in
            try body(record.key, digest(of: record))
            return true
        }
    }

    /// Returns a digest of the record's entity and values, under a secret of the process.
    public func digest(of record: Record) -> UInt64 { record.digest(seed: DigestedKey.seed) }

    /// Puts the record.
    public func insert(_ record: Record) throws { _ = try put(record) }

    /// Inserts a record of the journal.
    public func insertEntry(_ old: Record?, key: Value, of shape: Shape, in journal: Shape) throws {
        try insert(JournalEntry.record(in: journal, of: shape, key: key, base: old))
    }

    /// Puts the record.
    public func store(_ record: Record) throws { _ = try put(record) }

    /// Passes the journal's records, each with the record that a lookup finds.
    public func forEachEntry(
        in journal: Shape, of hierarchy: Shape, _ body: (Record, Record?) throws -> Bool
    ) throws {
        try forEach(Query(journal.name)) { try body($0, record($0.key, in: hierarchy)) }
    }

    /// Reads and removes the entries one by one.
    public func removeResolvedEntries(_ keys: [Value], in journal: Shape, of hierarchy: Shape) throws -> [Value] {
        try prefetch { [KeyLookup(keys, in: journal)] }
        return try keys.filter { key in
            guard let entry = try record(key, in: journal), entry[JournalShape.unresolvedName] == false else {
                return true
            }
            _ = try remove(key, in: journal)
            return false
        }
    }
}

extension RecordStorage {
    /// Calls a body with the records of a query, in its order, until the body returns false.
    ///
    /// A storage without queries of its own implements ``forEach(_:_:)`` with it:
    ///
    /// ```swift
    /// func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
    ///     try select(query, from: rows(of: query.entity), body)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - records: The records of the entity's hierarchy, or of all, in the order in which they were inserted.
    ///   - body: Receives a record, and returns whether to continue.
    /// - Throws: ``PersistenceError`` for a query that does not match the schema; the errors of ``record(_:in:)`` and
    ///   ``forEach(_:_:)`` for a path to another record; and the errors of the body.
    /// - Complexity: O(number of records), with a lookup for each path to another record
    public func select(
        _ query: Query, from records: some Sequence<Record>, _ body: (Record) throws -> Bool
    ) throws {
        let query = try BoundQuery(query, in: schema)
        var failure: (any Error)?
        try query.select(
            from: records.lazy.prefix { _ in failure == nil },
            follow: { step, record in
                do {
                    return try self.follow(step, from: record)
                } catch {
                    failure = error
                    return nil
                }
            },
            { record in try failure == nil && body(record) })
        if let failure { throw failure }
    }

    /// Returns the record to which a step of a path leads; nil if there is none.
    private func follow(_ step: BoundPath.Step, from record: Record) throws -> Record? {
        if !step.isInverse {
            let key = step.slot.value(of: record)
            guard !key.isNull, let next = try self.record(key, in: step.destination) else { return nil }
            return next.isOf(step.destination) ? next : nil
        }
        var found: Record?
        let namesIt = Filter.comparison(path: step.slot.name, .equal, record.key)
        try forEach(Query(step.destination.name, where: namesIt, limit: 1)) { next in
            found = next
            return false
        }
        return found
    }
}
