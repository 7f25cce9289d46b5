import CDifferentialSyncSQLite

extension Connection {
    /// Turns off SQLite's foreign key checks until `resumeForeignKeys()`, which the caller must call before the commit.
    ///
    /// SQLite cannot check references to a table whose key has no index. Meanwhile the transaction checks each
    /// reference itself.
    ///
    /// - Returns: Whether the checks are off. They stay on while a row of the transaction references a missing row,
    ///   because SQLite would never clear its count of that violation.
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

    /// Turns SQLite's foreign key checks on again.
    func resumeForeignKeys() {
        if checksForeignKeys { return }
        checksForeignKeys = differential_sync_sqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1) == SQLITE_OK
    }
}
