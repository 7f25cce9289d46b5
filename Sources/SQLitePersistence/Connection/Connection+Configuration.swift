extension Connection {
    /// How a connection is opened.
    struct Configuration: Sendable {
        /// What the connection may do.
        var access = Access.readWriteCreate

        /// How long to wait for another connection's lock.
        var busyTimeout = Duration.seconds(5)

        /// When a commit is safe from a loss of power.
        var durability = Durability.full

        /// How much of the database is kept in memory for each connection, in KiB.
        var cacheSize = 2_000

        /// How many prepared statements are kept.
        var statementCapacity = 256

        /// SQLite's name for its way to the file system; nil for the platform's own.
        var fileSystem: String?
    }

    /// What a connection may do.
    enum Access: Sendable {
        /// Read a file that exists.
        case readOnly
        /// Read and write a file that exists.
        case readWrite
        /// Read and write a file, which is made if it does not exist.
        case readWriteCreate
    }

    /// When a commit is safe from a loss of power.
    ///
    /// It is safe from a crash of the program in any case.
    enum Durability: String, Sendable {
        /// When it returns.
        case full = "FULL"
        /// Some time later; what is lost is lost from the end, and the database is never damaged by it.
        case normal = "NORMAL"
    }
}
