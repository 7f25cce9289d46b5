import SyncPersistence

/// The records of one table that a transaction has read or changed.
///
/// Changes are collected, and written in batches before a query that may find them, and at the end.
///
/// Several changes of a record become one row at the server. A record that is inserted and deleted again is never sent.
final class TableRows {
    /// The definition of the table.
    let table: Table

    private let connection: Connection
    /// The seed of the records' digests.
    private let digestSeed: UInt64

    /// The known records by key.
    private var known: [Value: Known] = [:]

    /// The keys whose records have changed since the last batch.
    private var changed: [Value] = []

    /// The number of new records so far, which orders them.
    private var newCount = 0

    /// The number of changes after which they are written.
    private static let changeLimit = 1_000

    /// The number of records after which they are forgotten before others are prefetched.
    ///
    /// At twice this number, they are forgotten before the next one, or the next batch, is read.
    private static let knownLimit = 20_000

    /// What is known of the record with a key.
    private struct Known {
        /// The present record; nil if there is none.
        var record: Record?
        /// The row in the database; nil if there is none yet.
        var row: Int64?
        /// The place among the new records, if the record is not that of the row.
        var place: Int?
        /// Whether the database differs.
        var isChanged = false
    }

    /// Creates the records of a table, none of which is known yet.
    init(_ table: Table, on connection: Connection, digestSeed: UInt64) {
        self.table = table
        self.connection = connection
        self.digestSeed = digestSeed
    }

    /// Returns the record with a key; nil if there is none.
    func record(_ key: Value) throws -> Record? {
        if let known = known[key] { return known.record }
        guard let parts = table.keyParts(key) else { return nil }
        var parameters = Parameters()
        for (part, column) in zip(parts, table.keyColumns) {
            try parameters.append(part, as: table.columns[column].type)
        }
        let rows = try connection.query(table.sql.select, parameters)
        guard rows.count > 0 else {
            learn(key, nil, row: nil)
            return nil
        }
        let found = try table.record(rows, at: 0)
        learn(key, found, row: rows.int64(0, 0))
        return found
    }

    /// Writes and forgets the known records if some more would be too many.
    ///
    /// So the memory of a transaction does not grow with the number of records that it reads.
    func makeRoom(for count: Int) throws {
        if known.count + count <= Self.knownLimit { return }
        try write()
        known = [:]
    }

    /// Sends the statements that read the records with some keys, so that ``record(_:)`` need not read them one by one.
    ///
    /// - Complexity: O(*n*), with one statement for each 10,000 keys
    func prefetch(_ keys: [Value], in pipeline: Pipeline) throws {
        var unknown: [(key: Value, parts: [Value])] = []
        for key in keys where known.isEmpty || known[key] == nil {
            if let parts = table.keyParts(key) { unknown.append((key, parts)) }
        }
        while !unknown.isEmpty {
            let batch = unknown.prefix(Self.knownLimit / 2)
            unknown.removeFirst(batch.count)
            var parameters = Parameters()
            for (part, column) in table.keyColumns.enumerated() {
                try parameters.append(batch.map { $0.parts[part] }, ofType: table.columns[column].type)
            }
            try pipeline.send(table.sql.selectSeveral, parameters) { [self] rows in
                // A record of the batch that was forgotten would count as missing.
                forgetIfMany()
                known.reserveCapacity(known.count + batch.count)
                for row in 0..<rows.count {
                    let record = try table.record(rows, at: row)
                    known[record.key] = Known(record: record, row: rows.int64(row, 0))
                }
                if rows.count == batch.count { return }
                for (key, _) in batch where known[key] == nil { known[key] = Known(record: nil, row: nil) }
            }
        }
    }

    private func learn(_ key: Value, _ record: Record?, row: Int64?) {
        forgetIfMany()
        known[key] = Known(record: record, row: row)
    }

    /// Forgets the known records if there are many, unless changes of theirs are not yet written.
    private func forgetIfMany() {
        if known.count >= 2 * Self.knownLimit, changed.isEmpty { known = [:] }
    }

    /// Stores a record, and returns the one that it replaces; nil if there was none.
    func put(_ record: Record) throws -> Record? {
        let key = record.key
        guard let old = try self.record(key) else {
            try insert(record)
            return nil
        }
        if old == record { return old }
        change(key) { $0.record = record }
        try writeIfMany()
        return old
    }

    /// Stores a record whose key is known to be new.
    ///
    /// It takes no round trip to find out whether there is a record with the key.
    func insert(_ record: Record) throws {
        newCount += 1
        let place = newCount
        change(record.key) { known in
            known.record = record
            known.place = place
        }
        try writeIfMany()
    }

    /// Removes a record, and returns it; nil if there was none.
    ///
    /// A record that was inserted in the same transaction, and not yet written, needs no statement at all.
    func remove(_ key: Value) throws -> Record? {
        guard let old = try record(key) else { return nil }
        change(key) { known in
            known.record = nil
            known.place = nil
        }
        try writeIfMany()
        return old
    }

    private func change(_ key: Value, _ body: (inout Known) -> Void) {
        body(&known[key, default: Known(record: nil, row: nil)])
        if known[key]?.isChanged == false {
            known[key]?.isChanged = true
            changed.append(key)
        }
    }

    private func writeIfMany() throws {
        if changed.count >= Self.changeLimit { try write() }
    }

    /// Writes all changes, in one round trip.
    ///
    /// The known records stay known, with the row numbers that new ones have received.
    func write() throws {
        if changed.isEmpty { return }
        try connection.pipelined { try write(in: $0) }
        forgetIfMany()
    }

    /// Sends the statements that write all changes: at most three for each 1,000 records.
    func write(in pipeline: Pipeline) throws {
        var deleted: [Int64] = []
        var updated: (rows: [Int64], records: [Record]) = ([], [])
        var new: [(key: Value, place: Int, record: Record)] = []
        for key in changed {
            guard let change = known[key] else { continue }
            if let row = change.row {
                if let record = change.record, change.place == nil {
                    updated.rows.append(row)
                    updated.records.append(record)
                } else {
                    deleted.append(row)
                    known[key]?.row = nil
                }
            }
            if let place = change.place, let record = change.record { new.append((key, place, record)) }
            known[key]?.isChanged = false
        }
        changed = []
        try pipeline.delete(deleted, from: table)
        try pipeline.update(updated.rows, by: updated.records, in: table, digestSeed: digestSeed)
        new.sort { $0.place < $1.place }
        try pipeline.insert(new.map(\.record), into: table, digestSeed: digestSeed) { [self, new] first in
            for (offset, new) in new.enumerated() {
                known[new.key]?.row = first + Int64(offset)
                known[new.key]?.place = nil
            }
        }
    }
}
