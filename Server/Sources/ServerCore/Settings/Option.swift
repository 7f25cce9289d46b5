import StoreSync

/// A flag of the command line, with the environment variable that it takes precedence over.
enum Option: String, CaseIterable {
    case schema, database
    case singleAccount = "single-account"
    case tokenSecretFile = "token-secret-file"
    case tokenPublicKeyFile = "token-public-key-file"
    case tokenIssuer = "token-issuer"
    case tokenAudience = "token-audience"
    case operatorTokenFile = "operator-token-file"
    case host, port
    case bodyBytes = "body-bytes"
    case bodySeconds = "body-seconds"
    case pageRecords = "page-records"
    case pageBytes = "page-bytes"
    case pushRecords = "push-records"
    case accountRequests = "account-requests"
    case accountRecords = "account-records"
    case accountDevices = "account-devices"
    case accountChanges = "account-changes"
    case accountWaits = "account-waits"
    case waitSeconds = "wait-seconds"
    case openAccounts = "open-accounts"
    case databaseConnections = "database-connections"
    case connections
    case shutdownSeconds = "shutdown-seconds"
    case logLevel = "log-level"
    case restored
    case development

    /// The flag.
    var flag: String { "--\(rawValue)" }

    /// The name of the environment variable.
    var variable: String { "SYNC_" + rawValue.uppercased().replacing("-", with: "_") }

    /// The word for the value in the help; nil for a flag without a value.
    var placeholder: String? {
        switch self {
        case .schema, .tokenSecretFile, .tokenPublicKeyFile, .operatorTokenFile: "FILE"
        case .database: "DATABASE"
        case .singleAccount: "NAME"
        case .tokenIssuer, .tokenAudience, .host, .restored: "TEXT"
        case .logLevel: "LEVEL"
        case .development: nil
        default: "N"
        }
    }

    /// The value without the flag and the variable; nil if there is none.
    var standard: String? {
        switch self {
        case .host: "127.0.0.1"
        case .port: "8080"
        case .bodyBytes: "16777216"
        case .bodySeconds: "30"
        case .pageRecords, .pushRecords: "5000"
        case .connections: "1000"
        case .pageBytes: "1000000"
        case .accountRequests: "600"
        case .accountRecords: "0"
        case .accountDevices: "1000"
        case .accountChanges: "1000000"
        case .accountWaits: "50"
        case .waitSeconds: "25"
        case .openAccounts: "200"
        case .databaseConnections: "8"
        case .shutdownSeconds: "30"
        case .logLevel: "info"
        default: nil
        }
    }

    /// The smallest and the largest value of a number.
    var range: ClosedRange<Int> {
        switch self {
        case .port: 0...65_535
        case .bodyBytes: 1_000...1 << 30
        case .accountRequests, .accountRecords, .accountDevices, .accountChanges: 0...1 << 40
        case .pageRecords, .pushRecords: 1...StoreProtocol.maximumRecords
        case .databaseConnections: 2...1_000
        default: 1...1 << 30
        }
    }

    /// The line of the help.
    var help: String {
        switch self {
        case .schema: "the schema: JSON, or a Core Data model (.xcdatamodeld)"
        case .database: "postgres://…, sqlite:FOLDER/ with a file per account, or sqlite:FILE for one account"
        case .singleAccount: "the only account; the tokens of all others are refused"
        case .tokenSecretFile: "secrets of at least 32 bytes, one a line, for tokens signed by HS256"
        case .tokenPublicKeyFile: "public keys in PEM for tokens signed by ES256 or EdDSA"
        case .tokenIssuer: "the 'iss' that a token must have"
        case .tokenAudience: "the 'aud' that a token must have"
        case .operatorTokenFile: "the token for /metrics and /operations, which do not exist without it"
        case .host: "the address to listen on"
        case .port: "the port to listen on; 0 for any free one"
        case .bodyBytes: "the most bytes in the body of a request"
        case .bodySeconds: "the most seconds for the head or the body of a request to arrive"
        case .pageRecords: "the most records in a page"
        case .pageBytes: "the most bytes of values in a page or a push"
        case .pushRecords: "the most changes in a push"
        case .accountRequests: "the most requests of an account in a minute; 0 for no limit"
        case .accountRecords: "no inserts into an account with so many records; 0 for no limit"
        case .accountDevices: "the most devices of an account; 0 for no limit"
        case .accountChanges: "the last changes of an account whose deletions are remembered; 0 for all"
        case .accountWaits: "the most requests of an account that wait for a change"
        case .waitSeconds: "how long a request waits for a change"
        case .openAccounts: "the most accounts whose stores are open at the same time"
        case .databaseConnections: "the most connections to PostgreSQL for messages"
        case .connections: "the most connections, of which requests that wait for a change use at most nine tenths"
        case .shutdownSeconds: "the most seconds for requests under way after SIGTERM"
        case .logLevel: "trace, debug, info, notice, warning, error or critical"
        case .restored:
            "a name for the last restore of the database, such as its date: all accounts begin a new history"
        case .development: "prints a fixed token for the account 'demo'; for the own machine only"
        }
    }
}
