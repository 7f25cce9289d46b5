import SyncPersistence

/// Reads records by their keys, while nothing is written.
///
/// If keys are looked up in the order of their rows, the next row is read instead of the index of the keys. This takes
/// half the time.
final class RowScan {
    /// The statement; nil until a row is requested.
    private var statement: Statement?

    /// The row that was read last; nil before the first one.
    private var row: Int64?

    /// Whether the statement stands on that row.
    private var isRunning = false

    /// Returns the record with a key; nil if there is none.
    func find(_ key: Value, in rows: TableAccess) throws -> Record? {
        if isRunning {
            let statement = try rows.prepared(&statement, rows.table.sql.selectAfterRow)
            if try statement.step() {
                let next = try rows.read(statement)
                row = statement.int64(at: 0)
                if next.key == key { return next }
            }
            end()
        }
        guard let found = try rows.find(key) else { return nil }
        if let row, row < .max, found.row == row + 1 {
            let statement = try rows.prepared(&statement, rows.table.sql.selectAfterRow)
            try statement.bind(found.row, at: 1)
            isRunning = true
        }
        row = found.row
        return found.record
    }

    /// Ends the scan, before the transaction ends or writes.
    func end() {
        if isRunning { statement?.reset() }
        (row, isRunning) = (nil, false)
    }
}
