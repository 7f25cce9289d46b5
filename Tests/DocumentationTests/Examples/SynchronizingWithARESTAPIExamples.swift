import RESTSync
import SQLitePersistence
import TestSupport
import Testing

/// The examples of `RESTSync`: its guide, its landing page and its documentation comments.
struct SynchronizingWithARESTAPIExamples {
    /// A client of a server that accepts everything, and makes identifiers.
    private struct Client: Sendable {
        var status = 201

        struct Response: Sendable {
            let status: Int
            let body: String
            var isJSON: Bool { body.hasPrefix("{") }
        }

        func get(_ path: String) async throws -> String {
            path == "/todos" ? #"[{"id": 1, "title": "Dig"}]"# : "[]"
        }

        func request(_ change: RESTChange) async throws -> Response {
            Response(status: status, body: #"{"id": 2, "title": "Sow"}"#)
        }

        func send(_ change: RESTChange) async throws -> RESTAnswer { .accepted(["id": 2]) }
    }

    private let api = Client()
    private let store: InMemoryAdapter

    init() throws {
        store = InMemoryAdapter(
            schema: try Schema([
                Entity("List") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                },
                Entity("Todo") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("title", .string)
                },
            ]))
    }

    private func addTodo() async throws {
        let record = try Record("Todo", in: store.schema, ["id": -1, "title": "Sow"])
        try await store.write { transaction in
            var changes = ChangeSet()
            changes.put(record)
            try transaction.apply(changes)
        }
    }

    private func todos() async throws -> [Value] {
        try await store.read { try $0.records(Query("Todo", sort: [Query.SortKey("id")])).map { $0["id"] } }
    }

    @Test func remote() async throws {
        try await addTodo()
        let mirror = InMemoryAdapter(schema: store.schema)
        let remote = RESTRemote(mirror, account: "ada") { mirror in
            try await mirror.sync(try await api.get("/todos"), into: "Todo")
        } send: { change in
            try await api.send(change)
        }
        let outcome = try await store.synchronize(with: remote)
        #expect(outcome.isSynced)
        #expect(try await todos() == [1, 2])
    }

    /// Synchronizes as the guide does.
    private func outcome(of api: Client) async throws -> StoreSync.StoreOutcome {
        let folder = TemporaryFolder()
        let mirrorPath = folder.file("mirror")
        let mirror = try await SQLiteAdapter.open(at: mirrorPath, schema: store.schema)
        let remote = RESTRemote(mirror, account: "ada") { mirror in
            try await mirror.sync(try await api.get("/lists"), into: "List")
            try await mirror.sync(try await api.get("/todos"), into: "Todo")
        } send: { change in
            let response = try await api.request(change)
            switch response.status {
            case 200..<300:
                let object = try? Value(json: response.body)
                return .accepted(response.body.isEmpty ? .null : object ?? .string(response.body))
            case 401: throw RemoteError.unauthorized
            case 403: return .unauthorized
            case 404 where response.isJSON, 410: return .deleted
            case 409, 412: return .conflict
            case 429: throw RemoteError.throttled()
            case 404, 408, 423, 425: throw RemoteError.later()
            case 400..<500: return .refused(code: String(response.status), reason: response.body)
            default: throw RemoteError.later()
            }
        }
        let outcome = try await store.synchronize(with: remote)
        return outcome
    }

    @Test func guide() async throws {
        try await addTodo()
        #expect(try await outcome(of: Client()).isSynced)
        #expect(try await todos() == [1, 2])
    }

    @Test(arguments: [408, 423, 425, 503]) func aPassingFailureRefusesNothing(status: Int) async throws {
        try await addTodo()
        let outcome = try await outcome(of: Client(status: status))
        #expect(outcome.failure == .later() && outcome.refused.isEmpty)
    }
}
