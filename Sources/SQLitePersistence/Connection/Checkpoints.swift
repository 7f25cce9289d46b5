import CDifferentialSyncSQLite

/// The checkpoints of a connection, which run between transactions instead of within commits.
final class Checkpoints {
    /// The number of pages at which `run()` writes the write-ahead log back: 16 MB.
    ///
    /// A page that several large transactions change is then written back once. With SQLite's own default of 1,000
    /// pages, a first download of 400,000 records takes about an eighth longer.
    private static let pageCount = 4_000

    // because: the connection that owns this object releases it when it closes the handle.
    /// The database whose write-ahead log is copied into its file.
    private let handle: OpaquePointer

    /// The length of the write-ahead log in pages after the last commit.
    private var logPageCount = 0

    /// Turns off SQLite's automatic checkpoints.
    init(of handle: OpaquePointer) {
        self.handle = handle
        // because: SQLite passes the pointer only to the hook, within a commit of the connection that owns this object.
        let checkpoints = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { checkpoints, _, _, count in
                guard let checkpoints else { return SQLITE_OK }
                // because: SQLite calls the hook within a commit, whose caller retains the connection.
                Unmanaged<Checkpoints>.fromOpaque(checkpoints).takeUnretainedValue().logPageCount = Int(count)
                return SQLITE_OK
            }, checkpoints)
    }

    /// Writes the write-ahead log back into the file if the log is long.
    ///
    /// Pages that a reader still needs stay in the log. A checkpoint that fails is repeated after a later commit; the
    /// log keeps all committed transactions.
    func run() {
        if logPageCount < Self.pageCount { return }
        logPageCount = 0
        sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
