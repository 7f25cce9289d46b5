import DifferentialSyncTesting
import RESTSync

/// A server of todos with an interface of its own: it makes identifiers, counts versions, and knows nothing of the
/// library.
struct FakeServer {
    /// What the server does wrong with the next requests.
    enum Fault: Hashable {
        /// Stores the change, and the answer is lost.
        case loseAnswer
        /// Answers without storing anything that it may do so later.
        case busy
        /// Answers without storing anything that the change is a conflict.
        case conflict
        /// Answers that the authorization has expired.
        case expired
        /// Answers each list with an error page.
        case errorPage
    }

    struct Lost: Error {}

    struct State {
        var tables: [String: [Int64: [String: Value]]] = ["List": [:], "Todo": [:], "Tag": [:]]
        var lastID: Int64 = 100
        var answers: [String: RESTAnswer] = [:]
        var honorsNames = true
        var faults: [Fault] = []
        var requests: [RESTChange] = []
    }

    let state = Locked(State())

    func fail(_ faults: Fault...) { fail(faults) }

    func fail(_ faults: [Fault]) { state.withLock { $0.faults = faults } }

    /// The objects of an entity, by their identifiers.
    func objects(_ entity: String) -> [[String: Value]] {
        state.withLock { state in state.tables[entity, default: [:]].sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The first identifier of an entity.
    func key(of entity: String) -> Int64? { state.withLock { $0.tables[entity]?.keys.min() } }

    var requests: [RESTChange] { state.withLock { $0.requests } }

    /// Changes an object as another client does.
    func edit(_ entity: String, _ id: Int64, _ body: (inout [String: Value]?) -> Void) {
        state.withLock { state in
            body(&state.tables[entity, default: [:]][id])
            if entity == "Todo", case .integer(let version)? = state.tables[entity]?[id]?["version"] {
                state.tables[entity]?[id]?["version"] = .integer(version + 1)
            }
        }
    }

    /// Brings everything into a mirror, in pages of two objects.
    func fetch(into mirror: any PersistenceAdapter) async throws {
        for entity in ["List", "Tag", "Todo"] {
            let isFaulty = state.withLock { $0.faults.first == .errorPage }
            let objects = objects(entity)
            var pages = try stride(from: 0, to: max(objects.count, 1), by: 2).map { start in
                try Value.array(objects.dropFirst(start).prefix(2).map { Self.object($0) }).jsonBytes()
            }
            if isFaulty { pages[pages.count - 1] = Array("<html>Bad gateway</html>".utf8) }
            try await mirror.sync(pages: pages, roots: [SyncRoot(entity)])
        }
    }

    static func object(_ members: [String: Value]) -> Value {
        let names = members.keys.sorted()
        return .object(ValueObject(distinct: names, names.map { members[$0] ?? .null }))
    }

    func send(_ change: RESTChange) throws -> RESTAnswer {
        try state.withLock { state in
            state.requests.append(change)
            if state.faults.first == .busy {
                state.faults.removeFirst()
                return .later()
            }
            if state.faults.first == .conflict {
                state.faults.removeFirst()
                return .conflict
            }
            if state.honorsNames, let known = state.answers[change.name] { return known }
            let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
            if fault == .expired { throw RemoteError.unauthorized }
            let answer = state.answer(to: change)
            if case .accepted = answer { state.answers[change.name] = answer }
            if fault == .loseAnswer { throw Lost() }
            return answer
        }
    }
}

extension FakeServer.State {
    mutating func answer(to change: RESTChange) -> RESTAnswer {
        guard case .integer(let id) = change.record.key, case .object(let sent) = change.object else {
            return .refused(code: "400", reason: "no object")
        }
        let entity = change.record.entity
        if change.kind == .insertion, change.link == nil { return insert(entity, sent) }
        guard var object = tables[entity]?[id] else { return .deleted }
        if entity == "Todo", sent["version"] != object["version"] { return .conflict }
        if change.kind == .deletion, change.link == nil {
            tables[entity]?[id] = nil
            if entity == "List" { tables["Todo"] = tables["Todo"]?.filter { $0.value["list_id"] != change.record.key } }
            return .accepted()
        }
        if let link = change.link {
            if case .integer(let tag) = link.target.key, tables["Tag"]?[tag] == nil { return .deleted }
            guard case .array(var tags)? = object["tags_ids"] else { return .refused(code: "400", reason: "no tags") }
            tags.removeAll { $0 == link.target.key }
            if change.kind == .insertion { tags.append(link.target.key) }
            object["tags_ids"] = .array(tags)
        } else if case .object(let changes) = change.changes {
            if changes["title"] == "" { return .refused(code: "422", reason: "a todo needs a title") }
            for (name, value) in zip(changes.names, changes.values) where name != "id" { object[name] = value }
        }
        store(entity, id, &object)
        return .accepted(FakeServer.object(object))
    }

    private mutating func insert(_ entity: String, _ sent: ValueObject) -> RESTAnswer {
        if sent["title"] == "" { return .refused(code: "422", reason: "a todo needs a title") }
        lastID += 1
        var object: [String: Value] = ["id": .integer(lastID)]
        for name in entity == "Todo" ? ["title", "list_id"] : ["name"] { object[name] = sent[name] ?? .null }
        if entity == "Todo" { object["tags_ids"] = [] }
        if let list = object["list_id"], !list.isNull {
            guard case .integer(let id) = list, tables["List"]?[id] != nil else {
                return .refused(code: "404", reason: "no such list")
            }
        }
        store(entity, lastID, &object)
        return .accepted(FakeServer.object(object))
    }

    private mutating func store(_ entity: String, _ id: Int64, _ object: inout [String: Value]) {
        if entity == "Todo" {
            // The server counts versions, and removes spaces.
            if case .integer(let version)? = object["version"] {
                object["version"] = .integer(version + 1)
            } else {
                object["version"] = 1
            }
            if case .string(let title)? = object["title"] {
                object["title"] = .string(title.split(separator: " ").joined(separator: " "))
            }
        }
        tables[entity, default: [:]][id] = object
    }
}
