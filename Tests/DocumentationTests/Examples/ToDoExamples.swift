import Foundation
import SQLitePersistence

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The to-do app of README. `ToDoTests` runs it against its server.

nonisolated struct ToDo: Codable, Identifiable, Equatable, Sendable {
    var id = UUID()
    var title: String
    var isDone = false
    static let fields = [MergeField("title", \ToDo.title), MergeField("isDone", \ToDo.isDone)]
}

struct ToDoServer: RemoteCollection {
    let url: URL
    let account: String
    let recognizesPushes = true  // the server accepts a repeated push

    func pull(since version: RemoteVersion?) async throws -> Pull<ToDo, UUID> {
        struct Answer: Decodable {
            let everything: Bool
            let changed: [ToDo]
            let deleted: [UUID]
            let version: RemoteVersion
        }
        let known = ["epoch": version?.epoch, "commit": version?.commit].compactMapValues { $0 }
        let query = known.map { URLQueryItem(name: $0.key, value: $0.value) }
        let address = url.appending(path: "todos").appending(queryItems: query)
        guard let data = try await send(URLRequest(url: address)) else { throw URLError(.badServerResponse) }
        let answer = try JSONDecoder().decode(Answer.self, from: data)
        if answer.everything { return .everything(answer.changed, answer.version) }
        return .changes(changed: answer.changed, deleted: answer.deleted, answer.version)
    }

    func push(_ push: Push<ToDo>) async throws -> PushAnswer<ToDo> {
        var request = URLRequest(url: url.appending(path: "pushes"))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(push)
        guard let data = try await send(request, refusal: 409) else { return .refused }
        return .accepted(try JSONDecoder().decode(RemoteVersion.self, from: data))
    }

    func status(of pushID: String) async throws -> PushStatus<ToDo> {
        let request = URLRequest(url: url.appending(path: "pushes/\(pushID)"))
        guard let data = try await send(request, refusal: 404) else { return .notApplied }
        return .applied(try JSONDecoder().decode(RemoteVersion.self, from: data))
    }

    /// Returns the answer, or nil if the server has refused a push or does not know it.
    private func send(_ request: URLRequest, refusal: Int? = nil) async throws -> Data? {
        let (data, response) = try await URLSession.shared.data(for: request)
        switch (response as? HTTPURLResponse)?.statusCode {
        case 200: return data
        case refusal: return nil
        default: throw URLError(.badServerResponse)
        }
    }
}

struct ToDoList {
    let todos: PersistentCollection<ToDo, UUID>
    let server: ToDoServer

    @discardableResult
    func sync() async throws -> SyncTrace {
        let policy = ConflictPolicy.mergingFields(ToDo.fields, otherwise: .keepEdits(otherwise: .remoteWins))
        return try await todos.synchronize(with: server, policy: policy).trace
    }
}

extension ToDoList {
    init(path: String, server: ToDoServer) async throws {
        let store = try await SQLiteAdapter.open(at: path, schema: Schema([]))
        self.init(todos: try await store.collection(of: ToDo.self, entity: "ToDo"), server: server)
    }
}
