import Foundation
import RESTSync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension RESTChange {
    /// Returns the request that makes the change at a server.
    func request(at server: URL) throws -> URLRequest {
        var path = try self.path(of: record)
        if kind == .insertion, link == nil { path.removeLast() }
        if let link { path += try self.path(of: link.target) }
        var request = URLRequest(url: path.reduce(server) { $0.appending(component: $1) })
        request.setValue(name, forHTTPHeaderField: "Idempotency-Key")
        var body: Value?
        switch (kind, link) {
        case (.insertion, nil):
            request.httpMethod = "POST"
            if case .object(var members) = object {
                members["id"] = nil  // the app's own key, until the server has given one
                body = .object(members)
            }
        case (.insertion, _): request.httpMethod = "PUT"
        case (.update, _):
            request.httpMethod = "PATCH"
            body = changes
        case (.deletion, _): request.httpMethod = "DELETE"
        }
        if let body {
            request.httpBody = Data(try body.jsonBytes())
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    /// Returns the path of a record, such as `todos` and `7`.
    private func path(of id: RecordID) throws -> [String] {
        let collections = ["List": "lists", "ToDo": "todos", "Tag": "tags"]
        switch (collections[id.entity], id.key) {
        case (let collection?, .integer(let key)): return [collection, String(key)]
        case (let collection?, .string(let key)): return [collection, key]
        case (let collection?, .uuid(let key)): return [collection, key.uuidString]
        default: throw RemoteError.incompatible("\(id) has no path")
        }
    }
}

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

    struct API: Sendable {
        let url: URL

        /// Makes a change at the server.
        func request(_ change: RESTChange) async throws -> (status: Int, body: String, isJSON: Bool) {
            let (data, answer) = try await URLSession.shared.data(for: change.request(at: url))
            guard let response = answer as? HTTPURLResponse else { throw RemoteError.later() }
            let isJSON = response.mimeType?.hasSuffix("json") == true
            return (response.statusCode, String(decoding: data, as: UTF8.self), isJSON)
        }
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
                Entity("ToDo") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("title", .string)
                    Relationship("list", to: "List")
                    Relationship("tags", toMany: "Tag")
                },
                Entity("Tag") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                },
            ]))
    }

    private func addToDo() async throws {
        let record = try Record("ToDo", in: store.schema, ["id": -1, "title": "Sow"])
        try await store.write { transaction in
            var changes = ChangeSet()
            changes.put(record)
            try transaction.apply(changes)
        }
    }

    private func todos() async throws -> [Value] {
        try await store.read { try $0.records(Query("ToDo", sort: [Query.SortKey("id")])).map { $0["id"] } }
    }

    @Test func remote() async throws {
        try await addToDo()
        let mirror = InMemoryAdapter(schema: store.schema)
        let remote = RESTRemote(mirror, account: "ada") { mirror in
            try await mirror.sync(try await api.get("/todos"), into: "ToDo")
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
            try await mirror.sync(try await api.get("/todos"), into: "ToDo")
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
        try await addToDo()
        #expect(try await outcome(of: Client()).isSynced)
        #expect(try await todos() == [1, 2])
    }

    @Test(arguments: [408, 423, 425, 503]) func aPassingFailureRefusesNothing(status: Int) async throws {
        try await addToDo()
        let outcome = try await outcome(of: Client(status: status))
        #expect(outcome.failure == .later() && outcome.refused.isEmpty)
    }

    /// Synchronizes with a server that stores everything, and returns its requests in the order of their texts.
    private func requests(over mirror: InMemoryAdapter) async throws -> [String] {
        let server = try #require(URL(string: "https://example.org/v1"))
        let requests = Locked<[String]>([])
        let identifiers: [String: Value] = ["List": 3, "Tag": 5, "ToDo": 7]
        let remote = RESTRemote(mirror, account: "ada", links: ["ToDo.tags"]) { _ in
        } send: { change in
            let request = try change.request(at: server)
            #expect(request.value(forHTTPHeaderField: "Idempotency-Key") == change.name)
            let type = request.value(forHTTPHeaderField: "Content-Type")
            #expect(type == (request.httpBody == nil ? nil : "application/json"))
            let parts = [
                request.httpMethod ?? "", request.url?.absoluteString ?? "",
                String(decoding: request.httpBody ?? Data(), as: UTF8.self),
            ]
            requests.withLock { $0.append(parts.joined(separator: " ")) }
            guard change.kind == .insertion, change.link == nil else { return .accepted() }
            return .accepted(["id": identifiers[change.record.entity] ?? .null])
        }
        let outcome = try await store.synchronize(with: remote)
        #expect(outcome.failure == nil && outcome.refused.isEmpty)
        return requests.current.sorted()
    }

    @Test func requestsHaveTheMethodsPathsAndBodiesOfTheGuide() async throws {
        let mirror = InMemoryAdapter(schema: store.schema)
        var changes = ChangeSet()
        try changes.put(Record("List", in: store.schema, ["id": -1, "name": "home"]))
        try changes.put(Record("Tag", in: store.schema, ["id": -2, "name": "spring"]))
        try changes.put(Record("ToDo", in: store.schema, ["id": -3, "title": "Sow", "list": -1]))
        changes.link(RecordID("ToDo", -3), "tags", to: -2)
        try await store.commit(changes)
        #expect(
            try await requests(over: mirror) == [
                #"POST https://example.org/v1/lists {"name":"home"}"#,
                #"POST https://example.org/v1/tags {"name":"spring"}"#,
                #"POST https://example.org/v1/todos {"title":"Sow","list_id":3,"tags_ids":[]}"#,
                "PUT https://example.org/v1/todos/7/tags/5 ",
            ])
        changes = ChangeSet()
        changes.update(RecordID("ToDo", 7), ["title": "Sow beans", "list": .null])
        changes.unlink(RecordID("ToDo", 7), "tags", from: 5)
        try await store.commit(changes)
        #expect(
            try await requests(over: mirror) == [
                "DELETE https://example.org/v1/todos/7/tags/5 ",
                #"PATCH https://example.org/v1/todos/7 {"title":"Sow beans","list_id":null}"#,
            ])
        changes = ChangeSet()
        changes.delete(RecordID("ToDo", 7))
        try await store.commit(changes)
        #expect(try await requests(over: mirror) == ["DELETE https://example.org/v1/todos/7 "])
    }
}
