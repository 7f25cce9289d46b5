extension RecordStorage {
    /// Counts the records that ``forEach(_:_:)`` hands over.
    public func count(_ query: Query) throws -> Int {
        var count = 0
        try forEach(query) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Takes the key of each record that ``forEach(_:_:)`` hands over.
    public func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        try forEach(Query(entity.name, where: filter)) { record in
            try body(record.key)
            return true
        }
    }

    /// Makes the digest of each record that ``forEach(_:_:)`` hands over.
    public func forEachDigest(
        _ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void
    ) throws {
        try forEach(Query(entity.name, where: filter)) { record in
            try body(record.key, digest(of: record))
            return true
        }
    }

    /// Makes a digest of the record's entity and values, under a secret of the process.
    public func digest(of record: Record) -> UInt64 {
        var digest = ContentDigest(seed: DigestedKey.seed)
        digest.combine(record.entity)
        for value in record.values { digest.combine(value) }
        return digest.finalize()
    }

    /// Puts the record.
    public func insert(_ record: Record) throws { _ = try put(record) }

    /// Makes a record of the journal, and inserts it.
    public func insertEntry(_ old: Record?, key: Value, of shape: Shape, in journal: Shape) throws {
        try insert(JournalEntry.record(in: journal, of: shape, key: key, base: old))
    }
}

extension RecordStorage {
    /// Hands over those of the records that a query means, in its order, until the body answers false.
    ///
    /// It is what a storage without queries of its own makes ``forEach(_:_:)`` of:
    ///
    /// ```swift
    /// func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
    ///     try select(query, from: rows(of: query.entity), body)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - query: What is asked for.
    ///   - records: The records of the entity's hierarchy, or of all, in the order in which they were first stored.
    ///   - body: What takes a record, and answers whether it wants more.
    /// - Throws: ``PersistenceError`` for a query that does not fit the schema; what ``record(_:in:)`` and
    ///   ``forEach(_:_:)`` throw where a path leads to another record; and what the body throws.
    /// - Complexity: O(number of records), and for each a look at those to which paths lead
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
