import CDifferentialSyncSQLite
import SyncPersistence

/// A table on one connection, with the prepared statements for single rows.
final class TableAccess {
    /// The definition of the table.
    let table: Table

    /// The journal of the table's records; nil for a table without one.
    let journal: JournalAccess?

    // because: only the storage of a transaction uses a table, and the storage holds the connection.
    unowned(unsafe) let connection: Connection
    /// The handler of `sync_replaces`.
    let replacement: Replacement
    /// The seed of the records' digests.
    let digestSeed: UInt64

    // The statements of `TableSQL`, each prepared at its first use.
    /// Selects a record by its key.
    var select: Statement?
    /// Selects the row of a key.
    var selectRow: Statement?
    /// Selects the greatest row number.
    var selectLastRow: Statement?
    /// Inserts a record.
    var insert: Statement?
    /// Inserts the old values of a changed record into a journal.
    var insertImage: Statement?
    /// Inserts a record, or overwrites the existing one if `Replacement` allows it.
    var upsert: Statement?
    /// Overwrites an existing record, if `Replacement` allows it.
    var revision: Statement?
    /// Updates the record of a row, without the key and the columns with an index.
    var update: Statement?
    /// Updates the record of a row, without the key.
    var updateWithIndexed: Statement?
    /// Deletes the record of a row.
    var delete: Statement?

    /// The record that is being stored.
    var arriving: Arriving?
    /// The existing record that the upsert found, or the error of reading it.
    var met: Result<Met, any Error>?

    /// Whether the record that was stored last already existed.
    var hasMet = false

    /// The shape and the values of the record that is being stored.
    // because: a value exists only while `write` stores a record, and the caller of `write` retains the record.
    struct Arriving {
        let shape: Unmanaged<Shape>
        let values: UnsafeBufferPointer<Value>
    }

    /// An existing record that an upsert found, and whether it equals the new one.
    struct Met {
        /// The number of its row.
        let row: Int64
        /// The record before.
        let record: Record
        /// Whether both are equal, so that nothing is written.
        let isSame: Bool
    }

    /// The statements that create the indexes that the table lacks.
    var missingIndexes: [String] = []

    /// Reads records in a transaction that only reads.
    let scan = RowScan()

    /// Whether the transaction has decided when the indexes are created.
    var hasChosenIndexes = false

    /// The key that was looked up, stored or removed last, and the place of its record.
    ///
    /// The journal usually needs this place next.
    var latest: (key: Value, place: RowPlace)?

    /// Creates the access to a table; its statements are prepared when they are first used.
    init(_ table: Table, journal: JournalAccess?, on connection: Connection, digestSeed: UInt64) {
        self.table = table
        self.journal = journal
        self.connection = connection
        replacement = connection.cache.replacement
        self.digestSeed = digestSeed
    }

    /// Discards what was known in the last transaction.
    func begin() {
        latest = nil
        missingIndexes = []
        hasChosenIndexes = false
        journal?.begin()
    }

    /// Returns a statement, and prepares it at its first use.
    @inline(__always)
    func prepared(_ statement: inout Statement?, _ sql: @autoclosure () -> String) throws -> Statement {
        if let statement { return statement }
        let new = try connection.prepare(sql(), flags: SQLITE_PREPARE_PERSISTENT)
        statement = new
        return new
    }
}

extension TableAccess {
    /// Returns the record with a key, and its row.
    ///
    /// - Parameter known: A record that probably has the same values, whose text is then not allocated again.
    func find(_ key: Value, known: Record? = nil) throws -> (row: Int64, record: Record)? {
        if !missingIndexes.isEmpty { try makeIndexes() }
        let statement = try prepared(&select, table.sql.select)
        defer { statement.rewind() }
        var found: (Int64, Record)?
        if let type = table.singleKeyType {
            guard !key.isNull, type.admits(key) else { return nil }
            try statement.binding(key, as: type, at: 1) {
                if try statement.step() { found = (statement.int64(at: 0), try read(statement, known: known)) }
            }
        } else {
            guard try bindParts(of: key, to: statement), try statement.step() else { return nil }
            found = (statement.int64(at: 0), try read(statement, known: known))
        }
        if let found { latest = (key, .stored(found.0)) }
        return found
    }

    /// Returns the row of the record with a key.
    func place(of key: Value) throws -> RowPlace {
        if let latest, latest.key == key { return latest.place }
        if !missingIndexes.isEmpty { try makeIndexes() }
        let statement = try prepared(&selectRow, table.sql.selectRow)
        defer { statement.rewind() }
        var place = RowPlace.nowhere
        if try bindKey(key, to: statement), try statement.step() { place = .stored(statement.int64(at: 0)) }
        latest = (key, place)
        return place
    }

    /// Returns the greatest row number; 0 for an empty table.
    func lastRow() throws -> Int64 {
        let statement = try prepared(&selectLastRow, table.sql.selectLastRow)
        defer { statement.rewind() }
        _ = try statement.step()
        return statement.int64(at: 0)
    }

    /// Binds a key, which SQLite copies, and returns false if no record can have it.
    func bindKey(_ key: Value, to statement: Statement) throws -> Bool {
        guard let type = table.singleKeyType else { return try bindParts(of: key, to: statement) }
        guard !key.isNull, type.admits(key) else { return false }
        try statement.bind(key, as: type, at: 1)
        return true
    }

    /// Binds the parts of a composite key, and returns false if no record can have it.
    private func bindParts(of key: Value, to statement: Statement) throws -> Bool {
        guard let parts = key.keyColumns(table.keyColumnCounts) else { return false }
        for (position, (part, column)) in zip(parts, table.keyColumns).enumerated() {
            guard !part.isNull, table.types[column].admits(part) else { return false }
            try statement.bind(part, as: table.types[column], at: position + 1)
        }
        return true
    }

    /// Replaces the record of a row.
    ///
    /// - Parameter old: The existing record. Columns with an index are written only if one of them changes.
    func replace(_ row: Int64, by record: Record, old: Record) throws {
        if isIndexedChanged(from: old, to: record) {
            let statement = try prepared(&updateWithIndexed, table.sql.updateWithIndexed)
            try bind(row, after: table.sql.updatedWithIndexed, to: statement)
            try write(record, columns: table.sql.updatedWithIndexed, by: statement)
        } else {
            let statement = try prepared(&update, table.sql.update)
            try bind(row, after: table.sql.updated, to: statement)
            try write(record, columns: table.sql.updated, by: statement)
        }
    }

    /// Inserts a new record, and moves its journal entry, if one exists, to the record's row.
    func store(_ record: Record) throws {
        let key = record.key
        try store(record, row: journal?.takeRow(of: key, in: self))
        latest = (key, .stored(connection.lastInsertRowID))
    }

    /// Inserts a new record into a row; nil appends the row.
    func store(_ record: Record, row: Int64?) throws {
        let statement = try prepared(&insert, table.sql.insert)
        try bind(row, after: table.sql.inserted, to: statement)
        try write(record, columns: table.sql.inserted, by: statement)
    }

    /// Inserts the values of a record into a row of this journal table.
    func storeImage(_ record: Record, row: Int64) throws {
        let statement = try prepared(&insertImage, table.sql.insertImage)
        defer { statement.rewind() }
        try statement.bind(row, at: record.values.count + 1)
        try bind(record.values, table.sql.image, to: statement, at: 1)
    }

    /// Removes and returns a record; nil if there is none.
    func remove(_ key: Value) throws -> Record? {
        guard let (row, old) = try find(key) else { return nil }
        try remove(row)
        try journal?.markRemoved(of: row)
        latest = (key, .left(row))
        return old
    }

    /// Deletes the record of a row.
    func remove(_ row: Int64) throws {
        let statement = try prepared(&delete, table.sql.delete)
        defer { statement.rewind() }
        try statement.bind(row, at: 1)
        _ = try statement.step()
    }
}
