import StoreSync
import SyncPersistence
import Testing

/// A service whose store was restored from a copy, without a call of `beginEpoch()`.
@Suite struct RestoredServiceTests {
    private static let schema = ServiceWorld.schema

    private func service(_ store: InMemoryAdapter, _ scopes: [SyncScope] = []) -> SyncService {
        SyncService(store, account: "ada", scopes: scopes, makeName: Planner.names("epoch \(scopes.count)"))
    }

    private func edit(_ device: Device, _ tags: [String], color: String) async throws {
        try await device.edit { changes, schema in
            for tag in tags {
                try changes.put(Record("Tag", in: schema, ["name": .string(tag), "color": .string(color)]))
            }
        }
    }

    private func copy(_ store: InMemoryAdapter) async throws -> InMemoryAdapter {
        try await InMemoryAdapter.copy(of: store, schema: Self.schema)
    }

    @Test(arguments: [nil, "all"])
    func aDeviceThatIsAheadBeginsAnEpochForAll(scope: String?) async throws {
        let scopes = scope.map { [SyncScope($0)] } ?? []
        let server = InMemoryAdapter(schema: Self.schema)
        let (phone, laptop, tablet) = (
            try Device("phone", InMemoryAdapter(schema: Self.schema)),
            try Device("laptop", InMemoryAdapter(schema: Self.schema)),
            try Device("tablet", InMemoryAdapter(schema: Self.schema))
        )
        try await edit(phone, ["a"], color: "red")
        for device in [phone, laptop, tablet] { try await device.sync(with: service(server, scopes), scope: scope) }
        let backup = try await copy(server)
        try await edit(phone, ["b", "c", "d"], color: "red")
        for device in [phone, laptop] { try await device.sync(with: service(server, scopes), scope: scope) }
        // The phone is ahead of the restored service; what it sends then brings its number beyond the laptop's.
        try await edit(phone, ["e", "f", "g", "h"], color: "red")
        let outcome = try await phone.sync(with: service(backup, scopes), scope: scope)
        #expect(outcome.isSynced)
        try await edit(tablet, ["a", "b"], color: "blue")
        try await tablet.sync(with: service(backup, scopes), SyncPolicies(.localWins), scope: scope)
        try await edit(laptop, ["i"], color: "green")
        #expect(try await laptop.sync(with: service(backup, scopes), scope: scope).isSynced)
        try await phone.sync(with: service(backup, scopes), scope: scope)
        for device in [phone, laptop] {
            #expect(try await device.value("Tag", "b", "color") == "blue")
            #expect(try await device.store.read { try $0.count(Query("Tag")) } == 9)
        }
    }

    /// The answer to the first change is lost, and the device's next push is one of another history.
    @Test(arguments: [true, false])
    func aChangeThatIsTakenBackBeforeAnEpochStaysTakenBack(isDeletion: Bool) async throws {
        let service = SyncService(
            InMemoryAdapter(schema: Self.schema), account: "ada", makeName: Planner.names("epoch"))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema))
        let laptop = try Device("laptop", InMemoryAdapter(schema: Self.schema))
        try await edit(phone, ["a", "b"], color: "red")
        for device in [phone, laptop] { #expect(try await device.sync(with: service).isSynced) }
        if isDeletion {
            try await phone.edit { changes, _ in changes.delete(RecordID("Tag", "a")) }
        } else {
            try await edit(phone, ["a"], color: "blue")
        }
        var remote = ScriptedRemote(service)
        remote.losesAnswers = true
        #expect(try await phone.sync(with: remote).failure == .later())
        try await edit(phone, ["a"], color: "red")
        try await service.beginEpoch()
        for device in [phone, laptop] {
            let outcome = try await device.sync(with: service)
            #expect(outcome.isSynced && outcome.conflicts.isEmpty)
            #expect(try await device.value("Tag", "a", "color") == "red")
        }
    }

    /// The push has not arrived, and the service has forgotten deletions since.
    @Test func aChangeThatIsTakenBackBeforeItArrivesIsNoLocalChange() async throws {
        let service = SyncService(
            InMemoryAdapter(schema: Self.schema), account: "ada", makeName: Planner.names("epoch"))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema))
        let laptop = try Device("laptop", InMemoryAdapter(schema: Self.schema))
        try await edit(phone, ["a"], color: "red")
        for device in [phone, laptop] { #expect(try await device.sync(with: service).isSynced) }
        try await edit(phone, ["a"], color: "blue")
        var remote = ScriptedRemote(service)
        remote.answer = { _ in throw RemoteError.later() }
        #expect(try await phone.sync(with: remote).failure == .later())
        try await edit(phone, ["a"], color: "red")
        try await edit(laptop, ["a"], color: "green")
        #expect(try await laptop.sync(with: service).isSynced)
        try await service.prune(through: .max)
        for device in [phone, laptop] {
            let outcome = try await device.sync(with: service, SyncPolicies(.localWins))
            #expect(outcome.isSynced && outcome.conflicts.isEmpty)
            #expect(try await device.value("Tag", "a", "color") == "green")
        }
    }

    @Test func anotherNameOfTheRestorationBeginsAnEpochOnce() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        let names = Planner.names("epoch")
        func epoch(_ restoration: String?) async throws -> String {
            let service = SyncService(store, account: "ada", restoration: restoration, makeName: names)
            return try await service.handshake(HandDevice.request("phone")).epoch
        }
        let first = try await epoch(nil)
        let second = try await epoch("monday")
        #expect(second != first)
        for restoration in ["monday", nil, "monday"] { #expect(try await epoch(restoration) == second) }
        #expect(try await epoch("friday") != second)
    }

    @Test func anUploadBeyondTheLimitIsNotInterrupted() async throws {
        let service = SyncService(
            InMemoryAdapter(schema: Self.schema), account: "ada", limits: SyncLimits(pushRecords: 2_000),
            historyLimit: 1,
            makeName: Planner.names("epoch"))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema))
        try await edit(phone, (0..<26_000).map { "tag \($0)" }, color: "red")
        let outcome = try await phone.sync(with: service)
        #expect(outcome.isSynced && outcome.pushedCount == 26_000 && outcome.pulledCount == 0)
    }

    @Test func deletionsBeyondTheLimitAreForgottenInSmallSteps() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        let limits = SyncLimits(pushRecords: 2_000)
        let service = SyncService(store, account: "ada", limits: limits, historyLimit: 500)
        var phone = try await HandDevice("phone", to: service)
        func tombstones() async throws -> Int {
            try await store.read { try $0.history(after: 0, limit: 10_000).count }
                - store.read { try $0.count(Query("Tag")) }
        }
        for round in 0..<8 {
            let names = (0..<1_500).map { Value.string("\(round) \($0)") }
            for change in [names.map { Mutation.insert("Tag", $0) }, names.map { Mutation.delete("Tag", $0) }] {
                #expect(try await phone.push(change).allSatisfy { $0 == .ok })
                phone.cursor = SyncCursor(
                    epoch: phone.cursor.epoch, sequence: try await store.read { try $0.historySequence })
            }
            #expect(try await tombstones() <= 10_500)
        }
        let (horizon, sequence) = try await store.read { try ($0.historyHorizon, $0.historySequence) }
        #expect(sequence - horizon >= 500 && horizon > 0)
    }

    /// Each move of the horizon may let comparisons of devices begin again.
    @Test func aBacklogOfDeletionsMovesTheHorizonOnce() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        let limits = SyncLimits(pushRecords: 5_000)
        var phone = try await HandDevice("phone", to: SyncService(store, account: "ada", limits: limits))
        for round in 0..<5 {
            let names = (0..<2_500).map { Value.string("\(round) \($0)") }
            for change in [names.map { Mutation.insert("Tag", $0) }, names.map { Mutation.delete("Tag", $0) }] {
                #expect(try await phone.push(change).allSatisfy { $0 == .ok })
            }
        }
        let limited = SyncService(store, account: "ada", limits: limits, historyLimit: 1_000)
        var tablet = try await HandDevice("tablet", to: limited)
        var tombstones: [Int] = []
        for number in 1...4 {
            #expect(try await tablet.push(.insert("Tag", .string("tag \(number)"))) == [.ok])
            let count = try await store.read { try $0.history(after: 0, limit: 20_000).count }
            tombstones.append(count - number)
            #expect(try await store.read { try $0.historyHorizon } == 24_000)
        }
        #expect(tombstones == [7_500, 2_500, 1_000, 1_000])
    }

    /// The service has removed only some of them when it no longer has a limit.
    @Test func deletionsUpToTheHorizonCanBeForgottenAtOnce() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        let limits = SyncLimits(pushRecords: 15_000)
        let service = SyncService(store, account: "ada", limits: limits)
        var phone = try await HandDevice("phone", to: service)
        let names = (0..<12_000).map { Value.string("tag \($0)") }
        for change in [names.map { Mutation.insert("Tag", $0) }, names.map { Mutation.delete("Tag", $0) }] {
            #expect(try await phone.push(change).allSatisfy { $0 == .ok })
        }
        func rows() async throws -> Int { try await store.read { try $0.history(after: 0, limit: 20_000).count } }
        let limited = SyncService(store, account: "ada", limits: limits, historyLimit: 0)
        var tablet = try await HandDevice("tablet", to: limited)
        #expect(try await tablet.push(.insert("Tag", "other")) == [.ok])
        #expect(try await store.read { try $0.historyHorizon } == 24_000)
        #expect(try await rows() > 10_000)
        try await service.prune(through: 24_000)
        #expect(try await rows() == 1)
    }

    @Test func anEpochHasRoomForTheSameDevices() async throws {
        let server = InMemoryAdapter(schema: Self.schema)
        let service = SyncService(server, account: "ada", deviceLimit: 1, makeName: Planner.names("epoch"))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema))
        for tag in ["a", "b", "c"] {
            try await edit(phone, [tag], color: "red")
            #expect(try await phone.sync(with: service).isSynced)
            try await service.beginEpoch()
        }
        #expect(try await phone.sync(with: service).isSynced)
        #expect(try await service.devices().count == 1)
        let laptop = try Device("laptop", InMemoryAdapter(schema: Self.schema))
        #expect(try await laptop.sync(with: service).failure != nil)
    }

    @Test func aDeviceWhosePushesAreForgottenBeginsAnEpoch() async throws {
        let world = ServiceWorld(InMemoryAdapter(schema: Self.schema))
        var phone = try await HandDevice("phone", to: world.service)
        for tag in ["a", "b"] { #expect(try await phone.push(.insert("Tag", .string(tag))) == [.ok]) }
        func greet(_ number: Int64) async throws -> HandshakeResponse {
            var request = HandDevice.request("phone", SyncCursor(epoch: "epoch", sequence: 0))
            request.lastPush = PushName(number: number, name: "push \(number)")
            return try await SyncService(world.store, account: "ada", makeName: { "other" }).handshake(request)
        }
        #expect(try await greet(2).epoch == "epoch")
        #expect(try await greet(3).epoch == "epoch", "a push under way is unknown to the service")
        #expect(try await greet(.min).epoch == "epoch")
        #expect(try await greet(4).epoch == "other")
        #expect(try await greet(.max).epoch == "other", "a position of another epoch proves nothing")
    }
}
