import StoreSync
import SyncPersistence
import Testing

/// How a service makes the changes of a push.
@Suite(.needsServiceStore) struct PushTests {
    @Test func changesOfRecordsAndLinksAreStored() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        let outcomes = try await phone.push(
            .insert("Project", 1, ["name": "Home"]), .insert("Task", 1, ["title": "Paint", "project": 1]),
            .insert("Tag", "red"), .link(1, "red"))
        #expect(outcomes == [.ok, .ok, .ok, .ok])
        #expect(try await world.record("Task", 1)?["project"] == 1)
        #expect(try await world.record(ServiceWorld.links, ["red", 1]) != nil)
        let next = try await phone.push(
            .update("Task", 1, ["isDone": true]), .delete(ServiceWorld.links, ["red", 1]), .delete("Tag", "red"))
        #expect(next == [.ok, .ok, .ok])
        #expect(try await world.record("Task", 1)?["title"] == "Paint")
        #expect(try await world.content.count == 2)
        // A device does not receive its own changes.
        #expect(try await phone.pull().isEmpty)
    }

    @Test func changesAreAgreedInTheJournal() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(.insert("Tag", "red"))
        #expect(try await world.store.read { try $0.journal(of: "Tag") }.isEmpty)
    }

    @Test func disjointPushesNeverConflict() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        var tablet = try await HandDevice("tablet", to: world.service)
        #expect(try await phone.push(.insert("Tag", "red")) == [.ok])
        #expect(try await tablet.push(.insert("Tag", "blue")) == [.ok])
        #expect(try await phone.push(.update("Tag", "red", ["color": "#f00"])) == [.ok])
        #expect(try await tablet.pull().map { $0["color"] } == ["#f00"])
        #expect(try await phone.pull().map(\.id) == [RecordID("Tag", "blue")])
    }

    @Test func changeAfterTheBaseIsAConflict() async throws {
        let world = ServiceWorld()
        try await world.edit { changes in
            for name in ["a", "b", "c"] as [Value] {
                try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": name]))
            }
        }
        var phone = try await HandDevice("phone", to: world.service)
        var tablet = try await HandDevice("tablet", to: world.service)
        _ = try await tablet.push(.update("Tag", "a", ["color": "x"]), .delete("Tag", "b"))
        try await world.edit { $0.update(RecordID("Tag", "c"), ["color": "x"]) }
        let outcomes = try await phone.push(
            .update("Tag", "a", ["color": "y"]), .update("Tag", "b", ["color": "y"]), .delete("Tag", "c"),
            .insert("Tag", "d"))
        #expect(outcomes == [.conflict, .conflict, .conflict, .ok])
        #expect(try await world.record("Tag", "a")?["color"] == "x")
        // With the next page the device knows what the others have made of them.
        #expect(try await phone.pull().count == 3)
        #expect(try await phone.push(.update("Tag", "a", ["color": "y"]), .delete("Tag", "c")) == [.ok, .ok])
    }

    @Test func insertedKeyOfAnotherWriterIsAConflict() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        var tablet = try await HandDevice("tablet", to: world.service)
        _ = try await tablet.push(.insert("Tag", "red", ["color": "x"]), .insert("Tag", "blue", ["color": "x"]))
        let outcomes = try await phone.push(
            .insert("Tag", "red", ["color": "y"]), .insert("Tag", "blue", ["color": "x"]))
        #expect(outcomes == [.conflict, .ok])
        // An equal record is accepted, and is still the other writer's.
        #expect(try await phone.pull().count == 2)
    }

    @Test func equalChangesAreAcceptedWithoutAChange() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        var tablet = try await HandDevice("tablet", to: world.service)
        _ = try await tablet.push(.insert("Tag", "red", ["color": "x"]), .insert("Tag", "blue"))
        _ = try await phone.pull()
        _ = try await tablet.push(.update("Tag", "red", ["color": "z"]), .delete("Tag", "blue"))
        let sequence = try await world.store.read { try $0.historySequence }
        #expect(try await phone.push(.update("Tag", "red", ["color": "z"]), .delete("Tag", "blue")) == [.ok, .ok])
        #expect(try await world.store.read { try $0.historySequence } == sequence)
    }

    @Test func insertOfAKnownRecordReplacesIt() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(.insert("Tag", "red", ["color": "x"]), .insert("Cat", 1, ["lives": 9]))
        #expect(try await phone.push(.insert("Tag", "red"), .insert("Dog", 1, ["name": "Rex"])) == [.ok, .ok])
        #expect(try await world.record("Tag", "red")?["color"] == .null)
        #expect(try await world.records("Animal").map(\.entity) == ["Dog"])
    }

    @Test func deletionUnderTheNameOfTheRootIsMade() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(.insert("Cat", 1))
        #expect(try await phone.push(.delete("Animal", 1)) == [.ok])
        #expect(try await world.records("Animal").isEmpty)
    }
}

/// How a service numbers the pushes of a device.
@Suite(.needsServiceStore) struct PushNumberTests {
    @Test func repeatedPushHasTheStoredResponse() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        phone.number = 1
        let request = phone.request([.insert("Tag", "red"), .insert("Task", 1, ["project": 7]), .insert("None", 1)])
        let response = try await world.service.push(request)
        #expect(response.outcomes.map { $0 == .ok } == [true, false, false])
        try await world.edit { $0.delete(RecordID("Tag", "red")) }
        let sequence = try await world.store.read { try $0.sequence }
        #expect(try await world.service.push(request) == response)
        #expect(try await world.store.read { try $0.sequence } == sequence)
        #expect(try await world.record("Tag", "red") == nil)
        // The handshake repeats it too, and so does another value over the same store.
        let again = SyncService(world.store, account: "ada")
        #expect(try await again.handshake(HandDevice.request("phone", phone.cursor)).lastPush == response)
        #expect(try await again.push(request) == response)
        #expect(try PushResponse(data: response.data) == response)
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 2, 4, 5, .max])
    func numberThatDoesNotFollowNeedsAHandshake(number: Int64) async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(.insert("Tag", "1"))
        _ = try await phone.push(.insert("Tag", "2"))
        phone.number = number
        let request = phone.request([.insert("Tag", "3")], name: "other")
        await #expect(throws: RemoteError.self) { try await world.service.push(request) }
        #expect(try await world.content.count == 2)
    }

    @Test func firstNumberOfADeviceIsOne() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        phone.number = 1
        await #expect(throws: RemoteError.self) { try await phone.push(.insert("Tag", "red")) }
        phone.number = 0
        #expect(try await phone.push(.insert("Tag", "red")) == [.ok])
    }

    @Test func unknownDeviceNeedsAHandshake() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        phone.number = 1
        var request = phone.request([])
        request.device = "tablet"
        await #expect(throws: RemoteError.self) { try await world.service.push(request) }
        await #expect(throws: RemoteError.self) {
            try await world.service.pull(PullRequest(device: "tablet", cursor: phone.cursor))
        }
    }

    @Test(arguments: [Int64.min, -1, 1_000, .max])
    func baseThatIsNoPositionNeedsAHandshake(sequence: Int64) async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        phone.cursor = SyncCursor(epoch: phone.cursor.epoch, sequence: sequence)
        phone.number = 1
        let request = phone.request([.insert("Tag", "red")])
        await #expect(throws: RemoteError.self) { try await world.service.push(request) }
        await #expect(throws: RemoteError.self) { try await phone.page(after: sequence) }
        await #expect(throws: RemoteError.self) { try await phone.page(after: sequence, comparison: 0) }
        #expect(try await world.content.isEmpty)
    }

    @Test func baseBeforeTheHorizonNeedsAHandshake() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        var tablet = try await HandDevice("tablet", to: world.service)
        _ = try await tablet.push(.insert("Tag", "red"))
        _ = try await tablet.push(.delete("Tag", "red"))
        try await world.service.prune(through: .max)
        #expect(try await world.store.read { try $0.historyHorizon } == 2)
        phone.number = 1
        let request = phone.request([.insert("Tag", "red")])
        await #expect(throws: RemoteError.self) { try await world.service.push(request) }
        await #expect(throws: RemoteError.self) { try await phone.page(after: 0) }
        // A comparison that has begun at this horizon goes on, one before it does not.
        #expect(try await phone.page(after: 0, comparison: 2).cursor.sequence == 2)
        await #expect(throws: RemoteError.self) { try await phone.page(after: 0, comparison: 1) }
        let response = try await world.service.handshake(HandDevice.request("phone", phone.cursor))
        #expect(response.horizon == 2 && response.sequence == 2)
    }
}
