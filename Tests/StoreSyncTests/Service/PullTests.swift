import StoreSync
import SyncPersistence
import Testing

/// The pages of a pull.
@Suite(.needsServiceStore) struct PullTests {
    private func fill(_ world: ServiceWorld, _ count: Int, size: Int = 1) async throws {
        try await world.edit { changes in
            for number in 0..<count {
                let color = String(repeating: "x", count: size)
                try changes.put(
                    Record("Tag", in: ServiceWorld.schema, ["name": .string("\(number)"), "color": .string(color)]))
            }
        }
    }

    @Test func pagesAreBoundedByRecords() async throws {
        let world = ServiceWorld(limits: SyncLimits(pageRecords: 10))
        try await fill(world, 25)
        let phone = try await HandDevice("phone", to: world.service)
        var page = try await phone.page(after: 0)
        #expect(page.entries.count == 10 && page.hasMore && page.remaining == 15 && page.fingerprint == nil)
        #expect(try await phone.page(after: 0, limit: 1_000).entries.count == 10)
        #expect(try await phone.page(after: 0, limit: 3).entries.count == 3)
        for limit in [0, -1, Int.min] { #expect(try await phone.page(after: 0, limit: limit).entries.count == 1) }
        page = try await phone.page(after: 20)
        #expect(page.entries.count == 5 && !page.hasMore && page.remaining == 0)
        #expect(try await page.fingerprint == world.store.read { try $0.fingerprint() })
        #expect(page.fingerprint?.count == 25)
        #expect(try await phone.page(after: 25).entries.isEmpty)
    }

    @Test func pagesAreBoundedByBytesAndALargeRecordTravelsAlone() async throws {
        let world = ServiceWorld(limits: SyncLimits(bytes: 1_000))
        try await fill(world, 4, size: 400)
        try await world.edit {
            $0.update(RecordID("Tag", "1"), ["color": .string(String(repeating: "y", count: 5_000))])
        }
        var phone = try await HandDevice("phone", to: world.service)
        phone.cursor = SyncCursor(epoch: phone.cursor.epoch, sequence: 0)
        var sizes: [Int] = []
        var page = try await phone.page(after: 0)
        sizes.append(page.entries.count)
        while page.hasMore {
            page = try await phone.page(after: page.cursor.sequence)
            sizes.append(page.entries.count)
        }
        #expect(sizes == [1, 1, 2])
    }

    @Test func ownChangesArePassedOverWithinBounds() async throws {
        let world = ServiceWorld(limits: SyncLimits(pageRecords: 5))
        var phone = try await HandDevice("phone", to: world.service)
        for push in 0..<40 {
            _ = try await phone.push((0..<5).map { .insert("Tag", .string("\(push * 5 + $0)")) })
        }
        let page = try await phone.page(after: 0)
        #expect(page.entries.isEmpty && page.hasMore && page.cursor.sequence < 100)
        #expect(try await phone.pull().isEmpty)
        #expect(phone.cursor.sequence == 200)
        // A comparison includes them.
        #expect(try await phone.page(after: 0, comparison: 0).entries.count == 5)
    }

    @Test func changedRecordMovesBehind() async throws {
        let world = ServiceWorld(limits: SyncLimits(pageRecords: 2))
        try await fill(world, 4)
        var phone = try await HandDevice("phone", to: world.service)
        let first = try await phone.page(after: 0)
        try await world.edit { changes in
            changes.update(RecordID("Tag", "2"), ["color": "z"])
            changes.delete(RecordID("Tag", "0"))
        }
        phone.cursor = first.cursor
        let rest = try await phone.pull()
        #expect(rest.map(\.id.key) == ["3", "2", "0"])
        #expect(rest[1]["color"] == "z" && rest[2].state == .deleted)
    }

    @Test func entitiesThatTheDeviceLacksAreLeftOut() async throws {
        let world = ServiceWorld()
        try await world.edit { changes in
            for (entity, key) in [("Cat", 1), ("Dog", 2), ("Task", 3)] as [(String, Value)] {
                try changes.put(Record(entity, in: ServiceWorld.schema, ["id": key]))
            }
        }
        var request = HandDevice.request("phone")
        request.entities["Dog"] = nil
        request.entities["Task"] = nil
        request.entities[ServiceWorld.links] = nil
        let epoch = try await world.service.handshake(request).epoch
        func page() async throws -> PullResponse {
            try await world.service.pull(PullRequest(device: "phone", cursor: SyncCursor(epoch: epoch, sequence: 0)))
        }
        let first = try await page()
        #expect(first.entries.map(\.id) == [RecordID("Cat", 1)] && first.fingerprint == nil)
        try await world.edit { changes in
            try changes.put(Record("Dog", in: ServiceWorld.schema, ["id": 1]))
            changes.delete(RecordID("Task", 3))
        }
        // The device's cat has become something that it does not know.
        #expect(try await page().entries == [PullResponse.Entry(RecordID("Cat", 1), .outOfScope)])
        request.entities["Dog"] = []
        _ = try await world.service.handshake(request)
        #expect(try await page().entries.map(\.id.entity).sorted() == ["Dog", "Dog"])
    }

    @Test func everyValueTravels() async throws {
        let world = ServiceWorld()
        let extra: Value = ["a": [1, .null, 2.5], "b": ["c": "d"]]
        try await world.edit { changes in
            try changes.put(Record("Project", in: ServiceWorld.schema, ["id": 1]))
            try changes.put(Record("Task", in: ServiceWorld.schema, ["id": 1, "extra": extra]))
            changes.setLinks(RecordID("Project", 1), "tasks", to: [1])
            try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "red"]))
            changes.link(RecordID("Task", 1), "tags", to: "red")
        }
        let phone = try await HandDevice("phone", to: world.service)
        let page = try await phone.page(after: 0)
        #expect(try PullResponse(data: page.data) == page)
        let task = page.entries.first { $0.id.entity == "Task" }
        #expect(task?["extra"] == extra && task?["project"] == 1)
        guard case .present(let values)? = task?.state else { return }
        #expect(values.members.contains { $0.name.hasPrefix("sync.position.") && $0.value == 0 })
        #expect(page.entries.last?.id == RecordID(ServiceWorld.links, ["red", 1]))
    }

    @Test func prunedHistoryStillEnds() async throws {
        let world = ServiceWorld()
        try await fill(world, 2)
        var phone = try await HandDevice("phone", to: world.service)
        try await world.edit { $0.delete(RecordID("Tag", "0")) }
        try await world.service.prune(through: 3)
        let page = try await phone.page(after: 0, comparison: 3)
        #expect(page.entries.map(\.id.key) == ["1"] && !page.hasMore && page.cursor.sequence == 3)
        phone.cursor = page.cursor
        #expect(try await phone.pull().isEmpty)
    }
}
