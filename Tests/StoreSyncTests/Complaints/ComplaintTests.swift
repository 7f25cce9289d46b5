import DifferentialSyncTesting
import StoreSync
import Testing

/// What users of other engines complain about: a naive engine shows each complaint, and this library none.
@Suite struct ComplaintTests {
    private let schema: Schema

    init() throws { schema = try Planner.schema() }

    /// A scenario; returns whether the complaint shows.
    private typealias Scenario = (inout any ComplaintWorld) async throws -> Bool

    private func compare(
        _ server: ComplaintServer = ComplaintServer(), _ location: SourceLocation = #_sourceLocation,
        _ showsComplaint: Scenario
    ) async throws {
        var naive: any ComplaintWorld = NaiveWorld(server)
        #expect(try await showsComplaint(&naive), "the scenario shows no complaint", sourceLocation: location)
        var library: any ComplaintWorld = try LibraryWorld(server)
        #expect(try await !showsComplaint(&library), sourceLocation: location)
    }

    private func project(_ id: Int64, _ name: String = "garden", budget: Value = .null) throws -> Record {
        try Record("Project", in: schema, ["id": .integer(id), "name": .string(name), "budget": budget])
    }

    private func task(_ id: Int64, _ title: Value, project: Value = 1) throws -> Record {
        try Record("Task", in: schema, ["id": .integer(id), "title": title, "project": project])
    }

    private let first = RecordID("Project", 1)

    @Test func editsOfTwoDevicesAreNotLost() async throws {
        try await compare { world in
            try await world.put(0, project(1))
            await world.sync(0, 1)
            try await world.put(0, at: 5_000, project(1, "yard"))
            try await world.put(1, at: 9_000, project(1, "garden", budget: 50))
            await world.sync(0, 1, 0)
            let record = try await world.record(first, at: 0)
            return record?["name"] != "yard" || record?["budget"] != 50
        }
    }

    @Test func recordWhoseAnswerWasLostDoesNotReturnAfterItsDeletion() async throws {
        try await compare { world in
            try await world.put(0, project(1))
            await world.sync(0, with: 0, losesAnswer: true)
            try await world.delete(0, first)
            await world.sync(0, 0)
            let here = try await world.record(first, on: 0)
            let there = try await world.record(first, at: 0)
            return here != nil || there != nil
        }
    }

    @Test func childThatWasMadeBeforeItsParentArrives() async throws {
        try await compare { world in
            try await world.put(0, task(1, "dig"), project(1))
            await world.sync(0, 0)
            return try await world.record(RecordID("Task", 1), at: 0) == nil
        }
    }

    @Test func refusedRecordDoesNotStopThoseBesideIt() async throws {
        try await compare(ComplaintServer(refusedTitle: "bad")) { world in
            try await world.put(0, project(1), task(1, "bad"), task(2, "good"))
            await world.sync(0)
            return try await world.record(RecordID("Task", 2), at: 0) == nil
        }
    }

    @Test func refusedRecordDoesNotStopLaterChanges() async throws {
        try await compare(ComplaintServer(refusedTitle: "bad")) { world in
            try await world.put(0, project(1))
            await world.sync(0)
            try await world.put(0, task(1, "bad"))
            for id in 2...4 as ClosedRange<Int64> {
                await world.sync(0)
                try await world.put(0, task(id, "good"))
            }
            await world.sync(0, 1)
            return try await world.record(RecordID("Task", 4), on: 1) == nil
        }
    }

    @Test func moreChangesThanAPushMayHaveArrive() async throws {
        try await compare(ComplaintServer(pushLimit: 3)) { world in
            for id in 1...10 as ClosedRange<Int64> { try await world.put(0, project(id)) }
            await world.sync(0, 0)
            return try await world.record(RecordID("Project", 10), at: 0) == nil
        }
    }

    @Test func deletedRecordsDoNotReturn() async throws {
        try await compare { world in
            try await world.put(0, project(1), project(2))
            await world.sync(0, 1)
            try await world.delete(0, first)
            await world.sync(0)
            try await world.put(1, project(2, "yard"))
            await world.sync(1, 0)
            let there = try await world.record(first, on: 1)
            let server = try await world.record(first, at: 0)
            return there != nil || server != nil
        }
    }

    @Test func changesOfAnAccountAreNotSentToAnother() async throws {
        try await compare { world in
            try await world.put(0, project(1))
            await world.sync(0)
            try await world.put(0, project(2, "secret"))
            await world.sync(0, with: 1, losesAnswer: false)
            let leaked = try await world.record(RecordID("Project", 2), at: 1)
            await world.sync(0)
            let kept = try await world.record(RecordID("Project", 2), at: 0)
            return leaked != nil || kept == nil
        }
    }

    @Test func laterEditOfADeviceWhoseClockIsSlowIsKept() async throws {
        try await compare { world in
            try await world.put(0, at: 10, project(1))
            await world.sync(0, 1)
            try await world.put(1, at: 20, project(1, "yard"))
            await world.sync(1, 0)
            return try await world.record(first, on: 0)?["name"] != "yard"
        }
    }

    @Test func recordWhoseAnswerWasLostIsNotThereTwice() async throws {
        try await compare(ComplaintServer(givesKeys: true)) { world in
            try await world.put(0, project(1))
            await world.sync(0, with: 0, losesAnswer: true)
            await world.sync(0, 0)
            return try await world.projectCount(at: 0) != 1
        }
    }

    @Test func receivedChangesAreNotSentBack() async throws {
        try await compare { world in
            try await world.put(0, project(1))
            await world.sync(0, 1, 1, 0)
            return world.sentCount != 1
        }
    }
}
