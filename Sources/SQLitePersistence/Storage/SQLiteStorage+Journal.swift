import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SQLiteStorage {
    /// The most columns of a row that has an entry and its record; SQLite allows 2,000 unless built otherwise.
    private static let columnLimit = 1_000

    /// Passes the entries with their records, which one statement joins.
    func forEachEntry(
        in journal: Shape, of hierarchy: Shape, _ body: (Record, Record?) throws -> Bool
    ) throws {
        let records = access(hierarchy).records
        guard let entries = records.journal else { return }
        if entries.rows.table.sql.selected.count + records.table.sql.selected.count > Self.columnLimit {
            try connection.reporting { try records.makeIndexes() }
            return try forEach(Query(journal.name)) { try body($0, record($0.key, in: hierarchy)) }
        }
        try connection.reporting {
            try newRows.settle()
            try connection.withStatement(entries.selectWithRecords(of: records.table)) { statement in
                let columns = ColumnsAfter(entries.rows.table.sql.selected.count, of: statement)
                while try statement.step() {
                    let entry = try entries.rows.read(statement)
                    if try !body(entry, columns.type(at: 0) == .null ? nil : records.read(columns)) { return }
                }
            }
        }
    }

    /// Removes entries that no longer have a local change.
    ///
    /// - Returns: The keys of the entries that are kept.
    func removeResolvedEntries(_ keys: [Value], in journal: Shape, of hierarchy: Shape) throws -> [Value] {
        try writing(RecordID(journal.name, .null)) {
            let records = access(hierarchy).records
            guard let entries = records.journal else { return keys }
            return try entries.removeResolved(keys, of: records)
        }
    }
}

extension JournalAccess {
    /// Returns the SQL that reads the entries with the records that they describe, in the order of their rows.
    ///
    /// An entry has the row number of its record.
    fileprivate func selectWithRecords(of records: Table) -> String {
        let row = quoted("sync.row")
        let selection = rows.table.sql.selected.map { "entry.\($0)" } + records.sql.selected.map { "record.\($0)" }
        return "SELECT \(selection.joined(separator: ", ")) FROM \(rows.table.name) AS entry "
            + "LEFT JOIN \(records.name) AS record ON record.\(row) = entry.\(row) ORDER BY entry.\(row)"
    }
}

/// The columns of a row that follow those of another record.
private struct ColumnsAfter: SQLValues {
    /// How many columns precede.
    private let count: Int
    /// The row.
    private let statement: Statement

    /// Creates the view of a row without its first columns.
    init(_ count: Int, of statement: Statement) { (self.count, self.statement) = (count, statement) }

    /// Returns the storage class of a value.
    func type(at index: Int) -> ColumnType { statement.type(at: count + index) }
    /// Returns a value as an integer.
    func int64(at index: Int) -> Int64 { statement.int64(at: count + index) }
    /// Returns a value as a floating-point number.
    func double(at index: Int) -> Double { statement.double(at: count + index) }
    /// Returns a value as text.
    func text(at index: Int) -> String { statement.text(at: count + index) }
    /// Returns a value as bytes.
    func data(at index: Int) -> Data { statement.data(at: count + index) }

    /// Calls a body with the bytes of a text; nil for null.
    func withOptionalUTF8<Result>(
        at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try statement.withOptionalUTF8(at: count + index, body)
    }
}
