import StoreSync
import SyncPersistence
import Testing

/// Stores that synchronize with a service.
@Suite(.needsServiceStore) struct WholeCycleTests {
    private let hub: ServiceWorld
    private let phone = ServiceWorld()
    private let tablet = ServiceWorld()

    init() {
        hub = ServiceWorld(
            review: Review { change, _ in
                guard change.old == nil, case .integer(let key)? = change.new?.key, key < 0 else { return .accept }
                return .amend(key: .integer(100 - key))
            })
    }

    private func sync(_ worlds: ServiceWorld...) async throws {
        for world in worlds {
            let outcome = try await world.store.synchronize(with: hub.service)
            #expect(outcome.isSynced && outcome.isVerified != false, "\(outcome)")
            #expect(try await world.content == hub.content)
        }
    }

    @Test func deletionInAHierarchyWithAnAbstractRootArrives() async throws {
        try await phone.edit { try $0.put(Record("Cat", in: ServiceWorld.schema, ["id": 1])) }
        try await sync(phone, tablet)
        try await phone.edit { $0.delete(RecordID("Cat", 1)) }
        try await sync(phone, tablet)
        #expect(try await tablet.content.isEmpty)
    }

    @Test func keysOfTheServiceReplaceThoseOfTheDevice() async throws {
        try await phone.edit { changes in
            try changes.put(Record("Project", in: ServiceWorld.schema, ["id": -1, "name": "a"]))
            try changes.put(Record("Task", in: ServiceWorld.schema, ["id": -1]))
            changes.setLinks(RecordID("Project", -1), "tasks", to: [-1])
            try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "red"]))
            changes.link(RecordID("Task", -1), "tags", to: "red")
        }
        try await sync(phone, tablet)
        #expect(try await tablet.record("Task", 101)?["project"] == 101)
        #expect(try await tablet.record(ServiceWorld.links, ["red", 101]) != nil)
        #expect(try await phone.store.synchronize(with: hub.service).pushedCount == 0)
    }

    @Test func oneToOneReferencesAgreeAfterEditsOfBoth() async throws {
        try await phone.edit { changes in
            for key in [1, 2] as [Value] {
                try changes.put(Record("Desk", in: ServiceWorld.schema, ["id": key]))
                try changes.put(Record("Person", in: ServiceWorld.schema, ["id": key, "desk": key]))
            }
            try changes.put(Record("Person", in: ServiceWorld.schema, ["id": 3, "desk": 3]))
            try changes.put(Record("Desk", in: ServiceWorld.schema, ["id": 3]))
        }
        try await sync(phone, tablet)
        try await phone.edit { $0.update(RecordID("Person", 1), ["partner": 2]) }
        try await tablet.edit { $0.update(RecordID("Person", 3), ["partner": 2]) }
        for _ in 0..<2 {
            for world in [phone, tablet] {
                _ = try await world.store.synchronize(with: hub.service, policies: SyncPolicies(.remoteWins))
            }
        }
        try await sync(phone, tablet)
        let partners = try await hub.records("Person").filter { !$0["partner"].isNull }
        #expect(partners.count == 2)
    }

    @Test func devicesContinueInANewEpoch() async throws {
        try await phone.edit { changes in
            for name in ["a", "b", "c"] as [Value] {
                try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": name]))
            }
        }
        try await sync(phone, tablet)
        // The service has lost a record and an edit.
        try await hub.edit { $0.delete(RecordID("Tag", "a")) }
        try await hub.service.prune(through: .max)
        try await SyncService(hub.store, account: "ada", makeName: { "epoch 2" }).beginEpoch()
        try await phone.edit { $0.update(RecordID("Tag", "b"), ["color": "x"]) }
        try await tablet.edit { $0.delete(RecordID("Tag", "c")) }
        try await sync(phone, tablet, phone)
        #expect(Set(try await hub.records("Tag").map(\.key)) == ["a", "b"])
        #expect(try await tablet.record("Tag", "b")?["color"] == "x")
    }

    @Test func devicesContinueBehindTheHorizon() async throws {
        try await phone.edit { changes in
            for name in ["a", "b"] as [Value] {
                try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": name]))
            }
        }
        try await sync(phone, tablet)
        try await phone.edit { $0.delete(RecordID("Tag", "a")) }
        try await sync(phone)
        try await hub.service.prune(through: .max)
        try await tablet.edit { $0.update(RecordID("Tag", "b"), ["color": "x"]) }
        try await sync(tablet, phone)
        #expect(try await phone.record("Tag", "b")?["color"] == "x")
        #expect(try await tablet.record("Tag", "a") == nil)
    }

    @Test(arguments: [3, 200])
    func smallLimitsMoveEverything(pushBytes: Int) async throws {
        let small = ServiceWorld(
            limits: SyncLimits(pageRecords: 2, pushRecords: 3, bytes: 200, pushBytes: pushBytes))
        try await phone.edit { changes in
            try changes.put(Record("Project", in: ServiceWorld.schema, ["id": 1, "name": "a"]))
            for key in 1...10 as ClosedRange<Int64> {
                try changes.put(
                    Record("Task", in: ServiceWorld.schema, ["id": .integer(key), "title": "task", "project": 1]))
            }
        }
        for world in [phone, tablet] {
            #expect(try await world.store.synchronize(with: small.service).isSynced)
            #expect(try await world.content == small.content)
        }
        try await tablet.edit { $0.delete(RecordID("Project", 1)) }
        for world in [tablet, phone] { #expect(try await world.store.synchronize(with: small.service).isSynced) }
        #expect(try await phone.content.isEmpty)
        #expect(try await small.content.isEmpty)
    }
}
