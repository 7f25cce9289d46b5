/// What the server is started with.
public struct Settings: Hashable, Sendable {
    /// The path of the schema.
    public var schema: String
    /// The database.
    public var database: Database
    /// The only account; nil for any.
    public var singleAccount: String?
    /// The paths of files with secrets and keys.
    public var tokenSecretFile, tokenPublicKeyFile, operatorTokenFile: String?
    /// The issuer and the audience that tokens must have; nil for any.
    public var tokenIssuer, tokenAudience: String?
    /// The address to listen on.
    public var host: String
    /// The port to listen on.
    public var port: Int
    /// The limits.
    public var limits: Limits
    /// How long requests under way may take after the signal to end.
    public var shutdown: Duration
    /// The level of the log.
    public var logLevel: String
    /// The name of the last restore of the database; nil if there was none.
    public var restoration: String?
    /// Whether the fixed token is accepted.
    public var isDevelopment: Bool

    /// The limits of requests and accounts.
    public struct Limits: Hashable, Sendable {
        /// The most bytes in the body of a request.
        public var bodyBytes = 16 << 20
        /// How long a head or a body may take to arrive.
        public var body = Duration.seconds(30)
        /// The largest pages and pushes.
        public var (pageRecords, pageBytes, pushRecords) = (5_000, 1_000_000, 5_000)
        /// The most requests of an account in a minute; 0 for no limit.
        public var accountRequests = 600
        /// The number of records from which on an account accepts no new ones; 0 for no limit.
        public var accountRecords = 0
        /// The most devices of an account; 0 for no limit.
        public var accountDevices = 1_000
        /// The number of an account's last changes whose deletions are remembered; 0 for all.
        public var accountChanges = 1_000_000
        /// The most requests of an account that wait for a change.
        public var accountWaits = 50
        /// How long a request waits for a change.
        public var wait = Duration.seconds(25)
        /// The most open stores.
        public var openAccounts = 200
        /// The most connections to PostgreSQL for messages.
        public var databaseConnections = 8
        /// The most connections of devices.
        public var connections = 1_000
        /// The most requests that wait for a change, which leaves connections for other requests.
        package var waits: Int { connections - max(1, connections / 10) }

        /// Creates the standard limits.
        public init() {}
    }
}

/// A mistake in the command line, the environment or a file that they name.
public struct SettingsError: Error, Hashable, CustomStringConvertible {
    /// The problem and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension Settings {
    /// Reads a command line and the environment; returns nil if it asks for help.
    ///
    /// - Parameters:
    ///   - words: The words after the program's name.
    ///   - environment: The environment variables.
    public static func read(
        _ words: [String], _ environment: [String: String]
    ) throws(SettingsError) -> Settings? {
        var values: [Option: String] = [:]
        for option in Option.allCases {
            guard let value = environment[option.variable], !value.isEmpty else { continue }
            if option.placeholder == nil, !["0", "1"].contains(value) {
                throw SettingsError("\(option.variable) is 1 or 0")
            }
            if option.placeholder != nil || value == "1" { values[option] = value }
        }
        var rest = words[...]
        var given: Set<Option> = []
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" { return nil }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = Option.allCases.first(where: { $0.flag == parts[0] }) else {
                throw SettingsError("there is no flag '\(parts[0])'")
            }
            guard given.insert(option).inserted else { throw SettingsError("\(option.flag) is given twice") }
            if option.placeholder == nil {
                if parts.count == 2 { throw SettingsError("\(option.flag) takes no value") }
                values[option] = "1"
            } else {
                let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
                if value.isEmpty { throw SettingsError("\(option.flag) needs a value") }
                values[option] = value
            }
        }
        return try Settings(values)
    }

    /// The levels of the log.
    private static let logLevels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    private init(_ values: [Option: String]) throws(SettingsError) {
        func text(_ option: Option) throws(SettingsError) -> String {
            guard let value = values[option] ?? option.standard else {
                throw SettingsError("\(option.flag) is missing: \(option.help)")
            }
            return value
        }
        func number(_ option: Option) throws(SettingsError) -> Int {
            let value = try text(option)
            guard let number = Int(value), option.range.contains(number) else {
                throw SettingsError(
                    "\(option.flag) is a number from \(option.range.lowerBound) to \(option.range.upperBound)")
            }
            return number
        }
        schema = try text(.schema)
        database = try Database(text(.database))
        singleAccount = values[.singleAccount]
        tokenSecretFile = values[.tokenSecretFile]
        tokenPublicKeyFile = values[.tokenPublicKeyFile]
        tokenIssuer = values[.tokenIssuer]
        tokenAudience = values[.tokenAudience]
        operatorTokenFile = values[.operatorTokenFile]
        host = try text(.host)
        port = try number(.port)
        limits = Limits()
        limits.bodyBytes = try number(.bodyBytes)
        limits.body = .seconds(try number(.bodySeconds))
        limits.pageRecords = try number(.pageRecords)
        limits.pageBytes = try number(.pageBytes)
        limits.pushRecords = try number(.pushRecords)
        limits.accountRequests = try number(.accountRequests)
        limits.accountRecords = try number(.accountRecords)
        limits.accountDevices = try number(.accountDevices)
        limits.accountChanges = try number(.accountChanges)
        limits.accountWaits = try number(.accountWaits)
        limits.wait = .seconds(try number(.waitSeconds))
        limits.openAccounts = try number(.openAccounts)
        limits.databaseConnections = try number(.databaseConnections)
        limits.connections = try number(.connections)
        shutdown = .seconds(try number(.shutdownSeconds))
        logLevel = try text(.logLevel)
        restoration = values[.restored]
        isDevelopment = values[.development] != nil
        try check()
    }

    /// Requires that the values fit each other.
    private func check() throws(SettingsError) {
        if !Self.logLevels.contains(logLevel) {
            throw SettingsError("\(Option.logLevel.flag) is one of \(Self.logLevels.joined(separator: ", "))")
        }
        if isDevelopment {
            if !["127.0.0.1", "::1", "localhost"].contains(host) {
                throw SettingsError("\(Option.development.flag) needs the address 127.0.0.1: its token is public")
            }
        } else if tokenSecretFile == nil && tokenPublicKeyFile == nil {
            throw SettingsError(
                "no token could be verified: give \(Option.tokenSecretFile.flag) or \(Option.tokenPublicKeyFile.flag)")
        }
        if case .sqliteFile = database, singleAccount == nil {
            throw SettingsError(
                "a single file has a single account: give \(Option.singleAccount.flag), or a folder as sqlite:FOLDER/")
        }
        if let singleAccount { _ = try AccountName(checking: singleAccount) }
    }

    /// The help, with each flag and its environment variable.
    public static var help: String {
        var lines = [
            "sync-server: synchronizes the stores of devices over HTTP.", "",
            "  sync-server --schema FILE --database DATABASE (--token-secret-file FILE | --token-public-key-file FILE)",
            "  sync-server --schema FILE --database DATABASE --development", "",
            "Each flag takes precedence over its environment variable.", "",
        ]
        for option in Option.allCases {
            lines.append("  \(option.flag)\(option.placeholder.map { " \($0)" } ?? "")  (\(option.variable))")
            lines.append("      \(option.help)\(option.standard.map { "; \($0) if not given" } ?? "")")
        }
        lines += [
            "", "SIGTERM ends the server after the requests under way.",
            "Exit codes: 0 the server was ended, 1 it failed, 64 the command line or a file that it names is wrong.",
        ]
        return lines.joined(separator: "\n")
    }
}
