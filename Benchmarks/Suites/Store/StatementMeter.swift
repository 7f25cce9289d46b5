import CDifferentialSyncSQLite
import Foundation

/// Counts the statements of the SQLite connections that are opened while it runs, by the path of their file.
// because: the lock guards the counters, and SQLite calls a C function without context for a new connection.
final class StatementMeter: @unchecked Sendable {
    static let shared = StatementMeter()

    private let lock = NSLock()
    private var counters: [(path: String, count: UnsafeMutablePointer<Int>)] = []

    private init() {}

    /// Counts the statements of all connections that are opened from now on.
    func start() { sqlite3_auto_extension(Self.entryPoint) }

    /// Counts no statements of connections that are opened later.
    func stop() { sqlite3_cancel_auto_extension(Self.entryPoint) }

    /// Returns the number of statements so far on the connections to a file, none of which may be in use.
    func count(of path: String) -> Int {
        lock.withLock { counters.filter { $0.path == path }.reduce(0) { $0 + $1.count.pointee } }
    }

    private func add(_ connection: OpaquePointer) {
        guard let name = sqlite3_db_filename(connection, "main") else { return }
        // because: the counter is never released, so SQLite may count until the connection is closed.
        let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        count.initialize(to: 0)
        lock.withLock { counters.append((String(cString: name), count)) }
        sqlite3_trace_v2(
            connection, UInt32(SQLITE_TRACE_STMT),
            { _, context, _, _ in
                context?.assumingMemoryBound(to: Int.self).pointee += 1
                return 0
            }, count)
    }

    private typealias EntryPoint =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
        ) -> Int32

    private static let install: EntryPoint = { connection, _, _ in
        if let connection { StatementMeter.shared.add(connection) }
        return SQLITE_OK
    }

    // because: SQLite declares the function without its parameters, and calls it with them.
    private static let entryPoint = unsafeBitCast(install, to: (@convention(c) () -> Void).self)
}

/// Returns the number of rows in all tables of a database file.
func rowCount(inFileAt path: String) -> Int {
    var connection: OpaquePointer?
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
        fatalError("the file cannot be opened")
    }
    defer { sqlite3_close(connection) }
    func rows(_ sql: String) -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { fatalError(sql) }
        defer { sqlite3_finalize(statement) }
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
        return rows
    }
    return rows("SELECT name FROM sqlite_schema WHERE type = 'table'").reduce(0) { count, table in
        let name = table.replacingOccurrences(of: "\"", with: "\"\"")
        return count + (rows("SELECT count(*) FROM \"\(name)\"").first.flatMap { Int($0) } ?? 0)
    }
}
