import SyncPersistence

extension TableAccess {
    /// Inserts or replaces a record, and returns the existing record; nil if there was none.
    func put(_ record: Record) throws -> Record? {
        if !missingIndexes.isEmpty { try makeIndexes() }
        guard table.sql.hasUpsert else { return try putInSteps(record) }
        met = nil
        // A new record may have an entry that moves to its row. An upsert cannot move it.
        let mayHaveGone = try journal?.mayHaveGone() == true
        // Most change sets only insert or only update, so the statement that fitted the last record runs first.
        if hasMet || mayHaveGone {
            try write(record, columns: table.sql.revised, asking: prepared(&revision, table.sql.revision))
        }
        if met == nil, !mayHaveGone {
            try write(record, columns: table.sql.inserted, asking: prepared(&upsert, table.sql.upsert))
        }
        hasMet = met != nil
        if !hasMet && mayHaveGone {
            try store(record)
            return nil
        }
        guard let met = try met.take()?.get() else {
            latest = journal.map { _ in (record.key, .stored(connection.lastInsertRowID)) }
            return nil
        }
        latest = journal.map { _ in (record.key, .stored(met.row)) }
        if met.isSame { return record }
        if isIndexedChanged(from: met.record, to: record) { try replace(met.row, by: record, old: met.record) }
        return met.record
    }

    /// Writes a record by a statement that calls `sync_replaces`.
    private func write(_ record: Record, columns: [Int], asking statement: Statement) throws {
        try record.values.withUnsafeBufferPointer { values in
            // because: the caller retains the record until this function returns, and `arriving` is nil by then.
            arriving = Arriving(shape: Unmanaged.passUnretained(record.shape), values: values)
            defer { arriving = nil }
            try replacement.asking(self) {
                try write(record, columns: columns, by: statement)
            }
        }
    }

    /// Whether the record being stored differs from the existing one, and only in columns without an index.
    ///
    /// `sync_replaces` calls this function, which keeps the existing record in `met`.
    func isToBeWritten(over present: FunctionArguments) -> Bool {
        guard let arriving else { return false }
        return arriving.shape._withUnsafeGuaranteedRef { shape in
            do {
                let old = try read(present, known: shape, arriving.values)
                let isSame = old.shape == shape && old.values.areSame(as: arriving.values)
                met = .success(Met(row: present.int64(at: 0), record: old, isSame: isSame))
                return !isSame && !isIndexedChanged(from: old, to: shape, arriving.values)
            } catch {
                met = .failure(error)
                return false
            }
        }
    }

    /// Inserts or replaces a record in two statements.
    ///
    /// It serves tables that are too wide for `sync_replaces`, or have only key columns.
    private func putInSteps(_ record: Record) throws -> Record? {
        guard let (row, old) = try find(record.key, known: record) else {
            try store(record)
            return nil
        }
        if old == record { return record }
        try replace(row, by: record, old: old)
        return old
    }

    /// Whether two records differ in a column with an index.
    ///
    /// In a table with indexes, a change of the entity counts too.
    func isIndexedChanged(from old: Record, to new: Record) -> Bool {
        new.values.withUnsafeBufferPointer { isIndexedChanged(from: old, to: new.shape, $0) }
    }

    /// Whether a record differs from the former one in a column with an index.
    ///
    /// Without such a difference, the statement leaves these columns alone, and SQLite touches no index.
    private func isIndexedChanged(
        from old: Record, to shape: Shape, _ values: UnsafeBufferPointer<Value>
    ) -> Bool {
        if !table.isIndexed { return false }
        guard old.shape == shape, let places = table.places(of: shape) else { return true }
        return places.slots.indices.contains {
            table.indexedColumns[places.slots[$0].start] && old.values[$0] != values[$0]
        }
    }
}
