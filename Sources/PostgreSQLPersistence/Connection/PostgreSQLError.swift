import CDifferentialSyncPostgreSQL
import SyncPersistence

/// An error of the server or of the connection to it.
///
/// Callers of a store see a `PersistenceError` instead, with a code and a remedy. These codes of PostgreSQL have one of their
/// own:
///
/// | PostgreSQL | code |
/// |---|---|
/// | 40001, 40P01, 55P03, 57014, 53200, 53300 | `locked` |
/// | 25006 | `readOnly` |
/// | 42501 | `notPermitted` |
/// | 53100 | `full` |
/// | 42P01, 42703, 3F000, 0A000 | `schemaChange` |
/// | 08…, 57P01, 57P02, 57P03, 57P05, 25P03 | `connectionLost` |
struct PostgreSQLError: Error {
    /// The kind of error.
    let kind: Kind

    /// The message of the server or of libpq.
    let message: String

    /// A kind of error.
    enum Kind: Equatable {
        /// No connection could be opened.
        case cannotConnect
        /// The connection was lost.
        case connectionLost
        /// The connection was lost during a commit, and the outcome cannot be determined.
        case unknownOutcome
        /// The server has reported an error with a code of five characters.
        case server(String)
    }
}

extension PostgreSQLError {
    /// Creates the error of a failed statement.
    init(_ result: OpaquePointer?, on connection: OpaquePointer?) {
        let state = PQresultErrorField(result, 67).map { String(cString: $0) }
        let primary = PQresultErrorField(result, 77).map { String(cString: $0) }
        var message = primary ?? PostgreSQLError.message(of: connection)
        if state == "25P03" {
            message += ", as the transaction has paused for longer than 'idleTimeout' of the pool's options allows"
        }
        if PQstatus(connection) == CONNECTION_BAD || state == nil || PostgreSQLError.endsConnection(state ?? "") {
            self.init(kind: .connectionLost, message: message)
        } else {
            self.init(kind: .server(state ?? ""), message: message)
        }
    }

    /// Returns libpq's latest message for a connection, in one line.
    static func message(of connection: OpaquePointer?) -> String {
        let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline)
        return lines.isEmpty ? "there is no message" : lines.joined(separator: " ")
    }

    /// Whether the server closes the connection after an error.
    private static func endsConnection(_ state: String) -> Bool {
        state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(state)
    }

    /// Whether the same transaction may succeed if it runs again: after a serialization failure or a deadlock.
    var isTransient: Bool { kind == .server("40001") || kind == .server("40P01") }

    /// Whether the server cannot be written, because it is a standby: `feature_not_supported` or
    /// `read_only_sql_transaction`.
    var meansStandby: Bool { kind == .server("0A000") || kind == .server("25006") }

    /// Whether the same statement will fail again: its names are unknown, or the user may not use them.
    var isLasting: Bool {
        guard case .server(let state) = kind else { return false }
        return state.hasPrefix("42") || state.hasPrefix("3F")
    }

    /// Whether the server has cancelled the statement.
    var isCancellation: Bool { kind == .server("57014") }
}

extension PersistenceError.Code {
    /// The namespace has tables of another program.
    public static let foreignNamespace = PersistenceError.Code("foreignNamespace")
    /// The server's version or encoding is not supported.
    public static let unsupportedServer = PersistenceError.Code("unsupportedServer")
}

extension PersistenceError {
    /// Creates the error that a store reports for an error of the server or the connection.
    init(_ error: PostgreSQLError, id: RecordID? = nil) {
        let (code, remedy) = error.report
        var text = error.message
        if case .server(let state) = error.kind { text += " (PostgreSQL \(state))" }
        self.init(code, "\(text): \(remedy)", id: id)
    }
}

extension PostgreSQLError {
    /// The code of the store's error, and what a user or developer can do.
    fileprivate var report: (code: PersistenceError.Code, remedy: String) {
        switch kind {
        case .cannotConnect: (.cannotConnect, "see that the server runs, and that the connection string is right")
        case .connectionLost: (.connectionLost, "nothing of this transaction is stored; try again")
        case .unknownOutcome:
            (
                .unknownOutcome,
                "the connection was lost during the commit; read whether it is stored before you try again"
            )
        case .server(let state): PostgreSQLError.report(of: state)
        }
    }

    private static func report(of state: String) -> (code: PersistenceError.Code, remedy: String) {
        switch state {
        case "55P03", "40001", "40P01": (.locked, "another transaction is in the way; try again")
        case "57014": (.locked, "the server has a time limit for statements; raise it for this user, or try again")
        case "25006":
            (
                .readOnly,
                "try again after the failover, or connect to the primary server, with 'target_session_attrs=read-write'"
            )
        case "42501": (.notPermitted, "grant the user the rights on the namespace")
        case "53100": (.full, "free some space at the server, and try again")
        case "53200", "53300", "53400": (.locked, "the server has too much to do; try again later")
        case "42P01", "42703", "3F000", "0A000":
            (.schemaChange, "the tables were changed meanwhile: close this store, and open it with the present schema")
        case "XX001", "XX002": (.unreadable, "restore the database from a copy")
        default:
            switch state.prefix(2) {
            case "23": (PersistenceError.Code("constraint"), "write what the constraint allows")
            case "54", "22": (PersistenceError.Code("tooBig"), "store less in one value or record")
            case "58": (.ioFailure, "see that the server's disk works")
            default: (.serverFailure, "look the code up in PostgreSQL's documentation")
            }
        }
    }

    /// Returns an error as callers of the store see it.
    static func reported(_ error: any Error, id: RecordID? = nil) -> any Error {
        switch error {
        case let error as PostgreSQLError: PersistenceError(error, id: id)
        case let error as PersistenceError where error.code == .unreadable: error.about(id, path: nil)
        default: error
        }
    }
}
