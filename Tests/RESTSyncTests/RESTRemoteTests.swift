import DifferentialSyncTesting
import RESTSync
import Testing

/// Devices that share a REST server, each over its mirror.
@Suite struct RESTRemoteTests {
    private let server = FakeServer()
    private let phone: TodoDevice
    private let laptop: TodoDevice

    init() throws {
        (phone, laptop) = (try TodoDevice("phone", at: server), try TodoDevice("laptop", at: server))
    }

    private func syncAll() async throws {
        for device in [phone, laptop, phone, laptop] { try await device.sync() }
    }

    private func expectAgreement(_ location: SourceLocation = #_sourceLocation) async throws {
        for entity in ["List", "Todo", "Tag"] {
            let (mine, others) = (try await phone.records(entity), try await laptop.records(entity))
            #expect(mine == others, sourceLocation: location)
            #expect(mine.map { $0["id"] } == server.objects(entity).map { $0["id"] }, sourceLocation: location)
        }
    }

    @Test func newRecordsGetTheServersIdentifiersAndReferencesFollow() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["id": -1, "name": "home"]))
            try changes.put(Record("Todo", in: schema, ["id": -2, "title": "dig", "list": -1]))
            try changes.put(Record("Todo", in: schema, ["id": -3, "title": "sow", "list": -1]))
            try changes.put(Record("Tag", in: schema, ["id": -4, "name": "spring"]))
            changes.link(RecordID("Todo", -2), "tags", to: -4)
        }
        let outcome = try await phone.sync()
        #expect(outcome.failure == nil && outcome.refused.isEmpty && outcome.pending.isEmpty)
        let list = try #require(server.objects("List").first?["id"])
        let tag = try #require(server.objects("Tag").first?["id"])
        #expect(server.objects("Todo").map { $0["list_id"] } == [list, list])
        #expect(server.objects("Todo").first?["tags_ids"] == [tag])
        let link = server.requests.compactMap(\.link).first
        #expect(link?.relationship == "Todo.tags" && link?.target == RecordID("Tag", tag))
        #expect(try await phone.records("List").map { $0["id"] } == [list])
        #expect(try await phone.related("List", list, "todos").count == 2)
        #expect(try await phone.related("Tag", tag, "todos").count == 1)
        try await syncAll()
        #expect(try await laptop.related("Tag", tag, "todos").count == 1)
        try await expectAgreement()
    }

    @Test func anObjectHasNoLinksThatAreSentWithOtherRecords() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["id": -1, "name": "home"]))
            try changes.put(Record("Todo", in: schema, ["id": -2, "title": "dig", "list": -1]))
            try changes.put(Record("Tag", in: schema, ["id": -3, "name": "spring"]))
        }
        try await phone.sync()
        let identifiers = server.requests.map { change in
            let names = if case .object(let object) = change.object { object.names } else { [String]() }
            return "\(change.record.entity): \(names.filter { $0.hasSuffix("_ids") })"
        }
        #expect(identifiers.sorted() == ["List: []", "Tag: []", #"Todo: ["tags_ids"]"#])
    }

    @Test func theExportOptionsMayNameLinksThatAreSentWithOtherRecords() async throws {
        var export = ExportOptions(relationships: .ids)
        export.properties["List"] = ["name", "todos"]
        let objects = Locked<[Value]>([])
        let remote = RESTRemote(phone.mirror, account: "ada", export: export) { _ in
        } send: { change in
            objects.withLock { $0.append(change.object) }
            return .accepted()
        }
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["id": 1, "name": "home"]))
        }
        #expect(try await phone.store.synchronize(with: remote).isSynced)
        #expect(objects.current == [["name": "home", "todos_ids": []]])
    }

    @Test func aServerThatReturnsEachObjectAsItWasSentRemovesNoLinks() async throws {
        let tables = Locked<[String: [Value]]>([:])
        let phone = phone
        let remote = RESTRemote(phone.mirror, account: "ada") { mirror in
            for entity in ["List", "Tag", "Todo"] {
                try await mirror.sync(Value.array(tables.current[entity] ?? []), into: entity)
            }
        } send: { change in
            tables.withLock { $0[change.record.entity, default: []].append(change.object) }
            return .accepted(change.object)
        }
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["id": 1, "name": "home"]))
            try changes.put(Record("Todo", in: schema, ["id": 2, "title": "dig", "list": 1]))
        }
        #expect(try await phone.store.synchronize(with: remote).isSynced)
        let outcome = try await phone.store.synchronize(with: remote)
        #expect(outcome.isSynced && outcome.pulledCount == 0)
        #expect(try await phone.related("List", 1, "todos") == [2])
    }

    @Test func editsOfBothDevicesReachEachOther() async throws {
        for (id, title) in [(-1, "dig"), (-2, "sow"), (-3, "weed")] { try await phone.add(Int64(id), title) }
        try await syncAll()
        let keys = try await laptop.records("Todo").map(\.id)
        try await phone.edit { changes, _ in changes.update(keys[0], ["title": "dig deep"]) }
        try await laptop.edit { changes, _ in
            changes.update(keys[1], ["title": "sow beans"])
            changes.delete(keys[2])
        }
        try await syncAll()
        #expect(try await phone.titles() == ["dig deep", "sow beans"])
        try await expectAgreement()
    }

    @Test func whatTheServerComputesComesWithTheAnswer() async throws {
        try await phone.add(-1, "dig   deep")
        let outcome = try await phone.sync()
        #expect(outcome.isSynced)
        #expect(try await phone.titles() == ["dig deep"])
        #expect(try await phone.records("Todo").first?["version"] == 1)
        let requests = server.requests.count
        try await syncAll()
        #expect(server.requests.count == requests, "an amendment is not sent back")
    }

    @Test func anUpdateSendsTheChangedPropertiesAlone() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        let id = try #require(try await phone.records("Todo").first?.id)
        try await phone.edit { changes, _ in changes.update(id, ["title": "dig deep"]) }
        try await phone.sync()
        let request = try #require(server.requests.last)
        #expect(request.kind == .update)
        #expect(request.changes == ["title": "dig deep"])
        #expect(request.record == id)
    }

    @Test func aTodoThatIsTakenOutOfItsListIsSentWithNull() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["id": -1, "name": "home"]))
            try changes.put(Record("Todo", in: schema, ["id": -2, "title": "dig", "list": -1]))
        }
        try await syncAll()
        let todo = try #require(try await laptop.records("Todo").first)
        #expect(!todo["list"].isNull)
        try await phone.edit { changes, _ in changes.update(todo.id, ["list": .null]) }
        try await syncAll()
        let request = try #require(server.requests.last)
        #expect(request.changes == ["list_id": .null])
        guard case .object(let object) = request.object else {
            Issue.record("the update has no object")
            return
        }
        #expect(object["list_id"] == Value.null)
        #expect(server.objects("Todo").map { $0["list_id"] } == [Value.null])
        #expect(try await laptop.records("Todo").map { $0["list"] } == [Value.null])
        try await expectAgreement()
    }

    @Test func anEditOmitsALinkWhoseTargetWasNeverFetched() async throws {
        server.edit("Todo", 7) { $0 = ["id": 7, "title": "dig", "list_id": 3, "tags_ids": [], "version": 1] }
        let remote = RESTRemote(phone.mirror, account: "ada") { [server] mirror in
            let todos = server.objects("Todo").map { FakeServer.object($0) }
            try await mirror.sync(Value.array(todos), into: "Todo")
        } send: { [server] change in
            try server.send(change)
        }
        _ = try await phone.store.synchronize(with: remote)
        #expect(try await phone.records("Todo").map { $0["list"] } == [Value.null])
        try await phone.edit { changes, _ in changes.update(RecordID("Todo", 7), ["title": "dig deep"]) }
        _ = try await phone.store.synchronize(with: remote)
        let request = try #require(server.requests.last)
        #expect(request.changes == ["title": "dig deep"])
        guard case .object(let object) = request.object else {
            Issue.record("the update has no object")
            return
        }
        #expect(object["title"] == "dig deep" && object["list_id"] == nil)
    }

    @Test func aNewTodoWithoutAListLeavesItsListToTheServer() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        guard case .object(let object) = try #require(server.requests.first).object else {
            Issue.record("the insertion has no object")
            return
        }
        #expect(object["title"] == "dig" && object["list_id"] == nil)
    }

    @Test func aDeletedListTakesItsTodosWithIt() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["id": -1, "name": "home"]))
            try changes.put(Record("Todo", in: schema, ["id": -2, "title": "dig", "list": -1]))
        }
        try await syncAll()
        let list = try #require(try await laptop.records("List").first?.id)
        try await laptop.edit { changes, _ in changes.delete(list) }
        try await syncAll()
        #expect(server.objects("Todo").isEmpty)
        #expect(try await phone.records("Todo").isEmpty)
        try await expectAgreement()
    }

    @Test func aConflictThatOnlyTheServerSeesIsMergedAndSentAgain() async throws {
        try await phone.add(-1, "dig")
        try await syncAll()
        let id = try #require(try await phone.records("Todo").first?.id)
        let key = try #require(server.key(of: "Todo"))
        let racing = FakeServer.Racer(server, key)
        try await phone.edit { changes, _ in changes.update(id, ["title": "dig deep"]) }
        let remote = RESTRemote(phone.mirror, account: "ada") {
            try await server.fetch(into: $0)
        } send: { change in
            racing.race()
            return try server.send(change)
        }
        let outcome = try await phone.store.synchronize(with: remote, makeName: { "again" })
        #expect(outcome.failure == nil)
        #expect(server.objects("Todo").first?["title"] == "dig deep")
        #expect(server.objects("Todo").first?["version"] == 3)
        #expect(try await phone.records("Todo").first?["version"] == 3)
    }

    @Test func anEditOfATodoThatTheServerHasDeletedIsAnOpenConflict() async throws {
        try await phone.add(-1, "dig")
        try await syncAll()
        let id = try #require(try await phone.records("Todo").first?.id)
        let key = try #require(server.key(of: "Todo"))
        server.edit("Todo", key) { $0 = nil }
        try await phone.edit { changes, _ in changes.update(id, ["title": "dig deep"]) }
        let outcome = try await phone.sync()
        #expect(outcome.conflicts.contains { $0.id == id && $0.isOpen })
        #expect(try await phone.titles() == ["dig deep"])
    }

    @Test func aServerThatAnswersWithTheKeyOfAnotherRecordLosesNothing() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        let key = try #require(server.objects("Todo").first?["id"])
        try await phone.add(-2, "sow")
        let remote = RESTRemote(phone.mirror, account: "ada") {
            try await server.fetch(into: $0)
        } send: { _ in
            .accepted(FakeServer.object(["id": key, "title": "dig"]))
        }
        let outcome = try await phone.store.synchronize(with: remote, makeName: { "a name" })
        #expect(outcome.refused.map(\.code) == ["answer"])
        #expect(try await phone.titles() == ["sow", "dig"])
    }

    @Test func nothingIsSentForAChangeThatTheMirrorRefuses() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        try await laptop.sync()
        let id = try #require(try await phone.records("Todo").first?.id)
        try await laptop.edit { changes, _ in changes.update(id, ["title": "dig deep"]) }
        try await laptop.sync()
        try await phone.edit { changes, _ in changes.update(id, ["title": "dig wide"]) }
        let requests = server.requests.count
        let outcome = try await phone.sync()
        #expect(outcome.conflicts.count { $0.isOpen } == 1)
        #expect(server.requests.count == requests)
        let conflict = try #require(try await phone.store.openConflicts.first)
        try await phone.store.resolve(conflict, with: .local)
        try await syncAll()
        #expect(server.objects("Todo").map { $0["title"] } == ["dig wide"])
        try await expectAgreement()
    }

    @Test func anOrderThatCannotBeSentIsRefusedAndKept() async throws {
        let (store, mirror) = (
            InMemoryAdapter(schema: try TodoDevice.schema(isOrdered: true)),
            InMemoryAdapter(schema: try TodoDevice.schema(isOrdered: true))
        )
        let phone = try TodoDevice("phone", at: server, store, mirror: mirror)
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["id": -1, "name": "home"]))
            for (id, title) in [(-2, "dig"), (-3, "sow")] as [(Int64, String)] {
                let values: [String: Value] = ["id": .integer(id), "title": .string(title), "list": -1]
                try changes.put(Record("Todo", in: schema, values))
                try changes.put(Record("Tag", in: schema, ["id": .integer(id - 10), "name": .string(title)]))
            }
            for tag in [-12, -13] as [Value] { changes.link(RecordID("Todo", -2), "tags", to: tag) }
        }
        for _ in 1...2 { #expect(try await phone.sync().failure == nil) }
        let list = try #require(server.objects("List").first?["id"])
        let todo = try #require(try await phone.records("Todo").first { $0["title"] == "dig" }?["id"])
        let todos = try await phone.related("List", list, "todos")
        let tags = try await phone.related("Todo", todo, "tags")
        #expect(todos.count == 2 && tags.count == 2)
        let requestCount = server.requests.count
        try await phone.edit { changes, _ in
            changes.setLinks(RecordID("List", list), "todos", to: todos.reversed())
            changes.setLinks(RecordID("Todo", todo), "tags", to: tags.reversed())
        }
        let outcome = try await phone.sync()
        #expect(outcome.failure == nil && Set(outcome.refused.map(\.code)) == ["order"])
        try await phone.sync()
        #expect(server.requests.count == requestCount)
        #expect(try await phone.related("List", list, "todos") == Array(todos.reversed()))
        #expect(try await phone.related("Todo", todo, "tags") == Array(tags.reversed()))
    }

    @Test func aRefusedRecordWaitsAndOthersAreSent() async throws {
        try await phone.add(-2, "")
        try await phone.add(-1, "dig")
        let outcome = try await phone.sync()
        #expect(outcome.refused.map(\.code) == ["422"])
        #expect(server.objects("Todo").map { $0["title"] } == ["dig"])
        #expect(try await phone.titles() == ["", "dig"])
    }
}

extension FakeServer {
    /// Another client that changes a todo once, right before the next request.
    struct Racer {
        private let server: FakeServer
        private let id: Int64
        private let isDone = Locked(false)

        init(_ server: FakeServer, _ id: Int64) { (self.server, self.id) = (server, id) }

        func race() {
            if isDone.withLock({ done in
                defer { done = true }
                return done
            }) {
                return
            }
            server.edit("Todo", id) { _ in }
        }
    }
}
