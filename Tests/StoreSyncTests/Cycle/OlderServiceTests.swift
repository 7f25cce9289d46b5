import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// A device whose schema is newer than that of the service.
@Suite(.needsServiceStore) struct OlderServiceTests {
    @Test func aValueThatTheServiceHasNoPlaceForIsSentOnceItHas() async throws {
        let server = ServiceStores.make(try Schema.notes(withColor: false))
        let phone = try Device("phone", ServiceStores.make(Schema.notes(withColor: true)))
        try await phone.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["id": 1, "text": "milk", "color": "red"]))
        }
        let old = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
        for _ in 1...2 {
            #expect(try await phone.sync(with: old).pending == [RecordID("Note", 1)])
            #expect(try await phone.value("Note", 1, "color") == "red")
        }
        #expect(try await server.read { try $0.record(RecordID("Note", 1))?["text"] } == "milk")
        let grown = try await InMemoryAdapter.copy(of: server, schema: Schema.notes(withColor: true))
        let new = SyncService(grown, account: "ada", makeName: Planner.names("epoch"))
        #expect(try await phone.sync(with: new).isSynced)
        #expect(try await grown.read { try $0.record(RecordID("Note", 1))?["color"] } == "red")
    }

    @Test func aValueThatTheServiceHasLostThePlaceForIsSentAgain() async throws {
        let server = InMemoryAdapter(schema: try Schema.notes(withColor: true))
        let phone = try Device("phone", InMemoryAdapter(schema: Schema.notes(withColor: true)))
        try await phone.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["id": 1, "text": "milk", "color": "red"]))
            try changes.put(Record("Note", in: schema, ["id": 2, "text": "eggs"]))
        }
        #expect(try await phone.sync(with: service(server)).isSynced)
        let shrunk = try await InMemoryAdapter.copy(
            of: server, schema: Schema.notes(withColor: false), migration: [.drop("Note", "color")])
        let laptop = try Device("laptop", InMemoryAdapter(schema: Schema.notes(withColor: false)))
        try await laptop.sync(with: service(shrunk))
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "oat milk"]) }
        try await laptop.sync(with: service(shrunk))
        #expect(try await phone.sync(with: service(shrunk)).pending == [])
        #expect(try await phone.value("Note", 1, "text") == "oat milk")
        #expect(try await phone.value("Note", 1, "color") == "red")
        let grown = try await InMemoryAdapter.copy(of: shrunk, schema: Schema.notes(withColor: true))
        #expect(try await phone.sync(with: service(grown)).isSynced)
        #expect(try await grown.read { try $0.record(RecordID("Note", 1))?["color"] } == "red")
    }

    /// Both devices insert the same note, and the service has no place for its color.
    @Test func aValueOfARecordThatBothInsertStaysHere() async throws {
        let server = ServiceStores.make(try Schema.notes(withColor: false))
        let phone = try Device("phone", ServiceStores.make(Schema.notes(withColor: true)))
        let laptop = try Device("laptop", ServiceStores.make(Schema.notes(withColor: false)))
        let old = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
        try await laptop.edit { changes, schema in try changes.put(Record("Note", in: schema, ["id": 1, "text": "a"])) }
        try await laptop.sync(with: old)
        try await phone.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["id": 1, "text": "b", "color": "red"]))
        }
        let outcome = try await phone.sync(with: old, SyncPolicies(.remoteWins))
        #expect(outcome.conflicts.map(\.fields) == [["text"]])
        #expect(try await phone.value("Note", 1, "color") == "red")
        let grown = try await InMemoryAdapter.copy(of: server, schema: Schema.notes(withColor: true))
        let new = SyncService(grown, account: "ada", makeName: Planner.names("epoch"))
        #expect(try await phone.sync(with: new).isSynced)
        #expect(try await grown.read { try $0.record(RecordID("Note", 1))?["color"] } == "red")
    }

    /// Returns a schema of notes, in folders or without them.
    private func schema(withFolders hasFolders: Bool) throws -> Schema {
        try Schema(
            [
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    if hasFolders { Relationship("folder", to: "Folder", inverse: "notes") }
                },
                hasFolders
                    ? Entity("Folder") {
                        Attribute("id", .integer, isPrimaryKey: true)
                        Relationship("notes", toMany: "Note", inverse: "folder")
                    } : nil,
            ].compactMap { $0 })
    }

    @Test func aRecordOfAnEntityThatTheServiceLacksWaitsUntilItHas() async throws {
        let server = ServiceStores.make(try schema(withFolders: false))
        let phone = try Device("phone", ServiceStores.make(schema(withFolders: true)))
        try await phone.edit { changes, schema in
            try changes.put(Record("Folder", in: schema, ["id": 1]))
            try changes.put(Record("Note", in: schema, ["id": 1, "text": "milk", "folder": 1]))
        }
        let old = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
        for _ in 1...2 {
            let outcome = try await phone.sync(with: old)
            #expect(outcome.refused == [] && outcome.pending == [RecordID("Note", 1)])
        }
        #expect(try await server.read { try $0.record(RecordID("Note", 1))?["text"] } == "milk")
        let grown = try await InMemoryAdapter.copy(of: server, schema: schema(withFolders: true))
        let new = SyncService(grown, account: "ada", makeName: Planner.names("epoch"))
        #expect(try await phone.sync(with: new).isSynced)
        #expect(try await grown.read { try $0.record(RecordID("Note", 1))?["folder"] } == 1)
    }

    /// Returns a schema of dogs, with or without cats.
    private func schema(withCats hasCats: Bool) throws -> Schema {
        try Schema(
            [
                Entity("Animal", isAbstract: true) { Attribute("id", .integer, isPrimaryKey: true) },
                Entity("Dog", parent: "Animal") { Attribute("name", .string) },
                hasCats ? Entity("Cat", parent: "Animal") { Attribute("lives", .integer) } : nil,
            ].compactMap { $0 })
    }

    @Test func aRecordOfASubentityThatTheServiceLacksWaitsUntilItHas() async throws {
        let server = ServiceStores.make(try schema(withCats: false))
        let phone = try Device("phone", ServiceStores.make(schema(withCats: true)))
        try await phone.edit { changes, schema in
            try changes.put(Record("Dog", in: schema, ["id": 1, "name": "Rex"]))
            try changes.put(Record("Cat", in: schema, ["id": 2, "lives": 9]))
        }
        let old = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
        for _ in 1...2 {
            let outcome = try await phone.sync(with: old)
            #expect(outcome.refused == [] && outcome.pending == [RecordID("Animal", 2)])
            #expect(outcome.unknownEntities == ["Cat"])
        }
        #expect(try await server.read { try $0.record(RecordID("Dog", 1))?["name"] } == "Rex")
        let grown = try await InMemoryAdapter.copy(of: server, schema: schema(withCats: true))
        let new = SyncService(grown, account: "ada", makeName: Planner.names("epoch"))
        #expect(try await phone.sync(with: new).isSynced)
        #expect(try await grown.read { try $0.record(RecordID("Cat", 2))?["lives"] } == 9)
    }

    /// The service lacks the subentity for a while after a push of a cat was begun.
    @Test(arguments: [false, true])
    func aPushUnderWayWithASubentityThatTheServiceLacksIsGivenUp(isDeletion: Bool) async throws {
        let server = InMemoryAdapter(schema: try schema(withCats: true))
        let phone = try Device("phone", InMemoryAdapter(schema: schema(withCats: true)))
        try await phone.edit { changes, schema in
            try changes.put(Record("Cat", in: schema, ["id": 2, "lives": 9]))
        }
        if isDeletion {
            #expect(try await phone.sync(with: service(server)).isSynced)
            try await phone.edit { changes, _ in changes.delete(RecordID("Cat", 2)) }
        }
        #expect(try await phone.sync(with: PushlessRemote(base: service(server))).failure == .later())
        let shrunk = try await InMemoryAdapter.copy(
            of: server, schema: schema(withCats: false), migration: [.dropEntity("Cat")])
        let outcome = try await phone.sync(with: service(shrunk))
        #expect(outcome.refused == [] && outcome.pending == [RecordID("Animal", 2)])
        #expect(try await phone.sync(with: service(server)).isSynced)
        let expected: Value? = isDeletion ? nil : 9
        #expect(try await server.read { try $0.record(RecordID("Cat", 2))?["lives"] } == expected)
    }

    @Test func recordsOfASubentityThatTheScopeLacksStayAndTheirChangesWait() async throws {
        let scopes = [SyncScope("all"), SyncScope("dogs", entities: ["Dog"])]
        let server = ServiceStores.make(try schema(withCats: true))
        let service = SyncService(server, account: "ada", scopes: scopes, makeName: Planner.names("epoch"))
        let phone = try Device("phone", ServiceStores.make(schema(withCats: true)))
        let laptop = try Device("laptop", ServiceStores.make(schema(withCats: true)))
        try await phone.edit { changes, schema in
            try changes.put(Record("Dog", in: schema, ["id": 1, "name": "Rex"]))
            for id in [2, 3] as [Value] { try changes.put(Record("Cat", in: schema, ["id": id, "lives": 9])) }
        }
        for scope in ["all", "dogs"] { #expect(try await phone.sync(with: service, scope: scope).isSynced) }
        #expect(try await phone.store.read { try $0.keys(of: "Cat") } == [2, 3])
        try await phone.edit { changes, schema in
            changes.delete(RecordID("Cat", 2))
            try changes.put(Record("Cat", in: schema, ["id": 4, "lives": 7]))
        }
        try await laptop.sync(with: service, scope: "all")
        try await laptop.edit { changes, _ in changes.update(RecordID("Cat", 3), ["lives": 8]) }
        try await laptop.sync(with: service, scope: "all")
        let outcome = try await phone.sync(with: service, scope: "dogs")
        #expect(outcome.refused == [] && Set(outcome.pending) == [RecordID("Animal", 2), RecordID("Animal", 4)])
        #expect(outcome.left == [])
        #expect(try await phone.value("Cat", 3, "lives") == 9)
        #expect(try await phone.sync(with: service, scope: "all").isSynced)
        for store in [server, phone.store] { #expect(try await store.read { try $0.keys(of: "Cat") } == [3, 4]) }
        #expect(try await phone.value("Cat", 3, "lives") == 8)
    }

    @Test func aRecordThatChangesToASubentityOfTheScopeWaits() async throws {
        let scopes = [SyncScope("all"), SyncScope("dogs", entities: ["Dog"])]
        let server = ServiceStores.make(try schema(withCats: true))
        let service = SyncService(server, account: "ada", scopes: scopes, makeName: Planner.names("epoch"))
        let phone = try Device("phone", ServiceStores.make(schema(withCats: true)))
        try await phone.edit { changes, schema in
            try changes.put(Record("Dog", in: schema, ["id": 1, "name": "Rex"]))
            try changes.put(Record("Cat", in: schema, ["id": 7, "lives": 9]))
        }
        for scope in ["all", "dogs"] { #expect(try await phone.sync(with: service, scope: scope).isSynced) }
        try await phone.edit { changes, schema in
            try changes.put(Record("Dog", in: schema, ["id": 7, "name": "Tom"]))
        }
        let outcome = try await phone.sync(with: service, scope: "dogs")
        #expect(outcome.refused == [] && outcome.pending == [RecordID("Animal", 7)])
        #expect(try await phone.sync(with: service, scope: "all").isSynced)
        #expect(try await server.read { try $0.record(RecordID("Dog", 7))?["name"] } == "Tom")
    }

    /// The comparison takes several cycles, and the change waits since before the first.
    @Test func aChangeThatWaitsForItsEntityDoesNotUndoAChangeOfScope() async throws {
        let scopes = ["dogs", "puppies"].map { SyncScope($0, entities: ["Dog"]) } + [SyncScope("all")]
        let service = SyncService(
            ServiceStores.make(try schema(withCats: true)), account: "ada", limits: SyncLimits(pageRecords: 1),
            scopes: scopes, makeName: Planner.names("epoch"))
        let phone = try Device("phone", ServiceStores.make(schema(withCats: true)))
        try await phone.edit { changes, schema in
            for id in [1, 2, 3] as [Value] { try changes.put(Record("Dog", in: schema, ["id": id])) }
            try changes.put(Record("Cat", in: schema, ["id": 7, "lives": 9]))
        }
        for scope in ["all", "dogs"] { #expect(try await phone.sync(with: service, scope: scope).isSynced) }
        try await phone.edit { changes, _ in changes.delete(RecordID("Cat", 7)) }
        let names = Planner.names("later phone")
        var outcomes: [StoreOutcome] = []
        while outcomes.count < 10 && outcomes.last.map({ $0.failure != nil }) ?? true {
            let cycle = StoreCycle(scope: "puppies", maximumPages: 1, makeName: names)
            outcomes.append(try await run(cycle, of: phone, with: service))
        }
        #expect(outcomes.count > 2)
        #expect(outcomes.last?.failure == nil && outcomes.last?.pending == [RecordID("Animal", 7)])
    }

    /// Runs a cycle until it ends.
    private func run(
        _ first: StoreCycle, of device: Device, with service: SyncService
    ) async throws -> StoreOutcome {
        /// Makes a step, and returns the cycle after it.
        func next(
            _ cycle: StoreCycle,
            _ body: @escaping @Sendable (inout StoreCycle, WriteTransaction) throws -> StoreCycle.Step
        ) async throws -> (StoreCycle, StoreCycle.Step) {
            try await device.store.write { transaction in
                var cycle = cycle
                let step = try body(&cycle, transaction)
                return (cycle, step)
            }.result
        }
        var (cycle, step) = try await next(first) { try $0.begin(in: $1) }
        while true {
            do {
                switch step {
                case .handshake(let request):
                    let response = try await service.handshake(request)
                    (cycle, step) = try await next(cycle) { try $0.received(response, in: $1) }
                case .pull(let request):
                    let page = try await service.pull(request)
                    (cycle, step) = try await next(cycle) { try $0.received(page, in: $1) }
                case .push(let request):
                    let response = try await service.push(request)
                    (cycle, step) = try await next(cycle) { try $0.received(response, in: $1) }
                case .finished(let outcome): return outcome
                }
            } catch let error as RemoteError {
                (cycle, step) = try await next(cycle) { try $0.failed(error, in: $1) }
            }
        }
    }

    private func service(_ store: InMemoryAdapter) -> SyncService {
        SyncService(store, account: "ada", makeName: Planner.names("epoch"))
    }
}

/// A service that no push reaches.
private struct PushlessRemote: ForwardingRemote {
    let base: SyncService

    func push(_ request: PushRequest) async throws -> PushResponse { throw RemoteError.later() }
}
