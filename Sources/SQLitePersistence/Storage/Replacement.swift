import SyncPersistence

/// The target of `sync_replaces`: it decides whether an upsert overwrites the existing record.
///
/// The upsert finds the existing record, so the old values are read without a second key lookup.
final class Replacement {
    // because: the table is set only during `asking`, whose caller retains it, and SQLite calls the function only then.
    private unowned(unsafe) var table: TableAccess?

    /// Runs a body that stores a record in a table.
    ///
    /// `sync_replaces` calls the table meanwhile.
    @inline(__always)
    func asking(_ table: TableAccess, _ body: () throws -> Void) throws {
        self.table = table
        defer { self.table = nil }
        try body()
    }

    /// Whether the new record differs from the existing one, and only in columns without an index.
    func isToBeWritten(over present: FunctionArguments) -> Bool { table?.isToBeWritten(over: present) ?? false }
}
