import CDifferentialSyncSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Connection {
    /// The size in bytes that the write-ahead log keeps on disk after a larger transaction was written back: 64 MB.
    ///
    /// A log of usual length is below it and keeps its blocks, which the next transactions overwrite.
    private static let logSizeLimit: Int64 = 64 << 20

    /// Opens a database, with a write-ahead log if it is in a file.
    ///
    /// An empty file counts as missing. The file is not changed before `verify` returns.
    ///
    /// - Parameter verify: Throws if the database must not be used. It can read the database, and must not write.
    /// - Throws: `SQLiteError` if the file is not an SQLite database, cannot be opened, or is replaced meanwhile.
    static func open(
        _ location: Location, _ configuration: Configuration = Configuration(),
        verify: (Connection) throws -> Void = { _ in }
    ) throws -> Connection {
        let connection = try openUnread(location, configuration)
        try connection.refuseOneByte()
        try connection.prepare(configuration)
        try connection.withLogUntouched {
            // This statement reads the file first. It throws if the file is not an SQLite database.
            try connection.check(sqlite3_exec(connection.handle, "PRAGMA schema_version", nil, nil, nil))
            try verify(connection)
        }
        try connection.configure(configuration)
        try connection.rememberFile()
        return connection
    }

    /// Opens the file without reading it.
    private static func openUnread(_ location: Location, _ configuration: Configuration) throws -> Connection {
        let access =
            switch configuration.access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var handle: OpaquePointer?
        let resultCode = sqlite3_open_v2(
            try fileName(location), &handle, access | SQLITE_OPEN_NOMUTEX, configuration.fileSystem)
        guard let handle else { throw SQLiteError(resultCode: resultCode, path: location.path) }
        let connection = Connection(location, handle: handle, statementCapacity: configuration.statementCapacity)
        try connection.check(resultCode)
        return connection
    }

    /// Returns the file name for SQLite, in a form that SQLite can only read as a path.
    private static func fileName(_ location: Location) throws -> String {
        guard let path = location.path else { return ":memory:" }
        guard !path.isEmpty, !path.utf8.contains(0) else {
            let message = path.isEmpty ? "the path is empty" : "the path has a NUL in it"
            throw SQLiteError(.cannotOpen, message: message, path: path)
        }
        // SQLite would read "file:…" as a URI, and ":memory:" as a database in memory.
        return path.hasPrefix("/") ? path : "./" + path
    }

    /// Sets the options that do not depend on the file's content.
    private func prepare(_ configuration: Configuration) throws {
        try check(sqlite3_extended_result_codes(handle, 1))
        try check(sqlite3_busy_timeout(handle, configuration.busyTimeout.milliseconds))
        // A misspelt name in quotes is an error, not text. No statement can damage the structure of the file.
        try setOption(SQLITE_DBCONFIG_DQS_DDL, to: false)
        try setOption(SQLITE_DBCONFIG_DQS_DML, to: false)
        try setOption(SQLITE_DBCONFIG_DEFENSIVE, to: true)
        if configuration.access != .readOnly, sqlite3_db_readonly(handle, "main") == 1 {
            throw SQLiteError(resultCode: SQLITE_READONLY, path: location.path)
        }
    }

    /// Sets the options that need a verified file: the journal mode and the pragmas.
    private func configure(_ configuration: Configuration) throws {
        if location != .memory, configuration.access != .readOnly {
            guard try useWriteAheadLog() == "wal" else { throw SQLiteError.noWriteAheadLog(path: location.path) }
            // Apple's builds of SQLite have a limit already.
            if try integer(ofPragma: "journal_size_limit") < 0 {
                try setPragma("journal_size_limit", to: Self.logSizeLimit)
            }
        }
        try execute("PRAGMA synchronous = \(configuration.durability.rawValue)")
        if configuration.durability == .full {
            // On Apple's systems, only `fullfsync` flushes the cache of the disk.
            try setPragma("fullfsync", to: 1)
            try setPragma("checkpoint_fullfsync", to: 1)
        }
        try setPragma("cache_size", to: -Int64(configuration.cacheSize))
        // because: the transaction checks each reference itself, and SQLite would look each of them up once more.
        try setPragma("foreign_keys", to: 0)
        try setPragma("trusted_schema", to: 0)
        try setPragma("cell_size_check", to: 1)
    }

    /// Switches the file to a write-ahead log, and returns the journal mode that it has then.
    ///
    /// SQLite does not wait for another connection that does the same with a new file. A write transaction waits for it.
    private func useWriteAheadLog() throws -> String {
        for _ in 0..<10 {
            do {
                return try text(ofPragma: "journal_mode = WAL")
            } catch let error as SQLiteError where error.code == .locked {
                try execute("BEGIN IMMEDIATE; ROLLBACK")
            }
        }
        return try text(ofPragma: "journal_mode = WAL")
    }

    /// Throws if the file has a single byte, which SQLite treats as an empty database.
    ///
    /// The byte "S" is allowed. SQLite writes it itself on file systems that cannot lock an empty file.
    private func refuseOneByte() throws {
        guard let path = location.path, fileSize(path) == 1,
            FileManager.default.contents(atPath: path) != Data("S".utf8)
        else { return }
        throw SQLiteError(resultCode: SQLITE_NOTADB, path: path)
    }

    /// Runs the body.
    ///
    /// If the body throws, closing the connection does not write another connection's log into the file.
    private func withLogUntouched(_ body: () throws -> Void) throws {
        guard hasLog else { return try body() }
        try setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, to: true)
        try body()
        try setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, to: false)
    }

    /// Whether the write-ahead log has content.
    private var hasLog: Bool {
        guard location != .memory, let file = sqlite3_db_filename(handle, "main"), let log = sqlite3_filename_wal(file)
        else { return false }
        return fileSize(String(cString: log)) > 0
    }

    /// Returns the size of a file in bytes; 0 if it does not exist.
    private func fileSize(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? UInt64).map(Int.init(clamping:)) ?? 0
    }

    /// Sets an `SQLITE_DBCONFIG` option.
    private func setOption(_ option: Int32, to isOn: Bool) throws {
        try check(differential_sync_sqlite_configure(handle, option, isOn ? 1 : 0))
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded down and clamped to 0 and `Int32.max`.
    fileprivate var milliseconds: Int32 {
        Int32(min(max(self / .milliseconds(1), 0), Double(Int32.max)))
    }
}
