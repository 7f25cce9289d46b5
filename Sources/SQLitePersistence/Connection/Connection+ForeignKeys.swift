import CDifferentialSyncSQLite

extension Connection {
    /// Makes SQLite skip the checks of foreign keys until ``resumeForeignKeys()``, which has to come before the commit.
    ///
    /// A table whose keys have no index cannot be referenced otherwise. The transaction checks each reference itself.
    ///
    /// - Returns: Whether they are skipped. They are not while a row of the transaction references one that does not
    ///   exist: SQLite would count that reference for good.
    func suspendForeignKeys() -> Bool {
        if !checksForeignKeys { return true }
        var (count, highest): (Int32, Int32) = (0, 0)
        let resultCode = sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &highest, 0)
        guard resultCode == SQLITE_OK, count == 0,
            differential_sync_sqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0) == SQLITE_OK
        else { return false }
        checksForeignKeys = false
        return true
    }

    /// Makes SQLite check foreign keys again.
    func resumeForeignKeys() {
        if checksForeignKeys { return }
        checksForeignKeys = differential_sync_sqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1) == SQLITE_OK
    }
}
