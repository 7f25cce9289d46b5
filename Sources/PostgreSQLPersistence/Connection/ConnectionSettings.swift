import CDifferentialSyncPostgreSQL
import SyncPersistence

/// The parameters with which connections are opened.
struct ConnectionSettings: Sendable {
    /// The parameters by libpq's keywords.
    private(set) var parameters: [(keyword: String, value: String)]

    /// The longest wait for a lock in the database, in milliseconds.
    let lockTimeout: Int64

    /// The longest pause of a transaction between two statements, in milliseconds.
    let idleTimeout: Int64

    /// How often the connections have waited for the server.
    let roundTripCount = Locked(0)

    /// Parameters that a connection string need not state.
    ///
    /// With them, a server that no longer responds is noticed within about a minute.
    private static let defaults = [
        ("connect_timeout", "10"), ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "30000"), ("fallback_application_name", "DifferentialSync"),
    ]

    /// Reads a connection string: a URI or keywords and values, in the form that libpq documents.
    ///
    /// - Throws: `PersistenceError` for another form. The string is not part of the error, because it may contain a
    ///   password.
    init(_ text: String, lockTimeout: Duration, idleTimeout: Duration) throws {
        var message: UnsafeMutablePointer<CChar>?
        guard !text.utf8.contains(0), let options = PQconninfoParse(text, &message) else {
            PQfreemem(message)
            throw PersistenceError(
                .cannotConnect,
                "the connection string cannot be read: write it as 'postgres://user@host:5432/database', or as keywords "
                    + "and values, such as 'host=… dbname=…'")
        }
        defer { PQconninfoFree(options) }
        var stated: [(keyword: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                stated.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        stated.removeAll { $0.keyword == "client_encoding" }
        for (keyword, value) in Self.defaults where !stated.contains(where: { $0.keyword == keyword }) {
            stated.append((keyword, value))
        }
        parameters = stated + [("client_encoding", "UTF8")]
        self.lockTimeout = Self.milliseconds(lockTimeout)
        self.idleTimeout = Self.milliseconds(idleTimeout)
    }

    /// Returns a duration in milliseconds within the range of PostgreSQL's settings; at least 1, as 0 means no limit.
    private static func milliseconds(_ duration: Duration) -> Int64 {
        let milliseconds = duration / .milliseconds(1)
        return milliseconds >= 1 ? Int64(min(milliseconds, Double(Int32.max))) : 1
    }

    /// Returns the same parameters for connections that must open within a time, rounded up to seconds.
    ///
    /// libpq takes 2 seconds for the shortest time.
    func opening(within timeout: Duration) -> ConnectionSettings {
        var settings = self
        settings.parameters.removeAll { $0.keyword == "connect_timeout" }
        let seconds = min(max((timeout / .seconds(1)).rounded(.up), 2), 3_600)
        settings.parameters.append(("connect_timeout", "\(Int(seconds))"))
        return settings
    }

    /// Opens a connection, and returns libpq's handle; nil if there is no memory.
    ///
    /// It blocks the thread.
    func connect() -> OpaquePointer? {
        // All texts in one buffer, each with its NUL, and the places where they begin.
        var buffer: [CChar] = []
        func append(_ text: String) -> Int {
            defer { buffer += text.utf8CString }
            return buffer.count
        }
        let places = parameters.map { (append($0.keyword), append($0.value)) }
        return buffer.withUnsafeBufferPointer { buffer in
            let keywords = places.map { buffer.baseAddress?.advanced(by: $0.0) } + [nil]
            let values = places.map { buffer.baseAddress?.advanced(by: $0.1) } + [nil]
            return PQconnectdbParams(keywords, values, 0)
        }
    }

    /// The expression in SQL for the identity of the server, which a restart and a recovery from a crash change.
    ///
    /// After the crash of a process, the server starts all of its processes again except for the first one. The
    /// background processes are those without a user and a database.
    private static let server =
        "concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), "
        + "(SELECT min(pid) FROM pg_stat_activity WHERE datid IS NULL AND usesysid IS NULL))"

    /// The statements that prepare a session; the last one returns the identity of the server.
    ///
    /// Functions are found in PostgreSQL's own schema only. The server notices within about a minute that this process
    /// no longer responds, or that a transaction pauses for too long, and then releases its locks.
    var preparation: String {
        "SET search_path TO pg_catalog; SET standard_conforming_strings TO on; "
            + "SET lock_timeout TO \(lockTimeout); SET idle_in_transaction_session_timeout TO \(idleTimeout); SET client_min_messages TO error; "
            + "SET tcp_keepalives_idle TO 30; SET tcp_keepalives_interval TO 10; SET tcp_keepalives_count TO 3; "
            + "SELECT \(Self.server)"
    }
}
