import DifferentialSyncTesting
import StoreSync
import Testing

/// Two devices and a service that no longer match, with each choice.
@Suite struct RemoteMismatchTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws { shared = try SharedPlanner() }

    /// Both devices have two tags, and the phone has an edit and a tag that were not sent.
    private func share() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
            try changes.put(Record("Tag", in: schema, ["id": 2, "name": "summer"]))
        }
        for device in [phone, laptop] { try await device.sync(with: service) }
        try await phone.edit { changes, schema in
            changes.update(RecordID("Tag", 1), ["name": "Spring"])
            try changes.put(Record("Tag", in: schema, ["id": 3, "name": "autumn"]))
        }
    }

    /// Returns the names of a store's tags in the order of their keys.
    private func tags(of store: any PersistenceAdapter) async throws -> [Value?] {
        try await store.read { try $0.records(Query("Tag", sort: [Query.SortKey("id")])).map { $0["name"] } }
    }

    /// Synchronizes the phone; checks that it finds the mismatches, and returns the outcome.
    @discardableResult
    private func sync(
        with remote: SyncService, _ choice: RemoteMismatch.Choice? = nil, finding mismatches: [RemoteMismatch],
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> StoreOutcome {
        let found = Locked<[RemoteMismatch]>([])
        defer { #expect(found.current == mismatches, sourceLocation: location) }
        return try await phone.store.synchronize(
            with: remote,
            choose: { mismatch in
                found.withLock { $0.append(mismatch) }
                return choice ?? mismatch.defaultChoice
            }, makeName: Planner.names("later phone"))
    }

    /// Checks that a cycle that keeps both apart changes nothing, however often it is made.
    private func expectApart(_ remote: SyncService, _ server: any PersistenceAdapter, _ mismatch: RemoteMismatch)
        async throws
    {
        let known = try await (phone.store.syncState, tags(of: phone.store), tags(of: server))
        for _ in 1...2 {
            await #expect(throws: KeptApartError(mismatch: mismatch)) {
                try await sync(with: remote, .keepApart, finding: [mismatch])
            }
        }
        #expect(try await phone.store.syncState == known.0)
        #expect(try await tags(of: phone.store) == known.1)
        #expect(try await tags(of: server) == known.2)
    }

    private func serviceOfEve() async throws -> (store: InMemoryAdapter, service: SyncService) {
        let other = try Device("eve")
        try await other.edit { changes, schema in
            try changes.put(Record("Tag", in: schema, ["id": 9, "name": "winter"]))
        }
        let store = InMemoryAdapter(schema: try Planner.schema())
        let service = SyncService(store, account: "eve", makeName: Planner.names("epoch of eve"))
        try await other.sync(with: service)
        return (store, service)
    }

    @Test func anotherAccountIsKeptApartMergedOrDropped() async throws {
        let mismatch = RemoteMismatch.account(store: "ada", remote: "eve")
        for choice in [RemoteMismatch.Choice.merge, .drop] {
            let world = try RemoteMismatchTests()
            try await world.share()
            let (store, service) = try await serviceOfEve()
            #expect(mismatch.defaultChoice == .keepApart)
            try await world.expectApart(service, store, mismatch)
            #expect(try await world.sync(with: service, choice, finding: [mismatch]).isSynced)
            let tags: [Value?] = choice == .drop ? ["winter"] : ["Spring", "summer", "autumn", "winter"]
            #expect(try await world.tags(of: world.phone.store) == tags)
            #expect(try await world.tags(of: store) == tags)
            #expect(try await world.tags(of: world.server) == ["spring", "summer"])
            try await world.sync(with: service, finding: [])
        }
    }

    @Test func aHistoryThatWasBegunAnewLosesNothingByDefault() async throws {
        for choice in [nil, RemoteMismatch.Choice.drop] {
            let world = try RemoteMismatchTests()
            try await world.share()
            // The service has lost everything but what the laptop brings back.
            let store = InMemoryAdapter(schema: try Planner.schema())
            let service = SyncService(store, account: "ada", makeName: Planner.names("later epoch"))
            try await world.laptop.edit { changes, _ in changes.delete(RecordID("Tag", 2)) }
            try await world.laptop.sync(with: service)
            let mismatch = RemoteMismatch.history(epoch: "later epoch 1")
            try await world.expectApart(service, store, mismatch)
            #expect(try await world.sync(with: service, choice, finding: [mismatch]).isSynced)
            let tags: [Value?] = choice == nil ? ["Spring", "summer", "autumn"] : ["spring"]
            #expect(try await world.tags(of: world.phone.store) == tags)
            #expect(try await world.tags(of: store) == tags)
            try await world.sync(with: service, finding: [])
        }
    }

    @Test func aPassedHorizonLosesNoEditByDefault() async throws {
        for choice in [nil, RemoteMismatch.Choice.drop] {
            let world = try RemoteMismatchTests()
            try await world.share()
            try await world.laptop.edit { changes, _ in changes.delete(RecordID("Tag", 2)) }
            try await world.laptop.sync(with: world.service)
            try await world.service.prune(through: 1_000)
            try await world.expectApart(world.service, world.server, .horizon)
            #expect(try await world.sync(with: world.service, choice, finding: [.horizon]).isSynced)
            let tags: [Value?] = choice == nil ? ["Spring", "autumn"] : ["spring"]
            #expect(try await world.tags(of: world.phone.store) == tags)
            #expect(try await world.tags(of: world.server) == tags)
            try await world.sync(with: world.service, finding: [])
        }
    }

    @Test func droppingEndsThePushUnderWay() async throws {
        try await share()
        var remote = ScriptedRemote(service)
        remote.losesAnswers = true
        try await phone.sync(with: remote)
        try await phone.edit { changes, _ in changes.update(RecordID("Tag", 1), ["name": "SPRING"]) }
        try await laptop.edit { changes, _ in changes.delete(RecordID("Tag", 2)) }
        try await laptop.sync(with: service)
        try await service.prune(through: 1_000)
        #expect(try await sync(with: service, .drop, finding: [.horizon]).isSynced)
        #expect(try await phone.store.syncState.isSettled)
        #expect(try await tags(of: phone.store) == ["Spring", "autumn"])
        #expect(try await tags(of: server) == ["Spring", "autumn"])
    }

    @Test func entitiesThatTheRemoteLacksAreReportedByEachCycle() async throws {
        let small = try Schema([
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
            }
        ])
        let service = SyncService(InMemoryAdapter(schema: small), account: "ada", makeName: Planner.names("epoch"))
        for _ in 1...2 {
            let outcome = try await phone.sync(with: service)
            #expect(outcome.unknownEntities == ["Area", "Project", "Task"] && outcome.failure == nil)
        }
        let store = InMemoryAdapter(schema: try Planner.schema())
        let larger = SyncService(store, account: "ada", makeName: Planner.names("epoch"))
        #expect(try await phone.sync(with: larger).unknownEntities.isEmpty)
    }

    @Test func aSchemaThatLacksSomethingIsFoundOnceAndKeepsLocalChanges() async throws {
        let small = try Schema([
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
            }
        ])
        for choice in [nil, RemoteMismatch.Choice.drop] {
            let world = try RemoteMismatchTests()
            try await world.phone.edit { changes, schema in
                try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
                try changes.put(Record("Area", in: schema, ["id": 1, "name": "home"]))
            }
            let store = InMemoryAdapter(schema: small)
            let service = SyncService(store, account: "ada", makeName: Planner.names("epoch"))
            let error = await #expect(throws: KeptApartError.self) {
                try await world.phone.store.synchronize(with: service, choose: { _ in .keepApart })
            }
            guard let mismatch = error?.mismatch, case .schema(let missing) = mismatch else {
                Issue.record("no schema")
                continue
            }
            #expect(missing["Tag"] == nil && missing["Area"]?.contains("name") == true)
            try await world.expectApart(service, store, mismatch)
            try await world.sync(with: service, choice, finding: [mismatch])
            #expect(try await world.tags(of: store) == (choice == nil ? ["spring"] : []))
            #expect(try await world.phone.record("Area", 1) != nil || choice == .drop)
            try await world.sync(with: service, finding: [])
            let grown = try await InMemoryAdapter.copy(of: store, schema: Planner.schema())
            let later = SyncService(grown, account: "ada", makeName: Planner.names("epoch"))
            #expect(try await world.sync(with: later, finding: []).isSynced)
            let isSent = try await grown.read { try $0.record(RecordID("Area", 1)) } != nil
            #expect(isSent == (choice == nil))
        }
    }

    @Test func anErrorOfTheChoiceEndsTheCycleWithoutAChange() async throws {
        struct NotNow: Error {}
        try await share()
        let (store, service) = try await serviceOfEve()
        await #expect(throws: NotNow.self) {
            try await phone.store.synchronize(with: service, choose: { _ in throw NotNow() })
        }
        #expect(try await tags(of: store) == ["winter"])
        #expect(try await phone.store.syncState.account == "ada")
    }
}
