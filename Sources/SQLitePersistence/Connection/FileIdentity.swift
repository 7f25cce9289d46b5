import CDifferentialSyncSQLite

/// Which file a path leads to.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64

    /// The file that a path leads to now; nil if there is none.
    init?(atPath path: String) {
        var (device, number): (UInt64, UInt64) = (0, 0)
        guard differential_sync_sqlite_file(path, &device, &number) != 0 else { return nil }
        self.device = device
        self.number = number
    }
}

extension Connection {
    /// Remembers which file it is that was opened.
    func rememberFile() {
        file = mainPath.flatMap { FileIdentity(atPath: $0) }
    }

    /// Throws if the path leads to another file than when the connection was opened, or the write-ahead log is another one.
    ///
    /// SQLite goes on to write into a file that was deleted or replaced, and nobody would ever read that. The log is there
    /// in each transaction that writes.
    ///
    /// - Complexity: O(1), two calls of the system
    func requireFile() throws {
        guard let mainPath else { return }
        let log = FileIdentity(atPath: mainPath + "-wal")
        guard let log, FileIdentity(atPath: mainPath) == file, log == self.log ?? log else {
            throw SQLiteError.movedFile(path: location.path)
        }
        self.log = log
    }

    /// The path of the file from the root on; nil for a database in memory.
    private var mainPath: String? {
        guard location != .memory, let handle, let name = sqlite3_db_filename(handle, "main") else { return nil }
        return String(cString: name)
    }
}
