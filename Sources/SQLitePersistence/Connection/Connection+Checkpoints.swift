import CDifferentialSyncSQLite

extension Connection {
    /// The number of pages in the write-ahead log from which on it is written back into the file, as SQLite itself has it.
    private static let checkpointPageCount = 1_000

    /// Leaves it to ``checkpoint()`` to write the write-ahead log back into the file: SQLite does that in the commit.
    func postponeCheckpoints() {
        // because: SQLite passes the pointer only to the hook, within a commit that this connection makes.
        let connection = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { connection, _, _, count in
                guard let connection else { return SQLITE_OK }
                // because: SQLite calls the hook within a commit, whose caller holds the connection.
                Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().logPageCount = Int(count)
                return SQLITE_OK
            }, connection)
    }

    /// Writes the write-ahead log back into the file if it is long, as far as no reader needs what is there.
    ///
    /// What fails is tried again after the next commit. The log holds all that was committed.
    func checkpoint() {
        if logPageCount < Self.checkpointPageCount { return }
        logPageCount = 0
        sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
