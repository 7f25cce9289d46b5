import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// Devices that send what no device should.
@Suite(.needsServiceStore) struct AdversarialDeviceTests {
    @Test func mutationsBeyondTheLimitAreForLater() async throws {
        let world = ServiceWorld(limits: SyncLimits(pushRecords: 10))
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            (0..<100).map { number in
                .insert("Task", .integer(Int64(number)), number > 0 ? ["parent": .integer(Int64(number - 1))] : [:])
            })
        #expect(outcomes[..<10].allSatisfy { $0 == .ok } && outcomes[10...].allSatisfy { $0 == .later(after: 0) })
        #expect(try await world.content.count == 10)
    }

    @Test(arguments: [5_001, 1_000_000])
    func hugePushIsRefusedAsAWhole(count: Int) async throws {
        let world = ServiceWorld(limits: SyncLimits(pushRecords: 500))
        var phone = try await HandDevice("phone", to: world.service)
        phone.number = 1
        let request = phone.request(Array(repeating: .insert("Tag", "red"), count: count))
        await #expect {
            try await world.service.push(request)
        } throws: {
            if case .incompatible(let reason) = $0 as? RemoteError { reason.contains("500") } else { false }
        }
        // The number is still free.
        phone.number = 0
        #expect(try await phone.push(.insert("Tag", "red")) == [.ok])
    }

    @Test func largeRecordIsRefusedAndLargePushIsCut() async throws {
        let world = ServiceWorld(limits: SyncLimits(bytes: 1_000))
        var phone = try await HandDevice("phone", to: world.service)
        func tag(_ name: String, _ count: Int) -> Mutation {
            .insert("Tag", .string(name), ["color": .string(String(repeating: "x", count: count))])
        }
        let outcomes = try await phone.push(
            tag("a", 2_000), tag("b", 700), tag("c", 700), tag("d", 1),
            .insert("Tag", .string(String(repeating: "k", count: 2_000))))
        #expect(outcomes.map(\.code) == ["limit", nil, nil, nil, nil])
        #expect(outcomes[1...] == [.ok, .later(after: 0), .later(after: 0), .later(after: 0)])
        if case .refused(_, let reason) = outcomes[0] { #expect(reason.contains("1000")) }
        #expect(try await phone.push(tag("c", 700), tag("d", 1)) == [.ok, .ok])
    }

    @Test func recordLargerThanAPushGoesAlone() async throws {
        let world = ServiceWorld(limits: SyncLimits(bytes: 1_000, pushBytes: 100))
        var phone = try await HandDevice("phone", to: world.service)
        let large = Mutation.insert("Tag", "b", ["color": .string(String(repeating: "x", count: 500))])
        let outcomes = try await phone.push(.insert("Tag", "a"), large, .insert("Tag", "c"))
        #expect(outcomes == [.ok, .later(after: 0), .later(after: 0)])
        #expect(try await phone.push(large, .insert("Tag", "c")) == [.ok, .later(after: 0)])
    }

    @Test func limitsOfNothingStillLetOneRecordPass() async throws {
        let world = ServiceWorld(limits: SyncLimits(pageRecords: 0, pushRecords: -5, bytes: 100))
        #expect(world.service.limits == SyncLimits(pageRecords: 1, pushRecords: 1, bytes: 100))
        var phone = try await HandDevice("phone", to: world.service)
        #expect(try await phone.push(.insert("Tag", "a"), .insert("Tag", "b")) == [.ok, .later(after: 0)])
        let tablet = try await HandDevice("tablet", to: world.service)
        #expect(try await tablet.page(after: 0).entries.count == 1)
        let huge = ServiceWorld(limits: SyncLimits(pageRecords: .max, pushRecords: .max, bytes: .max))
        var watch = try await HandDevice("watch", to: huge.service)
        #expect(try await watch.push(.insert("Tag", "a")) == [.ok])
        #expect(try await watch.page(after: 0, limit: .max, comparison: 0).entries.count == 1)
    }

    @Test func valuesNestedTooDeepAreRefused() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        var deep: Value = 1
        for _ in 0..<5_000 { deep = [deep] }
        let outcomes = try await phone.push(
            .insert("Task", 1, ["extra": deep]), .insert("Tag", deep), .insert("Bill", [2026, deep]),
            .insert("Task", 2, ["title": deep]), .insert("Task", 3, ["extra": .double(.nan)]), .insert("Task", 4))
        #expect(outcomes[..<4].allSatisfy { $0.code == "wrongType" } && outcomes[5] == .ok)
    }

    @Test func namesOfPushesHaveALimit() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        phone.number = 1
        let request = phone.request([], name: String(repeating: "n", count: 1_000_000))
        await #expect(throws: RemoteError.self) { try await world.service.push(request) }
    }

    @Test func stateOfADeviceIsSmallWhateverItStates() async throws {
        let world = ServiceWorld()
        var request = HandDevice.request("phone")
        for number in 0..<10_000 { request.entities["Entity \(number)"] = ["a", "b"] }
        _ = try await world.service.handshake(request)
        let row = try await world.store.read { try $0.metadata("sync.service.device.phone") }
        #expect((row?.utf8.count ?? .max) < 200)
    }

    @Test func manyEntitiesAreReadInTimeOfTheirNumber() throws {
        var request = HandDevice.request("phone")
        for number in 0..<100_000 { request.entities["Entity \(number)"] = ["a"] }
        #expect(try HandshakeRequest(data: request.data) == request)
    }

    @Test func aDelayBelowZeroIsNone() async throws {
        let world = ServiceWorld(review: Review { _, _ in .later(after: -2) })
        var phone = try await HandDevice("phone", to: world.service)
        #expect(try await phone.push(.insert("Tag", "red")) == [.later(after: 0)])
        let again = try await world.service.handshake(HandDevice.request("phone", phone.cursor))
        #expect(again.lastPush?.outcomes == [.later(after: 0)])
    }

    @Test func deviceNamedLikeTheEpochChangesNothingElse() async throws {
        let world = ServiceWorld()
        for id in ["../epoch", "phone", "phone.push", "sync.history.kept", "a\nb", "'; DROP TABLE x"] {
            var device = try await HandDevice(id, to: world.service)
            #expect(try await device.push(.insert("Tag", .string(id))) == [.ok])
        }
        #expect(try await world.store.read { try $0.metadata("sync.service.epoch") } == "epoch")
    }

    @Test func refusalsTellNothingOfOtherRecords() async throws {
        let world = ServiceWorld()
        try await world.edit { changes in
            try changes.put(Record("Project", in: ServiceWorld.schema, ["id": 1, "name": "secret"]))
            try changes.put(Record("Bill", in: ServiceWorld.schema, ["year": 1999, "number": 777, "project": 1]))
            try changes.put(Record("Desk", in: ServiceWorld.schema, ["id": 5]))
            try changes.put(Record("Person", in: ServiceWorld.schema, ["id": 4711, "name": "secret", "desk": 5]))
        }
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            .delete("Project", 1), .insert("Person", 1, ["desk": 5]), .insert("Task", 1, ["none": 1]),
            .insert("None", 1), .delete("Desk", 5))
        #expect(outcomes.allSatisfy { $0.code != nil })
        let text = "\(outcomes)"
        for secret in ["secret", "777", "4711", "sync."] { #expect(!text.contains(secret)) }
    }

    @Test func dependenciesInACircleEnd() async throws {
        let world = ServiceWorld(limits: SyncLimits(pushRecords: 400))
        var phone = try await HandDevice("phone", to: world.service)
        let circle = (0..<400).map { number in
            Mutation.insert("Task", .integer(Int64(number)), ["parent": .integer(Int64((number + 1) % 400))])
        }
        #expect(try await phone.push(circle).allSatisfy { $0 == .ok })
        var broken = circle.map { Mutation.insert("Task", .integer(1_000), $0.id.key == 7 ? ["none": 1] : [:]) }
        for (position, number) in (0..<400).enumerated() {
            let parent = Value.integer(Int64(1_000 + (number + 1) % 400))
            let values: [String: Value] = number == 7 ? ["parent": parent, "title": 1] : ["parent": parent]
            broken[position] = .insert("Task", .integer(Int64(1_000 + number)), values)
        }
        let outcomes = try await phone.push(broken)
        #expect(outcomes.filter { if case .blocked = $0 { true } else { false } }.count == 399)
        let deletions = circle.map { Mutation(RecordID("Task", $0.id.key), .delete) }
        #expect(try await phone.push(deletions).allSatisfy { $0 == .ok })
        #expect(try await world.content.isEmpty)
    }
}

/// Changes that pass the checks of a service, and that its store refuses all the same.
@Suite(.needsServiceStore) struct RefusingStoreTests {
    /// A storage with a rule of its own for colors.
    private final class ColorStorage: ForwardingStorage {
        private let code: PersistenceError.Code
        private let namesRecord: Bool

        init(_ base: any RecordStorage, _ code: PersistenceError.Code, namesRecord: Bool) {
            (self.code, self.namesRecord) = (code, namesRecord)
            super.init(base)
        }

        override func put(_ record: Record) throws -> Record? {
            try check(record)
            return try super.put(record)
        }

        override func insert(_ record: Record) throws {
            try check(record)
            try super.insert(record)
        }

        private func check(_ record: Record) throws {
            if record.entity == "Tag", record["color"] == "ugly" {
                throw PersistenceError(code, "it is ugly", id: namesRecord ? record.id : nil)
            }
        }
    }

    private func world(_ code: PersistenceError.Code, namesRecord: Bool) -> ServiceWorld {
        ServiceWorld(
            ForwardingAdapter(ServiceStores.make(ServiceWorld.schema)) {
                ColorStorage($0, code, namesRecord: namesRecord)
            })
    }

    private func tag(_ number: Int, _ color: Value) -> Mutation {
        .insert("Tag", .string("\(number)"), ["color": color])
    }

    @Test func refusedRecordThatTheErrorNamesIsLeftOut() async throws {
        let world = world(PersistenceError.Code("color"), namesRecord: true)
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push((0..<20).map { tag($0, $0 == 3 || $0 == 17 ? "ugly" : "fine") })
        #expect(outcomes.indices.filter { outcomes[$0].code == "color" } == [3, 17])
        #expect(try await world.records("Tag").count == 18)
    }

    @Test(arguments: [true, false], [1, 5, 20])
    func everyPushBringsTheDeviceFurther(namesRecord: Bool, uglyCount: Int) async throws {
        let world = world(PersistenceError.Code("color"), namesRecord: namesRecord)
        var phone = try await HandDevice("phone", to: world.service)
        var rest = (0..<20).map { tag($0, $0 < uglyCount ? "ugly" : "fine") }
        var refused = 0
        for _ in 0..<50 where !rest.isEmpty {
            let outcomes = try await phone.push(rest)
            refused += outcomes.filter { $0.code == "color" }.count
            rest = zip(rest, outcomes).filter { $0.1 == .later(after: 0) }.map(\.0)
        }
        #expect(rest.isEmpty && refused == uglyCount)
        #expect(try await world.records("Tag").count == 20 - uglyCount)
    }

    @Test(
        arguments: [
            .full, .locked, .readOnly, .ioFailure, .unreadable, .cannotConnect, .connectionLost, .unknownOutcome,
            .notPermitted, .serverFailure,
        ] as [PersistenceError.Code])
    func errorOfTheStoreItselfIsNotThatOfARecord(code: PersistenceError.Code) async throws {
        let world = world(code, namesRecord: true)
        var phone = try await HandDevice("phone", to: world.service)
        await #expect(throws: PersistenceError.self) { try await phone.push(tag(1, "ugly"), tag(2, "fine")) }
        phone.number = 0
        await #expect(throws: PersistenceError.self) { try await phone.push(tag(1, "ugly")) }
        phone.number = 0
        #expect(try await phone.push(tag(2, "fine")) == [.ok])
    }
}
