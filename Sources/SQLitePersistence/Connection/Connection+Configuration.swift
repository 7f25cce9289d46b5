extension Connection {
    /// The options with which a connection is opened.
    struct Configuration: Sendable {
        /// The permitted operations.
        var access = Access.readWriteCreate

        /// The time to wait for another connection's lock.
        var busyTimeout = Duration.seconds(5)

        /// When a commit survives a loss of power.
        var durability = Durability.full

        /// The size of each connection's page cache, in KiB.
        var cacheSize = 2_000

        /// The maximum number of prepared statements that a connection keeps.
        var statementCapacity = 256

        /// The name of SQLite's virtual file system (VFS); nil for the platform's default.
        var fileSystem: String?
    }

    /// The operations that a connection permits.
    enum Access: Sendable {
        /// Reads an existing file.
        case readOnly
        /// Reads and writes an existing file.
        case readWrite
        /// Reads and writes a file, and creates it if it does not exist.
        case readWriteCreate
    }

    /// When a commit survives a loss of power.
    ///
    /// Every commit survives a crash of the process.
    enum Durability: String, Sendable {
        /// As soon as the commit returns.
        case full = "FULL"
        /// Some time after the commit returns.
        ///
        /// A loss of power can undo the latest commits, but never damages the database.
        case normal = "NORMAL"
    }
}
