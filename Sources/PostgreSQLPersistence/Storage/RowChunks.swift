import SyncPersistence

/// The rows of a query, read in chunks.
///
/// The first chunk is read by a statement of its own, and only more rows need a cursor. So a query for at most 10,000
/// rows takes one round trip. Between the chunks, the connection is free for other queries.
///
/// A query that reads a large table wholly thus has at most a chunk of it in memory.
final class RowChunks {
    private let sql: QuerySQL
    private let connection: Connection

    /// The name of the cursor.
    private let cursor: String
    /// Whether the cursor is open.
    private var isOpen = false

    /// The current chunk; nil before the first one.
    private var rows: Rows?
    /// The position of the next row in the chunk.
    private var row = 0

    /// The number of rows in a chunk.
    private let size: Int

    /// Creates the rows of a query, none of which is read yet.
    ///
    /// - Parameters:
    ///   - sql: The query.
    ///   - connection: The connection, whose transaction stays open until `close()`.
    ///   - number: A number that no other open rows of the transaction have.
    init(_ sql: QuerySQL, on connection: Connection, number: Int) {
        self.sql = sql
        self.connection = connection
        cursor = quoted("c\(number)")
        size = sql.chunkSize
    }

    /// Returns the next row, and its position in its chunk; nil after the last one.
    func next() throws -> (Rows, Int)? {
        var rows = try self.rows ?? chunk()
        if row == rows.count, sql.mayHaveMore(after: rows.count, isFirst: !isOpen, chunkSize: size) {
            rows = try chunk()
        }
        guard row < rows.count else { return nil }
        defer { row += 1 }
        return (rows, row)
    }

    /// Reads the next chunk.
    private func chunk() throws -> Rows {
        let new: Rows
        if rows == nil {
            let (text, parameters) = try sql.firstChunk(size)
            new = try connection.query(text, parameters, isKept: sql.isShort)
        } else {
            if !isOpen {
                let (text, parameters) = try sql.remainder(after: size)
                try connection.query("DECLARE \(cursor) NO SCROLL CURSOR FOR \(text)", parameters, isKept: false)
                isOpen = true
            }
            new = try connection.query("FETCH \(size) FROM \(cursor)", isKept: false)
        }
        (rows, row) = (new, 0)
        return new
    }

    /// Closes the cursor, if it is open.
    ///
    /// After an error of the transaction that is not possible, and not necessary.
    func close() {
        if isOpen, connection.failure == nil { _ = try? connection.execute("CLOSE \(cursor)") }
        isOpen = false
    }
}
