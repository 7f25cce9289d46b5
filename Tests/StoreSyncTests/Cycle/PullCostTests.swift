import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// What a device counts and reads for pages.
@Suite struct PullCostTests {
    private func cost(records: Int) async throws -> Int {
        let counts = Locked(StorageCounts())
        let store = InMemoryAdapter(schema: try Planner.schema()).counted(by: counts)
        let (phone, (_, service)) = (try Device("phone", store), try Planner.service())
        let laptop = try Device("laptop")
        try await laptop.edit { changes, schema in
            for id in 0..<records { try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id))])) }
        }
        for device in [laptop, phone, phone] { #expect(try await device.sync(with: service).isSynced) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Tag", 1), ["name": "x"]) }
        try await laptop.sync(with: service)
        counts.reset()
        #expect(try await phone.sync(with: service).isVerified == true)
        return counts.current.rows + counts.current.counted
    }

    /// Returns the rows that a device reads to decide about tasks in as many projects that it has deleted.
    private func costOfDecisions(count: Int, _ policy: ConflictPolicy<Record>) async throws -> Int {
        let counts = Locked(StorageCounts())
        let store = InMemoryAdapter(schema: try Planner.schema()).counted(by: counts)
        let (phone, laptop, (_, service)) = (try Device("phone", store), try Device("laptop"), try Planner.service())
        let ids = (0..<count).map { Value.integer(Int64($0)) }
        try await laptop.edit { changes, schema in
            for id in ids { try changes.put(Record("Project", in: schema, ["id": id])) }
        }
        for device in [laptop, phone] { #expect(try await device.sync(with: service).isSynced) }
        try await phone.edit { changes, _ in for id in ids { changes.delete(RecordID("Project", id)) } }
        try await laptop.edit { changes, schema in
            for id in ids { try changes.put(Record("Task", in: schema, ["id": id, "project": id])) }
        }
        try await laptop.sync(with: service)
        counts.reset()
        #expect(try await phone.sync(with: service, SyncPolicies(policy)).conflicts.count == count)
        return counts.current.rows + counts.current.counted
    }

    /// Returns the rows that a device reads to upload projects with a task each, to which the service gives other keys.
    private func costOfAmendedKeys(count: Int) async throws -> Int {
        let counts = Locked(StorageCounts())
        let store = InMemoryAdapter(schema: try Planner.schema()).counted(by: counts)
        let phone = try Device("phone", store)
        let review = Review { change, _ in
            guard change.old == nil, case .integer(let key)? = change.new?.key else { return .accept }
            return .amend(key: .integer(-key))
        }
        let service = SyncService(
            InMemoryAdapter(schema: try Planner.schema()), account: "ada", limits: SyncLimits(pushRecords: 50),
            review: review, makeName: Planner.names("epoch"))
        try await phone.edit { changes, schema in
            for id in (1...count).map({ Value.integer(Int64($0)) }) {
                try changes.put(Record("Project", in: schema, ["id": id]))
                try changes.put(Record("Task", in: schema, ["id": id, "project": id]))
            }
        }
        counts.reset()
        #expect(try await phone.sync(with: service).isSynced)
        return counts.current.rows + counts.current.counted
    }

    /// Returns the rows that a device reads to send the deletions of a tree of areas, or of tags.
    private func costOfDeletions(of entity: String, count: Int) async throws -> Int {
        let counts = Locked(StorageCounts())
        let store = InMemoryAdapter(schema: try Planner.schema()).counted(by: counts)
        let (phone, (server, service)) = (
            try Device("phone", store), try Planner.service(limits: SyncLimits(pushRecords: 10))
        )
        try await phone.edit { changes, schema in
            for id in 1...count {
                var values: [String: Value] = ["id": .integer(Int64(id))]
                if entity == "Area", id > 1 { values["parent"] = .integer(Int64(id / 2)) }
                try changes.put(Record(entity, in: schema, values))
            }
        }
        #expect(try await phone.sync(with: service).isSynced)
        try await phone.edit { changes, _ in
            for id in 1...count { changes.delete(RecordID(entity, .integer(Int64(id)))) }
        }
        counts.reset()
        #expect(try await phone.sync(with: service).isSynced)
        #expect(try await server.read { try $0.count(Query(entity)) } == 0)
        return counts.current.rows + counts.current.counted
    }

    @Test(arguments: ["Area", "Tag"]) func deletionsCostNoMoreForEachPush(entity: String) async throws {
        let (few, many) = try await (
            costOfDeletions(of: entity, count: 100), costOfDeletions(of: entity, count: 400)
        )
        #expect(Double(many) <= 6 * Double(few), "\(few) and \(many) rows")
    }

    @Test func amendedKeysCostNoMoreForEachPush() async throws {
        let (few, many) = try await (costOfAmendedKeys(count: 100), costOfAmendedKeys(count: 400))
        // Each push reads the changes that are left once.
        #expect(Double(many) <= 8 * Double(few), "\(few) and \(many) rows")
    }

    @Test func decisionsAboutManyDeletionsCostNoMoreForEach() async throws {
        for policy in [ConflictPolicy<Record>.localWins, .remoteWins, .leaveOpen] {
            let (few, many) = try await (costOfDecisions(count: 25, policy), costOfDecisions(count: 100, policy))
            #expect(Double(many) <= 5 * Double(few), "\(few) and \(many) rows")
        }
    }

    @Test func aPageOfOneChangeCostsTheSameWhateverTheStoreHas() async throws {
        #expect(try await cost(records: 10) == cost(records: 1_000))
    }
}
