/// Where the accounts' stores are.
public enum Database: Hashable, Sendable {
    /// The folder of SQLite files, one for each account.
    case sqliteFolder(String)
    /// The SQLite file of a single account.
    case sqliteFile(String)
    /// A connection string of PostgreSQL.
    case postgreSQL(String)

    /// Reads the value of the flag `--database`.
    init(_ text: String) throws(SettingsError) {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .postgreSQL(text)
            return
        }
        let path = text.dropFirst("sqlite:".count)
        guard text.hasPrefix("sqlite:"), !path.isEmpty, !path.utf8.contains(0) else {
            // The text is not repeated, as it may have a password.
            throw SettingsError("\(Option.database.flag) is \(Option.database.help)")
        }
        self = path.hasSuffix("/") ? .sqliteFolder(String(path)) : .sqliteFile(String(path))
    }
}
