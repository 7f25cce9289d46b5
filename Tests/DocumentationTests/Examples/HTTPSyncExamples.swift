import Foundation
import HTTPSync
import SyncPersistence
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The examples of `HTTPSync`: its guides and its documentation comments.
struct HTTPSyncExamples {
    private struct Session: Sendable {
        var token: String {
            get async { "old" }
        }

        func refreshedToken() async throws -> String { "token" }
    }

    private struct Accounts: Sendable {
        func account(of token: String?) async -> String? { token == "token" ? "ada" : nil }
    }

    private struct Stores: Sendable {
        let store: InMemoryAdapter

        func store(of account: String) async throws -> InMemoryAdapter { store }
    }

    /// What a framework for servers has.
    private final class Router {
        struct Header {
            let name: String
            let value: String
        }
        struct Request {
            let method: String
            let path: String
            let headers: [Header]
            let body: Data
        }
        struct Response {
            let status: Int
            let headers: [String: String]
            let body: Data
        }

        var answer: @Sendable (Request) async -> Response = { _ in Response(status: 404, headers: [:], body: Data()) }

        func onEachRequest(_ answer: @escaping @Sendable (Request) async -> Response) { self.answer = answer }
    }

    private let accounts = Accounts()
    private let stores: Stores
    private let store: InMemoryAdapter
    private let session = Session()

    init() throws {
        let schema = try Schema([Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) }])
        (store, stores) = (InMemoryAdapter(schema: schema), Stores(store: InMemoryAdapter(schema: schema)))
    }

    private static func log(_ text: String) { Issue.record("\(text)") }

    @Test func requestAsAValue() async {
        let token = "other"
        let service = HTTPService { _ in throw RemoteError.unauthorized }
        let request = HTTPServiceRequest(
            method: "GET", path: "/sync/v1/notifications", headers: [("Authorization", "Bearer \(token)")])
        let response = await service.response(to: request)
        #expect(response.status == 401)
    }

    @Test func mounting() async throws {
        let (accounts, stores, router, log) = (accounts, stores, Router(), Self.log)
        let http = HTTPService(report: { error, request in log("\(request.path): \(error)") }) { request in
            guard let account = await accounts.account(of: request.bearerToken) else { throw RemoteError.unauthorized }
            return SyncService(try await stores.store(of: account), account: account)
        }
        router.onEachRequest { request in
            let response = await http.response(
                to: HTTPServiceRequest(
                    method: request.method, path: request.path,
                    headers: request.headers.map { ($0.name, $0.value) }, body: request.body))
            return Router.Response(status: response.status, headers: response.headers, body: response.body)
        }
        let request = Router.Request(
            method: "GET", path: "/sync/v1/notifications", headers: [.init(name: "authorization", value: "Bearer x")],
            body: Data())
        #expect(await router.answer(request).status == 401)
    }

    @Test func answering() async throws {
        let (accounts, stores) = (accounts, stores)
        let request = HTTPServiceRequest(method: "POST", path: "/sync/v1/pull")
        let http = HTTPService { request in
            guard let account = await accounts.account(of: request.bearerToken) else { throw RemoteError.unauthorized }
            return SyncService(try await stores.store(of: account), account: account)
        }
        let response = await http.response(to: request)
        #expect(response.status == 415)
    }

    @Test func synchronizing() async throws {
        let session = session
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let remote = HTTPRemote(url) { refused in
            refused == nil ? await session.token : try await session.refreshedToken()
        }
        try await store.synchronize(with: remote)
    }
}
