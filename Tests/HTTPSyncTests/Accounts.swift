import Foundation
import HTTPSync
import SQLitePersistence
import SyncPersistence

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server's stores of two accounts, each with a token.
struct Accounts: Sendable {
    static let tokens = ["token-of-ada": "ada", "token-of-bob": "bob"]

    private let stores: [String: SQLiteAdapter]

    init() async throws {
        var stores: [String: SQLiteAdapter] = [:]
        for account in Self.tokens.values { stores[account] = try await SQLiteAdapter.inMemory(schema: Self.schema()) }
        self.stores = stores
    }

    static func schema() throws -> Schema {
        try Schema([
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
            }
        ])
    }

    /// Returns the store of an account.
    func store(of account: String) throws -> SQLiteAdapter {
        guard let store = stores[account] else { throw RemoteError.gone(account) }
        return store
    }

    /// Returns the remote for the token of a request.
    func remote(for request: HTTPServiceRequest) throws -> any Remote {
        guard let account = request.bearerToken.flatMap({ Self.tokens[$0] }) else { throw RemoteError.unauthorized }
        // The limits of the server in this repository, which the guide shows.
        return SyncService(
            try store(of: account), account: account, limits: SyncLimits(), makeName: { "a1" })
    }

    /// Returns the service over these accounts.
    func service() -> HTTPService { HTTPService { try remote(for: $0) } }
}

extension HTTPServiceRequest {
    /// A request of ada's device.
    static func post(
        _ path: String, _ body: Data, token: String = "token-of-ada", type: String = "application/json"
    ) -> HTTPServiceRequest {
        HTTPServiceRequest(
            method: "POST", path: path, headers: [("Authorization", "Bearer \(token)"), ("Content-Type", type)],
            body: body)
    }
}

extension HTTPServiceResponse {
    /// The code in the JSON of an error.
    var code: String? {
        guard case .object(let object)? = try? Value(json: body), case .string(let code)? = object["error"] else {
            return nil
        }
        return code
    }
}

extension PersistenceAdapter {
    /// Inserts or replaces a note.
    func put(_ id: Int, _ title: String) async throws {
        let record = try Record("Note", in: schema, ["id": .integer(Int64(id)), "title": .string(title)])
        var changes = ChangeSet()
        changes.put(record)
        try await commit(changes)
    }

    /// Returns the title of a note.
    func title(_ id: Int) async throws -> Value? {
        try await read { try $0.record(RecordID("Note", .integer(Int64(id))))?["title"] }
    }
}

/// Returns the head of a response.
func head(_ status: Int, _ headers: [String: String] = [:]) throws -> HTTPURLResponse {
    guard let url = URL(string: "http://localhost"),
        let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers)
    else { throw RemoteError.gone("head") }
    return head
}

/// Returns a transport to a service in the same process.
func transport(to service: HTTPService) -> HTTPRemote.Transport {
    { request in
        let response = await service.response(
            to: HTTPServiceRequest(
                method: request.httpMethod ?? "", path: request.url?.path ?? "",
                headers: (request.allHTTPHeaderFields ?? [:]).map { ($0, $1) }, body: request.httpBody ?? Data()))
        return (response.body, try head(response.status, response.headers))
    }
}
