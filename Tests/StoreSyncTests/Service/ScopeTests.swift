import StoreSync
import SyncPersistence
import Testing

/// The part of an account's records that a device synchronizes.
@Suite(.needsServiceStore) struct ScopeTests {
    static let open = SyncScope("open", entities: ["Task", "Tag"], where: ["Task": Field("isDone") == false])

    private func world() async throws -> ServiceWorld {
        let world = ServiceWorld(scopes: [Self.open, SyncScope("all")])
        try await world.edit { changes in
            for (key, isDone) in [(1, false), (2, true)] as [(Value, Value)] {
                try changes.put(
                    Record("Task", in: ServiceWorld.schema, ["id": key, "title": "secret", "isDone": isDone]))
            }
            try changes.put(Record("Project", in: ServiceWorld.schema, ["id": 1]))
            try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "red"]))
        }
        return world
    }

    @Test(arguments: [nil, "closed"])
    func deviceMustNameAScopeOfTheService(scope: String?) async throws {
        let world = try await world()
        await #expect(throws: RemoteError.unauthorized) {
            try await world.service.handshake(HandDevice.request("phone", scope: scope))
        }
        #expect(try await world.store.read { try $0.metadata("sync.service.epoch") } == nil)
        await #expect(throws: RemoteError.unauthorized) {
            try await ServiceWorld().service.handshake(HandDevice.request("phone", scope: "open"))
        }
    }

    @Test func recordsOutsideTheScopeAreNotSent() async throws {
        let world = try await world()
        let phone = try await HandDevice("phone", to: world.service, scope: "open")
        let page = try await phone.page(after: 0)
        #expect(Set(page.entries.map(\.id)) == [RecordID("Task", 1), RecordID("Tag", "red")])
        #expect(page.fingerprint == nil && !page.hasMore)
        let response = try await world.service.handshake(HandDevice.request("phone", phone.cursor, scope: "open"))
        #expect(response.entities?.keys.sorted() == ["Tag", "Task", ServiceWorld.links])
        let all = try await HandDevice("tablet", to: world.service, scope: "all")
        #expect(try await all.page(after: 0).fingerprint?.count == 4)
    }

    @Test func recordThatLeavesTheScopeIsSentWithoutValues() async throws {
        let world = try await world()
        var phone = try await HandDevice("phone", to: world.service, scope: "open")
        try await world.edit { changes in
            changes.update(RecordID("Task", 1), ["isDone": true])
            changes.update(RecordID("Task", 2), ["isDone": false])
            changes.update(RecordID("Project", 1), ["name": "x"])
        }
        let entries = try await phone.pull()
        #expect(entries.first == PullResponse.Entry(RecordID("Task", 1), .outOfScope))
        #expect(entries.map(\.id) == [RecordID("Task", 1), RecordID("Task", 2)] && entries[1]["title"] == "secret")
        try await world.edit { changes in
            changes.delete(RecordID("Project", 1))
            changes.delete(RecordID("Task", 1))
        }
        #expect(try await phone.pull() == [PullResponse.Entry(RecordID("Task", 1), .deleted)])
    }

    @Test func pushOutsideTheScopeIsUnauthorized() async throws {
        let world = try await world()
        var phone = try await HandDevice("phone", to: world.service, scope: "open")
        let content = try await world.content
        let outcomes = try await phone.push(
            .update("Task", 2, ["title": "x"]), .delete("Task", 2), .insert("Task", 3, ["isDone": true]),
            .insert("Project", 2), .delete("Project", 1), .delete("Project", 9), .insert("Desk", 1))
        #expect(outcomes.map { $0.code ?? "" } == ["", "duplicate", "", "", "", "", ""])
        #expect(outcomes.filter { $0 == .unauthorized }.count == 6)
        #expect(try await phone.push(.insert("Task", 2, ["title": "x"]), .delete("Task", 2))[0] == .unauthorized)
        #expect(try await phone.push(.delete("Task", 2)) == [.unauthorized])
        #expect(try await world.content == content)
    }

    @Test func targetOutsideTheScopeDoesNotExist() async throws {
        let world = try await world()
        var phone = try await HandDevice("phone", to: world.service, scope: "open")
        let outcomes = try await phone.push(
            .update("Task", 1, ["parent": 2]), .insert("Task", 3, ["parent": 77]), .insert("Task", 4, ["project": 1]),
            .insert("Task", 5, ["project": 78]), .link(2, "red"))
        #expect(
            outcomes == [
                .blocked(by: RecordID("Task", 2)), .blocked(by: RecordID("Task", 77)),
                .blocked(by: RecordID("Project", 1)), .blocked(by: RecordID("Project", 78)),
                .blocked(by: RecordID("Task", 2)),
            ])
    }

    @Test func deviceMayMoveARecordOutOfItsScopeAndIsTold() async throws {
        let world = try await world()
        var phone = try await HandDevice("phone", to: world.service, scope: "open")
        #expect(try await phone.push(.update("Task", 1, ["isDone": true])) == [.ok])
        #expect(try await phone.pull() == [PullResponse.Entry(RecordID("Task", 1), .outOfScope)])
        #expect(try await phone.push(.update("Task", 1, ["isDone": false])) == [.unauthorized])
    }

    @Test func deletionDoesNotReachOutOfTheScope() async throws {
        let scope = SyncScope("open", entities: ["Task", "Project"], where: ["Task": Field("isDone") == false])
        let world = ServiceWorld(scopes: [scope])
        try await world.edit { changes in
            for key in [1, 2] as [Value] {
                try changes.put(Record("Project", in: ServiceWorld.schema, ["id": key]))
                try changes.put(
                    Record("Task", in: ServiceWorld.schema, ["id": key, "project": key, "isDone": .bool(key == 1)]))
            }
        }
        var phone = try await HandDevice("phone", to: world.service, scope: "open")
        #expect(try await phone.push(.delete("Project", 1), .delete("Project", 2)) == [.unauthorized, .ok])
        #expect(try await world.content.count == 2)
    }

    @Test func aOneToOneReferenceOfARecordOutsideTheScopeIsNotTaken() async throws {
        let scope = SyncScope("near", entities: ["Person", "Desk"], where: ["Person": Field("name") == "near"])
        let world = ServiceWorld(scopes: [scope])
        try await world.edit { changes in
            for key in [1, 2] as [Value] { try changes.put(Record("Desk", in: ServiceWorld.schema, ["id": key])) }
            try changes.put(
                Record("Person", in: ServiceWorld.schema, ["id": 1, "name": "far", "desk": 1, "partner": .null]))
        }
        var phone = try await HandDevice("phone", to: world.service, scope: "near")
        #expect(
            try await phone.push(
                .insert("Person", 2, ["name": "near", "desk": 2, "partner": 1]),
                .insert("Person", 3, ["name": "near", "desk": 1])
            )
            .allSatisfy { $0 != .ok })
        #expect(try await world.record("Person", 1)?["desk"] == 1)
        #expect(try await world.record("Person", 1)?["partner"] == .null)
        #expect(try await phone.push(.insert("Person", 2, ["name": "near", "desk": 2])) == [.ok])
        #expect(try await phone.push(.insert("Person", 3, ["name": "near", "desk": 1])) == [.unauthorized])
    }

    @Test func aOneToOneReferenceToARecordThatHasLeftTheScopeMayEnd() async throws {
        let scope = SyncScope("near", entities: ["Person", "Desk"], where: ["Person": Field("name") == "near"])
        let world = ServiceWorld(scopes: [scope])
        try await world.edit { changes in
            for key in [1, 2] as [Value] {
                try changes.put(Record("Desk", in: ServiceWorld.schema, ["id": key]))
                try changes.put(Record("Person", in: ServiceWorld.schema, ["id": key, "name": "near", "desk": key]))
            }
            changes.update(RecordID("Person", 1), ["partner": 2])
        }
        try await world.edit { $0.update(RecordID("Person", 2), ["name": "far"]) }
        #expect(try await world.record("Person", 2)?["partner"] == 1)
        var phone = try await HandDevice("phone", to: world.service, scope: "near")
        #expect(try await phone.push(.update("Person", 1, ["partner": .null])) == [.ok])
        #expect(try await world.record("Person", 1)?["partner"] == .null)
        #expect(try await world.record("Person", 2)?["partner"] == .null)
    }

    @Test func aLateCopyOfTheFirstHandshakeHidesNoRecordThatLeavesTheScope() async throws {
        let world = try await world()
        var phone = try await HandDevice("phone", to: world.service, scope: "open")
        _ = try await phone.pull()
        try await world.edit { $0.update(RecordID("Task", 1), ["isDone": true]) }
        _ = try await world.service.handshake(HandDevice.request("phone", scope: "open"))
        #expect(try await phone.pull() == [PullResponse.Entry(RecordID("Task", 1), .outOfScope)])
    }

    @Test func noMessageIsLargerThanTheProtocolAllows() async throws {
        let world = ServiceWorld(limits: SyncLimits(pageRecords: 1 << 29, pushRecords: 1 << 29))
        let limits = try await world.service.handshake(HandDevice.request("phone")).limits
        #expect(limits.pageRecords == StoreProtocol.maximumRecords)
        #expect(limits.pushRecords == StoreProtocol.maximumRecords)
    }

    @Test func anotherScopeIsAnotherHistory() async throws {
        let world = try await world()
        var phone = try await HandDevice("phone", to: world.service, scope: "all")
        _ = try await phone.push(.insert("Tag", "blue"))
        let response = try await world.service.handshake(HandDevice.request("phone", phone.cursor, scope: "open"))
        #expect(response.epoch != phone.cursor.epoch)
        // Its last push is still known.
        #expect(response.lastPush?.name.number == 1)
        await #expect(throws: RemoteError.self) { try await phone.page(after: 0) }
        let other = SyncService(world.store, account: "ada", scopes: [SyncScope("all")])
        phone.cursor = SyncCursor(epoch: response.epoch, sequence: 0)
        _ = try await world.service.handshake(HandDevice.request("phone", phone.cursor, scope: "open"))
        await #expect(throws: RemoteError.unauthorized) {
            try await other.pull(PullRequest(device: "phone", cursor: phone.cursor))
        }
    }

    @Test(arguments: [
        SyncScope("bad", entities: ["None"]), SyncScope("bad", where: ["None": Field("id") == 1]),
        SyncScope("bad", where: ["Task": Field("none") == 1]), SyncScope("bad", where: ["Task": Field("id") == "x"]),
        SyncScope("bad", where: ["Task": !(Field("project.name") == "x" || Field("id") == 1)]),
        SyncScope("bad", entities: ["sync.metadata"]),
    ])
    func faultyScopeIsAnError(scope: SyncScope) async throws {
        let world = ServiceWorld(scopes: [scope])
        await #expect(throws: PersistenceError.self) {
            try await world.service.handshake(HandDevice.request("phone", scope: "bad"))
        }
    }

    @Test func filterOfAnEntityHoldsForThoseThatInheritIt() async throws {
        let world = ServiceWorld(scopes: [
            SyncScope("a", entities: ["Animal"], where: ["Animal": Field("id") < 3, "Dog": Field("name") == "Rex"])
        ])
        try await world.edit { changes in
            for (entity, key) in [("Cat", 1), ("Cat", 5), ("Dog", 2), ("Dog", 6)] as [(String, Value)] {
                try changes.put(Record(entity, in: ServiceWorld.schema, ["id": key]))
            }
            changes.update(RecordID("Dog", 2), ["name": "Rex"])
        }
        let phone = try await HandDevice("phone", to: world.service, scope: "a")
        #expect(try await phone.page(after: 0).entries.map(\.id.key) == [1, 2])
    }
}
