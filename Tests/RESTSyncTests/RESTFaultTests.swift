import DifferentialSyncTesting
import RESTSync
import SQLitePersistence
import TestSupport
import Testing

/// Servers and processes that fail: nothing is lost or doubled.
@Suite struct RESTFaultTests {
    private let server = FakeServer()
    private let phone: TodoDevice

    init() throws { phone = try TodoDevice("phone", at: server) }

    @Test func anErrorPageLosesNothing() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        try await phone.add(-2, "sow")
        server.fail(.errorPage)
        let outcome = try await phone.sync()
        #expect(outcome.failure == .later())
        #expect(try await phone.titles() == ["sow", "dig"])
        server.fail()
        #expect(try await phone.sync().isSynced)
        #expect(server.objects("Todo").map { $0["title"] } == ["dig", "sow"])
    }

    @Test func aLostAnswerDoesNotDoubleARecord() async throws {
        try await phone.add(-1, "dig")
        server.fail(.loseAnswer)
        #expect(try await phone.sync().failure == .later())
        #expect(server.objects("Todo").count == 1)
        #expect(try await phone.sync().isSynced)
        #expect(server.objects("Todo").count == 1)
        #expect(try await phone.records("Todo").map { $0["id"] } == server.objects("Todo").map { $0["id"] })
        #expect(server.requests.map(\.attempt) == [1, 2])
        #expect(Set(server.requests.map(\.name)).count == 1)
    }

    @Test func anEditAfterALostAnswerIsSentOnceThatIsKnown() async throws {
        try await phone.add(-1, "dig")
        server.fail(.loseAnswer)
        try await phone.sync()
        try await phone.edit { changes, _ in changes.update(RecordID("Todo", -1), ["title": "dig deep"]) }
        let outcome = try await phone.sync()
        #expect(outcome.conflicts.isEmpty)
        #expect(server.objects("Todo").map { $0["title"] } == ["dig deep"])
        #expect(try await phone.titles() == ["dig deep"])
    }

    @Test func aProcessThatEndsInTheMiddleOfAPushContinues() async throws {
        let folder = TemporaryFolder()
        func device(_ name: String) async throws -> TodoDevice {
            let store = try await SQLiteAdapter.open(at: folder.file("app"), schema: TodoDevice.schema())
            let mirror = try await SQLiteAdapter.open(at: folder.file("mirror"), schema: TodoDevice.schema())
            return try TodoDevice(name, at: server, store, mirror: mirror)
        }
        do {
            let first = try await device("first")
            for id in 1...5 { try await first.add(Int64(-id), "todo \(id)") }
            server.fail(.busy, .loseAnswer)
            #expect(try await first.sync().failure != nil)
        }
        let second = try await device("second")
        #expect(try await second.sync().isSynced)
        #expect(server.objects("Todo").count == 5)
        #expect(try await second.records("Todo").map { $0["id"] } == server.objects("Todo").map { $0["id"] })
    }

    @Test func aServerWithoutMemoryOfNamesGetsASecondObjectAndNoneIsLost() async throws {
        server.state.withLock { $0.honorsNames = false }
        try await phone.add(-1, "dig")
        server.fail(.loseAnswer)
        try await phone.sync()
        try await phone.sync()
        #expect(server.objects("Todo").count == 2)
        #expect(try await phone.titles() == ["dig", "dig"])
    }

    @Test func aBusyServerGetsTheRecordLaterAndOthersNow() async throws {
        try await phone.add(-2, "dig")
        try await phone.add(-1, "sow")
        server.fail(.busy)
        let outcome = try await phone.sync()
        #expect(outcome.pending.count == 1 && outcome.failure == nil)
        #expect(server.objects("Todo").count == 1)
        #expect(try await phone.sync().isSynced)
        #expect(server.objects("Todo").count == 2)
    }

    /// A server may answer so as long as it works on the first request.
    @Test func aConflictAfterALostAnswerDoesNotGetARecordTwice() async throws {
        try await phone.add(-1, "dig")
        server.fail(.loseAnswer, .conflict)
        for _ in 1...2 { #expect(try await phone.sync().failure == .later()) }
        #expect(try await phone.sync().isSynced)
        #expect(server.objects("Todo").count == 1)
        #expect(try await phone.titles() == ["dig"])
    }

    @Test func aConflictAfterManyLostAnswersDoesNotGetARecordTwice() async throws {
        try await phone.add(-1, "dig")
        server.fail(.loseAnswer, .busy, .busy, .conflict)
        for _ in 1...4 { #expect(try await phone.sync().failure == .later()) }
        #expect(try await phone.sync().isSynced)
        #expect(server.objects("Todo").count == 1)
        #expect(try await phone.titles() == ["dig"])
    }

    @Test func aServerWithAConflictForGoodDoesNotStopTheOthers() async throws {
        try await phone.add(-1, "dig")
        let remote = RESTRemote(phone.mirror, account: "ada") {
            try await server.fetch(into: $0)
        } send: { change in
            guard case .object(let object) = change.object, object["title"] == "dig" else {
                return try server.send(change)
            }
            if change.attempt == 1 { throw FakeServer.Lost() }
            return .conflict
        }
        #expect(try await phone.store.synchronize(with: remote).failure == .later())
        try await phone.add(-2, "sow")
        for _ in 1...2 { #expect(try await phone.store.synchronize(with: remote).failure == .later()) }
        #expect(server.objects("Todo").isEmpty)
        let outcome = try await phone.store.synchronize(with: remote)
        #expect(outcome.failure == nil && outcome.pending == [RecordID("Todo", -1)])
        #expect(server.objects("Todo").map { $0["title"] } == ["sow"])
        #expect(try await phone.titles() == ["dig", "sow"])
    }

    @Test func aServerThatIsBusyAfterALostAnswerDoesNotGetARecordTwice() async throws {
        try await phone.add(-1, "dig")
        server.fail(.loseAnswer, .busy)
        #expect(try await phone.sync().failure == .later())
        #expect(try await phone.sync().failure == .later())
        #expect(try await phone.sync().isSynced)
        #expect(server.objects("Todo").count == 1)
        #expect(server.requests.map(\.attempt) == [1, 2, 3])
        #expect(Set(server.requests.map(\.name)).count == 1)
        #expect(try await phone.titles() == ["dig"])
    }

    /// The answer to a change of the title has a version that another client has edited.
    @Test func anEditOfAnotherClientThatComesWithAnAnswerIsAConflictWithALaterEdit() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        let id = try #require(try await phone.records("Todo").first?.id)
        let key = try #require(server.key(of: "Todo"))
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["id": -5, "name": "mine"]))
            changes.update(id, ["title": "dig deep"])
        }
        let remote = RESTRemote(phone.mirror, account: "ada") {
            try await server.fetch(into: $0)
        } send: { [phone] change in
            guard change.record.entity == "Todo" else { return try server.send(change) }
            try await phone.edit { changes, _ in changes.update(id, ["note": "mine"]) }
            server.edit("Todo", key) { $0?["note"] = "theirs" }
            return .accepted(FakeServer.object(try #require(server.objects("Todo").first)))
        }
        let outcome = try await phone.store.synchronize(with: remote, makeName: { "again" })
        #expect(outcome.conflicts.map(\.fields) == [["note"]])
        #expect(outcome.conflicts.first?.versions.remote?["note"] == "theirs")
    }

    @Test func anEditOfAnotherClientThatComesWithAnAnswerIsAConflictWithALaterDeletion() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        let id = try #require(try await phone.records("Todo").first?.id)
        let key = try #require(server.key(of: "Todo"))
        try await phone.edit { changes, _ in changes.update(id, ["title": "dig deep"]) }
        let remote = RESTRemote(phone.mirror, account: "ada") {
            try await server.fetch(into: $0)
        } send: { [phone] change in
            guard change.kind == .update else { return try server.send(change) }
            try await phone.edit { changes, _ in changes.delete(id) }
            server.edit("Todo", key) { $0?["note"] = "theirs" }
            return .accepted(FakeServer.object(try #require(server.objects("Todo").first)))
        }
        let outcome = try await phone.store.synchronize(
            with: remote, policies: SyncPolicies(.keepEdits(otherwise: .leaveOpen)), makeName: { "again" })
        #expect(outcome.conflicts.count == 1)
        #expect(try await phone.records("Todo").map { $0["note"] } == ["theirs"])
    }

    @Test func anExpiredAuthorizationEndsTheCycleAndTheNextOneContinues() async throws {
        try await phone.add(-1, "dig")
        server.fail(.expired)
        #expect(try await phone.sync().failure == .unauthorized)
        #expect(try await phone.sync().isSynced)
        #expect(server.objects("Todo").count == 1)
    }

    @Test func aChangeOfAnotherAccountIsNotSentAgain() async throws {
        try await phone.add(-1, "dig")
        server.fail(.loseAnswer)
        #expect(try await phone.sync().failure == .later())
        let others = FakeServer()
        func remote(_ account: String, _ server: FakeServer) -> RESTRemote {
            RESTRemote(phone.mirror, account: account) {
                try await server.fetch(into: $0)
            } send: { change in
                try server.send(change)
            }
        }
        await #expect(throws: KeptApartError.self) {
            try await phone.store.synchronize(with: remote("eve", others), makeName: { "eve's" })
        }
        #expect(others.requests.isEmpty)
        // The account that has sent it finds out what became of it.
        #expect(try await phone.sync().failure == nil)
        #expect(server.objects("Todo").count == 1 && server.requests.map(\.attempt) == [1, 2])
    }

    @Test func anAnswerThatIsNoObjectIsReportedAndTheChangeStaysPending() async throws {
        try await phone.add(-1, "dig")
        let remote = RESTRemote(phone.mirror, account: "ada") {
            try await server.fetch(into: $0)
        } send: { _ in
            .accepted("Welcome to our hotel")
        }
        let outcome = try await phone.store.synchronize(with: remote, makeName: { "a name" })
        guard case .incompatible = outcome.failure else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try await phone.sync().isSynced)
        #expect(server.objects("Todo").count == 1)
    }

    @Test(arguments: [false, true])
    func oneChangeThatTheServerNeverTakesDoesNotHoldUpTheOthers(throwsError: Bool) async throws {
        try await phone.add(-2, "poison")
        try await phone.add(-1, "dig")
        let remote = RESTRemote(phone.mirror, account: "ada", links: ["Todo.tags"]) {
            try await server.fetch(into: $0)
        } send: { change in
            guard case .object(let object) = change.object, object["title"] == "poison" else {
                return try server.send(change)
            }
            if throwsError { throw RemoteError.incompatible("422") }
            return .accepted("Welcome to our hotel")
        }
        let makeName = countedNames("a name")
        func outcome() async throws -> StoreSync.StoreOutcome {
            try await phone.store.synchronize(with: remote, makeName: makeName)
        }
        // The answer may be that of a station on the way.
        for _ in 0..<(throwsError ? 0 : 2) { #expect(try await outcome().failure != nil) }
        let outcome = try await outcome()
        #expect(outcome.refused.map(\.code) == [throwsError ? "incompatible" : "answer"] && outcome.failure == nil)
        #expect(server.objects("Todo").map { $0["title"] } == ["dig"])
        #expect(try await phone.titles() == ["poison", "dig"])
    }

    @Test func aChangeThatCannotBeExportedIsRefusedNotAccepted() async throws {
        struct Unspeakable: Error {}
        let schema = try Schema {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string, transformer: "picky")
            }
        }
        var export = ExportOptions(relationships: .ids)
        export.transformers["picky"] = AttributeTransformer(
            fromRemote: { $0 },
            toRemote: { value in
                if value == "unspeakable" { throw Unspeakable() }
                return value
            })
        let sent = Locked<[Value]>([])
        let remote = RESTRemote(InMemoryAdapter(schema: schema), account: "ada", export: export) { _ in
        } send: { change in
            sent.withLock { $0.append(change.object) }
            return .accepted(change.object)
        }
        let store = InMemoryAdapter(schema: schema)
        for (id, text) in [(1, "unspeakable"), (2, "dig")] as [(Int64, Value)] {
            var changes = ChangeSet()
            try changes.put(Record("Note", in: schema, ["id": .integer(id), "text": text]))
            try await store.commit(changes)
        }
        let outcome = try await store.synchronize(with: remote)
        #expect(outcome.refused.map(\.id) == [RecordID("Note", 1)] && outcome.pushedCount == 1)
        #expect(outcome.refused.map(\.code) == ["notRepresentable"])
        #expect(sent.current.count == 1)
    }

    @Test func aServerThatChangesARecordBeforeEachRequestDoesNotKeepTheCycleForGood() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        let id = try #require(try await phone.records("Todo").first?.id)
        let key = try #require(server.key(of: "Todo"))
        try await phone.edit { changes, _ in changes.update(id, ["title": "dig deep"]) }
        let sent = server.requests.count
        let remote = RESTRemote(phone.mirror, account: "ada") {
            try await server.fetch(into: $0)
        } send: { change in
            if server.requests.count > sent + 50 { throw RemoteError.gone("the cycle does not end") }
            server.edit("Todo", key) { _ in }
            return try server.send(change)
        }
        let outcome = try await phone.store.synchronize(with: remote, makeName: { "a name" })
        #expect(outcome.failure == nil)
        #expect(try await phone.titles() == ["dig deep"])
        #expect(try await phone.sync().failure == nil)
        #expect(server.objects("Todo").map { $0["title"] } == ["dig deep"])
    }

    @Test func aLinkIsSentOnceIfTheAnswerIsLost() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Todo", in: schema, ["id": -1, "title": "dig"]))
            try changes.put(Record("Tag", in: schema, ["id": -2, "name": "spring"]))
        }
        try await phone.sync()
        let todo = try #require(try await phone.records("Todo").first?.id)
        let tag = try #require(try await phone.records("Tag").first?.id)
        try await phone.edit { changes, _ in changes.link(todo, "tags", to: tag.key) }
        server.fail(.loseAnswer)
        #expect(try await phone.sync().failure == .later())
        #expect(try await phone.sync().failure == nil)
        #expect(server.objects("Todo").map { $0["tags_ids"] } == [[tag.key]])
        try await phone.edit { changes, _ in changes.unlink(todo, "tags", from: tag.key) }
        #expect(try await phone.sync().failure == nil)
        #expect(server.objects("Todo").map { $0["tags_ids"] } == [[]])
        #expect(try await phone.sync().isSynced)
    }

    /// A server answers with 404 if either of the linked records is gone.
    @Test(arguments: [true, false])
    func aLinkWhoseOtherEndIsGoneKeepsTheRecord(isNew: Bool) async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Todo", in: schema, ["id": -1, "title": "dig"]))
            try changes.put(Record("Tag", in: schema, ["id": -2, "name": "spring"]))
            if !isNew { changes.link(RecordID("Todo", -1), "tags", to: -2) }
        }
        try await phone.sync()
        let todo = try #require(try await phone.records("Todo").first?.id)
        let tag = try #require(try await phone.records("Tag").first?.id)
        try await phone.edit { changes, _ in
            if isNew { changes.link(todo, "tags", to: tag.key) } else { changes.unlink(todo, "tags", from: tag.key) }
        }
        // A fetch of changes need not bring a record again that has not changed.
        let remote = RESTRemote(phone.mirror, account: "ada", links: ["Todo.tags"]) { _ in
        } send: { change in
            if let key = server.key(of: "Tag") { server.edit("Tag", key) { $0 = nil } }
            return try server.send(change)
        }
        let policies = SyncPolicies(.remoteWins)
        for name in ["once", "again"] {
            let outcome = try await phone.store.synchronize(with: remote, policies: policies, makeName: { name })
            #expect(outcome.failure == nil)
            #expect(try await phone.titles() == ["dig"])
        }
        try await phone.sync(policies)
        #expect(try await phone.sync(policies).isSynced)
        #expect(try await phone.titles() == ["dig"])
        #expect(try await phone.records("Tag").isEmpty)
        #expect(try await phone.related("Todo", todo.key, "tags").isEmpty)
    }

    @Test func aLostMirrorIsFilledAgainAndNothingIsDoubled() async throws {
        try await phone.add(-1, "dig")
        try await phone.sync()
        let again = try TodoDevice("again", at: server, phone.store)
        try await again.add(-2, "sow")
        #expect(try await again.sync().failure == nil)
        #expect(try await again.sync().isSynced)
        #expect(server.objects("Todo").map { $0["title"] } == ["dig", "sow"])
        #expect(try await again.titles() == ["dig", "sow"])
    }
}
