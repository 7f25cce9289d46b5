import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SQLiteAdapter {
    /// Deletes the file of a store, and those that SQLite keeps beside it.
    ///
    /// For example, an account has signed out of a device:
    ///
    /// ```swift
    /// await store.close()
    /// try await SQLiteAdapter.delete(at: path)
    /// ```
    ///
    /// A log that is left behind alone would be read into the next file at the path. If the process ends meanwhile, the
    /// store is there as a whole, or deleted. If there is no file, let no process create one before the call returns:
    /// its log could be taken for one that is left behind.
    ///
    /// - Parameter path: The path of the file; nothing happens if there is none. A symbolic link is deleted with its target.
    /// - Throws: `PersistenceError`, and keeps the file, if it is no store of this library or cannot be deleted. The
    ///   code is `locked` if this or another process has the store open.
    public static func delete(at path: String) async throws {
        do {
            let files = FileManager.default
            // SQLite opens the target of a symbolic link, and keeps the log beside it.
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            func removeLogs() throws {
                for log in ["-wal", "-shm", "-journal"] where files.fileExists(atPath: target + log) {
                    try files.removeItem(atPath: target + log)
                }
            }
            if files.fileExists(atPath: path) {
                let connection = try openAlone(path)
                defer { connection.close() }
                // Once the file is deleted, logs at the path may be those of a new store.
                try removeLogs()
                // Through a link without a target, another process would create a file that is then out of reach.
                if (try? files.destinationOfSymbolicLink(atPath: path)) != nil { try files.removeItem(atPath: path) }
                try files.removeItem(atPath: target)
            } else {
                try removeLogs()
            }
        } catch {
            throw SQLiteError.reported(error, path: path)
        }
    }

    /// Opens the file of a store for one connection, and deletes its log.
    ///
    /// No other connection can open the file until this one is closed.
    ///
    /// - Throws: `SQLiteError` if another connection has the file open; `PersistenceError` if it is no store of this
    ///   library.
    static func openAlone(_ path: String) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.access = .readWrite
        configuration.busyTimeout = .zero
        let connection = try Connection.open(.file(path), configuration) { try StoreFile($0).verifyOwner() }
        // Without it, SQLite would release the lock at the end of the next statement.
        _ = try connection.text(ofPragma: "locking_mode = EXCLUSIVE")
        _ = try connection.text(ofPragma: "journal_mode = DELETE")
        return connection
    }
}
