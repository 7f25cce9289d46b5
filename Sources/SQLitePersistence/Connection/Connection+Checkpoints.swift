import CDifferentialSyncSQLite

extension Connection {
    /// The number of pages at which `checkpoint()` writes the write-ahead log back.
    ///
    /// SQLite's own default is the same.
    private static let checkpointPageCount = 1_000

    /// Turns off SQLite's automatic checkpoints, which run within a commit.
    ///
    /// Afterwards `checkpoint()` writes the write-ahead log back into the file.
    func postponeCheckpoints() {
        // because: SQLite passes the pointer only to the hook, within a commit of this connection.
        let connection = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { connection, _, _, count in
                guard let connection else { return SQLITE_OK }
                // because: SQLite calls the hook within a commit, whose caller retains the connection.
                Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().logPageCount = Int(count)
                return SQLITE_OK
            }, connection)
    }

    /// Writes the write-ahead log back into the file if the log is long.
    ///
    /// Pages that a reader still needs stay in the log. A checkpoint that fails is repeated after a later commit; the
    /// log keeps all committed transactions.
    func checkpoint() {
        if logPageCount < Self.checkpointPageCount { return }
        logPageCount = 0
        sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
