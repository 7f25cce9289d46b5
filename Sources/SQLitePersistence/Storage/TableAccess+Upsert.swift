import SyncPersistence

extension TableAccess {
    /// Stores a record in the place of that with its key, and answers what was there.
    func put(_ record: Record) throws -> Record? {
        if !missingIndexes.isEmpty { try makeIndexes() }
        guard table.sql.hasUpsert else { return try putInSteps(record) }
        met = nil
        // A new record may have an entry that moves with it, so an upsert would not do.
        let mayHaveGone = try journal?.mayHaveGone() == true
        // Most change sets are of new records, or of known ones: what was true of the last is tried first.
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

    /// Runs a statement that asks whether to write the record over what is there.
    private func write(_ record: Record, columns: [Int], asking statement: Statement) throws {
        try record.values.withUnsafeBufferPointer { values in
            // because: the caller holds the record until this function returns, and by then `arriving` is nil.
            arriving = Arriving(shape: Unmanaged.passUnretained(record.shape), values: values)
            defer { arriving = nil }
            try connection.replacement.asking(self) {
                try write(record, columns: columns, by: statement)
            }
        }
    }

    /// Whether the record that is being stored differs from what is there, and in no column with an index.
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

    /// Stores a record that is too wide to be compared while it is written, or has nothing but its key.
    private func putInSteps(_ record: Record) throws -> Record? {
        guard let (row, old) = try find(record.key, known: record) else {
            try store(record)
            return nil
        }
        if old == record { return record }
        try replace(row, by: record, old: old)
        return old
    }

    func isIndexedChanged(from old: Record, to new: Record) -> Bool {
        new.values.withUnsafeBufferPointer { isIndexedChanged(from: old, to: new.shape, $0) }
    }

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
