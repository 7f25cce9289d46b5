import SyncPersistence

/// The journal of a table's records on one connection.
///
/// An entry stands in the row that has the number of its record's row, so that one is found by the other without a
/// look at the key, and entries are written in the order of their records. The entry of a record that is gone keeps
/// a row for itself, and is found by its key; it moves with the record should that come back.
final class JournalAccess {
    /// The rows of the entries.
    let rows: TableAccess

    private let find: String
    private let findGone: String
    private let setGone: String
    private let move: String
    private let existsGone: String

    private var findStatement: Statement?
    private var findGoneStatement: Statement?
    private var setGoneStatement: Statement?
    private var moveStatement: Statement?

    /// Whether there are entries of records that are gone; nil if that is not known yet.
    private var hasGone: Bool?

    /// The last row that was taken, once there are such entries: each new record takes one here then.
    private var lastRow: Int64?

    init(_ rows: TableAccess) {
        self.rows = rows
        let table = rows.table
        let (row, isGone) = (quoted("sync.row"), quoted("sync.isGone"))
        let key = table.keyColumns.map { "\(table.columns[$0].name) = ?" }.joined(separator: " AND ")
        find = "SELECT \(table.sql.selection) FROM \(table.name) WHERE \(row) = ?"
        findGone = "SELECT \(table.sql.selection) FROM \(table.name) WHERE \(key) AND \(isGone) = 1"
        setGone = "UPDATE \(table.name) SET \(isGone) = ? WHERE \(row) = ?"
        move = "UPDATE \(table.name) SET \(row) = ?, \(isGone) = 0 WHERE \(row) = ?"
        existsGone = "SELECT EXISTS (SELECT 1 FROM \(table.name) WHERE \(isGone) = 1)"
    }

    /// Forgets what was true in another transaction.
    func begin() {
        hasGone = nil
        lastRow = nil
    }
}

/// Where a record stands.
enum RowPlace: Equatable {
    /// In a row.
    case stored(Int64)
    /// It has just left a row.
    case left(Int64)
    /// There is none.
    case nowhere
}

extension JournalAccess {
    /// The entry of a record of the table, and its row.
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

    private func read(
        _ cached: inout Statement?, _ sql: String, _ bind: (Statement) throws -> Bool
    ) throws -> (row: Int64, record: Record)? {
        let statement = try rows.prepared(&cached, sql)
        defer { statement.reset() }
        guard try bind(statement), try statement.step() else { return nil }
        return (statement.int64(at: 0), try rows.read(statement))
    }

    /// Stores an entry in the place of that with its key, and answers what was there.
    func put(_ entry: Record, of records: TableAccess) throws -> Record? {
        guard let (row, old) = try find(entry.key, of: records) else {
            try insert(entry, of: records)
            return nil
        }
        if old == entry { return entry }
        try rows.replace(row, by: entry, old: old)
        return old
    }

    /// Stores a new entry.
    func insert(_ entry: Record, of records: TableAccess) throws {
        switch try records.place(of: entry.key) {
        case .stored(let row): try rows.store(entry, row: row)
        case .left(let row): try insertGone(entry, row: row)
        case .nowhere: try insertGone(entry, row: nextRow(of: records))
        }
    }

    private func insertGone(_ entry: Record, row: Int64) throws {
        try rows.store(entry, row: row)
        try mark(row, isGone: true)
    }

    /// Stores a new entry of a record that was changed, without a record of the journal made for it.
    ///
    /// - Returns: Whether it could; it is for a record that is there, in a table that it fills.
    func insert(_ old: Record, key: Value, of records: TableAccess) throws -> Bool {
        guard old.values.count == rows.table.sql.image.count, case .stored(let row) = try records.place(of: key) else {
            return false
        }
        try rows.storeImage(old, row: row)
        return true
    }

    /// Takes an entry away and answers it.
    func remove(_ key: Value, of records: TableAccess) throws -> Record? {
        guard let (row, old) = try find(key, of: records) else { return nil }
        try rows.remove(row)
        return old
    }
}

extension JournalAccess {
    /// Notes that the record of a row is gone.
    func noteRemoval(of row: Int64) throws {
        try mark(row, isGone: true)
    }

    /// The row for a new record, to which its entry moves if there is one; nil for the one after the last.
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

    /// The row after all that have a record or an entry.
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

    private func mark(_ row: Int64, isGone: Bool) throws {
        let statement = try rows.prepared(&setGoneStatement, setGone)
        defer { statement.reset() }
        try statement.bind(isGone, at: 1)
        try statement.bind(row, at: 2)
        _ = try statement.step()
        if isGone && rows.connection.changes > 0 { hasGone = true }
    }

    /// Whether a record may be gone of which there is an entry still.
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
