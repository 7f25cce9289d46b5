import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// One-to-one relationships with a mandatory side, whose changes a page may cut.
@Suite struct OneToOneTests {
    private let phone: Device
    private let laptop: Device
    private let service: SyncService

    init() throws {
        let schema = try Schema([
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("desk", to: "Desk", inverse: "person", isOptional: false)
            },
            Entity("Desk") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("person", to: "Person", inverse: "desk")
            },
        ])
        phone = try Device("phone", InMemoryAdapter(schema: schema))
        laptop = try Device("laptop", InMemoryAdapter(schema: schema))
        service = SyncService(
            InMemoryAdapter(schema: schema), account: "ada", limits: SyncLimits(pageRecords: 1),
            makeName: Planner.names("epoch"))
    }

    @Test func personsThatSwapDesksOverTheEndOfAPageArrive() async throws {
        try await phone.edit { changes, schema in
            for id in [Value.integer(1), 2] {
                try changes.put(Record("Desk", in: schema, ["id": id]))
                try changes.put(Record("Person", in: schema, ["id": id, "desk": id]))
            }
        }
        try await phone.sync(with: service)
        try await laptop.sync(with: service)
        try await phone.edit { changes, schema in
            try changes.put(Record("Person", in: schema, ["id": 1, "desk": 2]))
            try changes.put(Record("Person", in: schema, ["id": 2, "desk": 1]))
        }
        #expect(try await phone.sync(with: service).isSynced)
        #expect(try await laptop.sync(with: service).isSynced)
        #expect(try await laptop.value("Person", 1, "desk") == 2)
        #expect(try await laptop.value("Person", 2, "desk") == 1)
    }

    @Test func personsThatPassDesksAroundOverSeveralPagesArrive() async throws {
        let ids = (1...5).map { Value.integer($0) }
        try await phone.edit { changes, schema in
            for id in ids {
                try changes.put(Record("Desk", in: schema, ["id": id]))
                try changes.put(Record("Person", in: schema, ["id": id, "desk": id]))
            }
        }
        try await phone.sync(with: service)
        try await laptop.sync(with: service)
        try await phone.edit { changes, schema in
            for (id, desk) in zip(ids, ids[1...] + ids[...0]) {
                try changes.put(Record("Person", in: schema, ["id": id, "desk": desk]))
            }
        }
        #expect(try await phone.sync(with: service).isSynced)
        let outcome = try await laptop.sync(with: service)
        #expect(outcome.isSynced)
        #expect(outcome.isVerified == true)
        for (id, desk) in zip(ids, ids[1...] + ids[...0]) {
            #expect(try await laptop.value("Person", id, "desk") == desk)
        }
    }

    /// The page also has the person who was given the desk here, so that both changes of that person are merged.
    @Test func deskThatWasTakenHereAndThereBlocksNothing() async throws {
        let service = SyncService(
            InMemoryAdapter(schema: phone.store.schema), account: "ada", makeName: Planner.names("epoch"))
        try await phone.edit { changes, schema in
            for id in [Value.integer(1), 2] { try changes.put(Record("Desk", in: schema, ["id": id])) }
            try changes.put(Record("Person", in: schema, ["id": 4, "desk": 1]))
        }
        try await phone.sync(with: service)
        try await laptop.sync(with: service)
        try await laptop.edit { changes, _ in changes.update(RecordID("Person", 4), ["desk": 2]) }
        try await phone.edit { changes, schema in try changes.put(Record("Person", in: schema, ["id": 9, "desk": 2])) }
        try await phone.sync(with: service)
        try await phone.edit { changes, _ in changes.update(RecordID("Person", 4), ["name": "Ada"]) }
        try await phone.sync(with: service)
        for _ in 1...2 {
            let outcome = try await laptop.sync(with: service)
            #expect(outcome.waiting == [RecordID("Person", 9)])
            #expect(!outcome.isSynced)
            #expect(try await laptop.value("Person", 4, "desk") == 2)
            #expect(try await laptop.value("Person", 4, "name") == "Ada")
        }
    }

    @Test func manyPersonsOfOneDeskWaitAndAreListed() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Desk", in: schema, ["id": 5]))
            try changes.put(Record("Person", in: schema, ["id": 6, "desk": 5]))
        }
        try await phone.sync(with: service)
        let remote = CrowdedDesk(base: service, persons: (1_000..<1_500).map { .integer($0) })
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.waiting == remote.persons.map { RecordID("Person", $0) })
        #expect(try await phone.value("Person", 6, "desk") == 5)
        #expect(try await phone.record("Person", 1_000) == nil)
    }

    @Test func twoPersonsOfOneDeskBlockNothingElse() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Desk", in: schema, ["id": 5]))
            try changes.put(Record("Person", in: schema, ["id": 6, "desk": 5]))
        }
        try await phone.sync(with: service)
        let remote = CrowdedDesk(base: service, persons: [9, 10])
        for _ in 1...2 {
            let outcome = try await phone.sync(with: remote)
            #expect(!outcome.isSynced)
            #expect(outcome.waiting == [RecordID("Person", 9), RecordID("Person", 10)])
            #expect(try await phone.value("Person", 6, "desk") == 5)
        }
        try await phone.edit { changes, schema in try changes.put(Record("Desk", in: schema, ["id": 7])) }
        try await phone.sync(with: remote)
        try await laptop.sync(with: service)
        #expect(try await laptop.record("Desk", 7) != nil)
    }

    /// Pages that are stored in one transaction: the first takes a person from a desk that the second states.
    @Test func aLossThatALaterPageStatesIsNoLocalChange() async throws {
        let schema = try Schema([
            Entity("Desk") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("person", to: "Person", inverse: "desk")
            },
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("desk", to: "Desk", inverse: "person")
            },
        ])
        let phone = try Device("phone", InMemoryAdapter(schema: schema))
        let laptop = try Device("laptop", InMemoryAdapter(schema: schema))
        let service = SyncService(
            InMemoryAdapter(schema: schema), account: "ada", limits: SyncLimits(pageRecords: 1),
            makeName: Planner.names("epoch"))
        try await phone.edit { changes, schema in
            try changes.put(Record("Person", in: schema, ["id": 7]))
            for id in [Value.integer(1), 2] {
                try changes.put(Record("Desk", in: schema, ["id": id, "person": id == 1 ? 7 : .null]))
            }
        }
        for device in [phone, laptop] { try await device.sync(with: service) }
        try await phone.edit { changes, _ in changes.update(RecordID("Desk", 2), ["person": 7]) }
        try await phone.sync(with: service)
        // The desk without the person is the last in the history.
        try await phone.edit { changes, _ in changes.update(RecordID("Desk", 1), ["name": "Ada's"]) }
        try await phone.sync(with: service)
        let cycle = Locked(StoreCycle(makeName: Planner.names("laptop again")))
        guard
            case .handshake(let greeting) = try await laptop.store.write({ transaction in
                try cycle.withLock { try $0.begin(in: transaction) }
            }).result
        else { return }
        let response = try await service.handshake(greeting)
        guard
            case .pull(let request) = try await laptop.store.write({ transaction in
                try cycle.withLock { try $0.received(response, in: transaction) }
            }).result
        else { return }
        var pages = [try await service.pull(request)]
        pages.append(try await service.pull(PullRequest(device: request.device, cursor: pages[0].cursor)))
        #expect(pages.map { $0.entries.map(\.id.key) } == [[2], [1]])
        try await laptop.store.write { [pages] transaction in
            for page in pages { _ = try cycle.withLock { try $0.received(page, in: transaction) } }
        }
        #expect(try await laptop.value("Desk", 1, "person") == .null)
        #expect(try await laptop.store.read { try $0.journal(of: "Desk") }.isEmpty)
    }
}

/// A faulty remote whose page gives the desk of a person to several others.
private struct CrowdedDesk: ForwardingRemote {
    let base: SyncService
    let persons: [Value]

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        var response = try await base.handshake(request)
        response.sequence += 1_000
        response.limits.pageRecords = 1_000
        return response
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        var page = try await base.pull(request)
        for id in persons {
            page.entries.append(
                PullResponse.Entry(
                    RecordID("Person", id), .present(ValueObject(distinct: ["id", "desk"], [id, 5]))))
        }
        page.fingerprint = nil
        return page
    }
}
