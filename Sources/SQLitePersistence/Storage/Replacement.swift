import SyncPersistence

/// What SQLite asks while a record is stored: whether to write it over the one that is there.
///
/// So the key is looked for once: the old image is taken where the upsert has found it.
final class Replacement {
    // because: the table is set only during `asking`, whose caller holds it, and SQLite calls the function only then.
    private unowned(unsafe) var table: TableAccess?

    /// Runs a body that stores a record in a table.
    @inline(__always)
    func asking(_ table: TableAccess, _ body: () throws -> Void) throws {
        self.table = table
        defer { self.table = nil }
        try body()
    }

    /// Whether the record differs from what is there, and in no column with an index.
    func isToBeWritten(over present: FunctionArguments) -> Bool { table?.isToBeWritten(over: present) ?? false }
}
