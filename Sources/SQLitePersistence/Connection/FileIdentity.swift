import CDifferentialSyncSQLite

/// The identity of a file: its device and its number there.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let number: UInt64

    /// Creates the identity of the file that a path currently names; nil if there is none.
    init?(atPath path: String) {
        var (device, number): (UInt64, UInt64) = (0, 0)
        guard differential_sync_sqlite_file(path, &device, &number) != 0 else { return nil }
        self.device = device
        self.number = number
    }
}

extension Connection {
    /// Records the identity of the opened file.
    func rememberFile() {
        file = mainPath.flatMap { FileIdentity(atPath: $0) }
    }

    /// Throws if the path now names another file, or if the write-ahead log was replaced.
    ///
    /// SQLite continues to write to a deleted or replaced file, and those changes would be lost. The log exists during
    /// every write transaction.
    ///
    /// - Complexity: O(1), two system calls
    func requireFile() throws {
        guard let mainPath else { return }
        let log = FileIdentity(atPath: mainPath + "-wal")
        guard let log, FileIdentity(atPath: mainPath) == file, log == self.log ?? log else {
            throw SQLiteError.movedFile(path: location.path)
        }
        self.log = log
    }

    /// The absolute path of the file; nil for a database in memory.
    private var mainPath: String? {
        guard location != .memory, let handle, let name = sqlite3_db_filename(handle, "main") else { return nil }
        return String(cString: name)
    }
}
