import SyncPersistence

/// The journal of a table's records on one connection.
///
/// The entry of a stored record has the same row number as the record. So one leads to the other without a key lookup,
/// and entries are written in the order of their records. The entry of a deleted record keeps its row and is found by
/// its key. If the record is inserted again, the entry moves to the record's new row.
final class JournalAccess {
    /// The table of the entries.
    let rows: TableAccess

    /// The SQL that selects an entry by its row.
    private let find: String
    /// The SQL that selects the entry of a deleted record by its key.
    private let findGone: String
    /// The SQL that marks the record of an entry as deleted or stored.
    private let setGone: String
    /// The SQL that moves the entry of a deleted record to the row of the new record.
    private let move: String
    /// The SQL that selects whether any entry of a deleted record exists.
    private let existsGone: String
    /// The SQL that selects the states and keys of the entries from a row on.
    private let selectRun: String
    /// The SQL that deletes the entries between two rows.
    private let removeRun: String

    // The statements of the SQL above, each prepared at its first use.
    /// Finds the entry of an existing record.
    private var findStatement: Statement?
    /// Finds the entry of a record that does not exist.
    private var findGoneStatement: Statement?
    /// Marks the record of an entry as deleted or stored.
    private var setGoneStatement: Statement?
    /// Moves the entry of a deleted record to the row of the new record.
    private var moveStatement: Statement?
    /// Selects the states and keys of the entries from a row on.
    private var runStatement: Statement?
    /// Deletes the entries between two rows.
    private var removeRunStatement: Statement?

    /// Whether entries of deleted records exist; nil if unknown in this transaction.
    private var hasGone: Bool?

    /// The last row number in use, once such entries exist.
    ///
    /// Then the journal numbers the rows of new records.
    private var lastRow: Int64?

    /// Creates access to a journal from access to its table.
    init(_ rows: TableAccess) {
        self.rows = rows
        let table = rows.table
        let (row, isGone) = (quoted("sync.row"), quoted("sync.isGone"))
        let isUnresolved = quoted(JournalShape.unresolvedName)
        let key = table.keyColumns.map { "\(table.columns[$0].name) = ?" }.joined(separator: " AND ")
        find = "SELECT \(table.sql.selection) FROM \(table.name) WHERE \(row) = ?"
        findGone = "SELECT \(table.sql.selection) FROM \(table.name) WHERE \(key) AND \(isGone) = 1"
        setGone = "UPDATE \(table.name) SET \(isGone) = ? WHERE \(row) = ?"
        move = "UPDATE \(table.name) SET \(row) = ?, \(isGone) = 0 WHERE \(row) = ?"
        let keys = table.keyColumns.map { table.columns[$0].name }
        selectRun =
            "SELECT \(([row, isGone, isUnresolved] + keys).joined(separator: ", ")) FROM \(table.name) "
            + "WHERE \(row) >= ? ORDER BY \(row)"
        removeRun = "DELETE FROM \(table.name) WHERE \(row) BETWEEN ? AND ?"
        existsGone = "SELECT EXISTS (SELECT 1 FROM \(table.name) WHERE \(isGone) = 1)"
    }

    /// Discards what was known in the last transaction.
    func begin() {
        hasGone = nil
        lastRow = nil
    }
}

/// The row of a record.
enum RowPlace: Equatable {
    /// The record is stored in a row.
    case stored(Int64)
    /// The record was just deleted from a row.
    case left(Int64)
    /// The record is not stored.
    case nowhere
}

extension JournalAccess {
    /// Returns the entry of a record, and the row of the entry.
    func find(_ key: Value, of records: TableAccess) throws -> (row: Int64, record: Record)? {
        if case .stored(let row) = try records.place(of: key) {
            return try read(&findStatement, find) { statement in
                try statement.bind(row, at: 1)
                return true
            }
        }
        guard try mayHaveGone() else { return nil }
        return try read(&findGoneStatement, findGone) { try rows.bindKey(key, to: $0) }
    }

    /// Runs a SELECT for one entry.
    ///
    /// `bind` returns false if no entry can match.
    private func read(
        _ cached: inout Statement?, _ sql: String, _ bind: (Statement) throws -> Bool
    ) throws -> (row: Int64, record: Record)? {
        let statement = try rows.prepared(&cached, sql)
        defer { statement.reset() }
        guard try bind(statement), try statement.step() else { return nil }
        return (statement.int64(at: 0), try rows.read(statement))
    }

    /// Inserts or replaces an entry, and returns the existing entry; nil if there was none.
    func put(_ entry: Record, of records: TableAccess) throws -> Record? {
        guard let (row, old) = try find(entry.key, of: records) else {
            try insert(entry, of: records)
            return nil
        }
        if old == entry { return entry }
        try rows.replace(row, by: entry, old: old)
        return old
    }

    /// Inserts an entry whose key has none.
    ///
    /// If its record is not stored, the row is marked as that of a deleted record.
    func insert(_ entry: Record, of records: TableAccess) throws {
        switch try records.place(of: entry.key) {
        case .stored(let row): try rows.store(entry, row: row)
        case .left(let row): try insertGone(entry, row: row)
        case .nowhere: try insertGone(entry, row: nextRow(of: records))
        }
    }

    /// Inserts the entry of a deleted record.
    private func insertGone(_ entry: Record, row: Int64) throws {
        try rows.store(entry, row: row)
        try mark(row, isGone: true)
    }

    /// Inserts the entry of a changed record directly from the record's old values.
    ///
    /// - Returns: Whether the entry was inserted. It is not if the record is not stored, or needs more than binding its
    ///   values.
    func insert(_ old: Record, key: Value, of records: TableAccess) throws -> Bool {
        guard old.values.count == rows.table.sql.image.count, case .stored(let row) = try records.place(of: key) else {
            return false
        }
        try rows.storeImage(old, row: row)
        return true
    }

    /// Removes and returns an entry; nil if there is none.
    func remove(_ key: Value, of records: TableAccess) throws -> Record? {
        guard let (row, old) = try find(key, of: records) else { return nil }
        try rows.remove(row)
        return old
    }

    /// Removes the resolved entries of existing records, and returns the keys of the others.
    ///
    /// The entries of a push are mostly consecutive. So each run of them is removed at once.
    func removeResolved(_ keys: [Value], of records: TableAccess) throws -> [Value] {
        var rest: [Value] = []
        var keys = keys[...]
        while let key = keys.first {
            let count = try removeRun(keys, of: records)
            if count == 0 { rest.append(key) }
            keys = keys.dropFirst(max(count, 1))
        }
        return rest
    }

    /// Removes the resolved entries of consecutive rows that have the first keys, and returns their number.
    private func removeRun(_ keys: ArraySlice<Value>, of records: TableAccess) throws -> Int {
        guard let key = keys.first, case .stored(let first) = try records.place(of: key) else { return 0 }
        var (count, last) = (0, first)
        let entries = try rows.prepared(&runStatement, selectRun)
        defer { entries.rewind() }
        try entries.bind(first, at: 1)
        for key in keys {
            guard try entries.step(), count > 0 || entries.int64(at: 0) == first, !entries.bool(at: 1),
                !entries.bool(at: 2), try rows.readKey(entries, from: 3) == key
            else { break }
            count += 1
            last = entries.int64(at: 0)
        }
        entries.rewind()
        if count == 0 { return 0 }
        let removal = try rows.prepared(&removeRunStatement, removeRun)
        defer { removal.rewind() }
        try removal.bind(first, at: 1)
        try removal.bind(last, at: 2)
        _ = try removal.step()
        return count
    }
}

extension JournalAccess {
    /// Marks the entry of a row, if there is one, as that of a deleted record.
    func markRemoved(of row: Int64) throws {
        try mark(row, isGone: true)
    }

    /// Returns the row for a new record, and moves an existing entry of the record to that row.
    ///
    /// Returns nil if no entry of a deleted record exists; SQLite then appends the row.
    func takeRow(of key: Value, in records: TableAccess) throws -> Int64? {
        guard try mayHaveGone() else { return nil }
        let row = try nextRow(of: records)
        if let kept = try read(&findGoneStatement, findGone, { try rows.bindKey(key, to: $0) })?.row {
            let statement = try rows.prepared(&moveStatement, move)
            defer { statement.reset() }
            try statement.bind(row, at: 1)
            try statement.bind(kept, at: 2)
            _ = try statement.step()
        }
        return row
    }

    /// Returns the row after all records and entries.
    private func nextRow(of records: TableAccess) throws -> Int64 {
        let last = try lastRow ?? max(records.lastRow(), rows.lastRow())
        if last == .max {
            throw PersistenceError(
                .unreadable, "a row of \(records.table.name) has the greatest number: \(PersistenceError.damageRemedy)")
        }
        let row = last + 1
        lastRow = row
        return row
    }

    /// Sets whether the record of an entry is deleted.
    private func mark(_ row: Int64, isGone: Bool) throws {
        let statement = try rows.prepared(&setGoneStatement, setGone)
        defer { statement.reset() }
        try statement.bind(isGone, at: 1)
        try statement.bind(row, at: 2)
        _ = try statement.step()
        if isGone && rows.connection.changes > 0 { hasGone = true }
    }

    /// Whether entries of deleted records may exist.
    ///
    /// The first call of a transaction queries the table. Later calls may return true although the last such entry has
    /// moved.
    func mayHaveGone() throws -> Bool {
        if let hasGone { return hasGone }
        let answer = try rows.connection.withStatement(existsGone) { statement in
            _ = try statement.step()
            return statement.bool(at: 0)
        }
        hasGone = answer
        return answer
    }
}
