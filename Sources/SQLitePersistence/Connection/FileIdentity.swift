import CDifferentialSyncSQLite

/// The identity of a file: its device and its number there.
struct FileIdentity: Hashable {
    /// The number of the device that has the file.
    private let device: UInt64
    /// The number of the file on its device.
    private let number: UInt64

    /// Creates the identity of the file that a path currently names; nil if there is none.
    init?(atPath path: String) {
        var (device, number): (UInt64, UInt64) = (0, 0)
        guard differential_sync_sqlite_file(path, &device, &number) != 0 else { return nil }
        self.device = device
        self.number = number
    }
}

/// The file of a database, and its write-ahead log.
struct OpenedFile {
    /// The absolute path of the file.
    private let path: String
    /// The identity of the file that the path named; nil if it named none.
    private let identity: FileIdentity?
    /// The identity of the write-ahead log since the first write.
    private var log: FileIdentity?

    /// Creates the file that a path currently names.
    init(path: String) {
        self.path = path
        identity = FileIdentity(atPath: path)
    }

    /// Whether the path still names the file, and the write-ahead log is the same.
    ///
    /// The log exists during every write transaction.
    mutating func isInPlace() -> Bool {
        guard let log = FileIdentity(atPath: path + "-wal"), FileIdentity(atPath: path) == identity,
            log == self.log ?? log
        else { return false }
        self.log = log
        return true
    }
}
