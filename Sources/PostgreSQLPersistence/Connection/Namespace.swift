import SyncPersistence

/// The PostgreSQL schema in which a store keeps its tables, and the store's account if others share the tables.
///
/// Within a transaction, a setting of the session has the account. Each condition and each new row reads it from there, so
/// that the statements of all accounts are the same.
struct Namespace: Sendable {
    /// The name of the PostgreSQL schema, without quotes.
    let name: String

    /// Whether the tables have the records of several accounts.
    let isShared: Bool

    /// The account; nil for a store with tables of its own, and for all accounts together.
    private(set) var account: String?

    /// The quoted name of the column for the account.
    static let accountColumn = quoted("sync.account")

    /// The expression for the account of the transaction, which is constant within a statement.
    static let currentAccount = "current_setting('differentialsync.account')"

    /// The most bytes of an account.
    private static let maximumAccountLength = 200

    var quotedName: String { quoted(name) }

    /// The number of the advisory lock that a writer holds until its transaction ends.
    ///
    /// Two namespaces with the same number only take turns.
    var lockNumber: Int64 { Int64(bitPattern: stableDigest("DifferentialSync \(fullName)")) }

    /// The channel on which commits are announced.
    ///
    /// A name of more than 63 bytes ends with a digest, so that different stores have different channels.
    var channel: String { shortened("sync.\(fullName)") }

    /// The name with that of the account, which no namespace has.
    private var fullName: String { account.map { "\(name)\u{1}\($0)" } ?? name }

    /// The statements that set the account of a transaction, each with a semicolon; empty if there is none.
    ///
    /// An index finds the rows of an account. A plan that reads the whole table is cheap for the first few accounts, but a
    /// connection would keep it while the others are added.
    var accountSetting: String {
        guard let account else { return "" }
        return "SET LOCAL differentialsync.account TO \(literal(account)); SET LOCAL enable_seqscan TO off; "
    }

    /// Returns the namespace of one of the accounts.
    ///
    /// - Throws: `PersistenceError` for a name that is empty, too long, or has U+0000 or U+0001.
    func of(account: String) throws -> Namespace {
        let isLong = !(1...Self.maximumAccountLength).contains(account.utf8.count)
        if isLong || account.utf8.contains(where: { $0 < 2 }) {
            throw PersistenceError(
                .unknownName,
                "an account has 1 to \(Self.maximumAccountLength) bytes without U+0000 and U+0001: choose another name")
        }
        var namespace = self
        namespace.account = account
        return namespace
    }

    /// The same tables with the rows of all accounts, for changes of the layout.
    var ofAllAccounts: Namespace {
        var namespace = self
        namespace.account = nil
        return namespace
    }

    /// Creates the namespace with a name.
    ///
    /// - Parameter isShared: Whether its tables have the records of several accounts.
    /// - Throws: `PersistenceError` for a name that PostgreSQL does not allow.
    init(_ name: String, isShared: Bool = false) throws {
        let problem =
            name.isEmpty
            ? "is empty"
            : name.utf8.contains(where: { $0 < 2 })
                ? "contains U+0000 or U+0001"
                : name.utf8.count > maximumNameLength
                    ? "has \(name.utf8.count) bytes, and may have \(maximumNameLength)"
                    : name.hasPrefix("pg_") ? "begins with 'pg_', which PostgreSQL reserves" : nil
        if let problem {
            throw PersistenceError(.unknownName, "the namespace '\(name)' \(problem): choose another name")
        }
        self.name = name
        self.isShared = isShared
    }

    /// Returns the quoted name of a table in this namespace.
    func qualified(_ table: String) -> String { "\(quotedName).\(quoted(table))" }
}
