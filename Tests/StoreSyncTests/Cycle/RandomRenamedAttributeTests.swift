import DifferentialSyncTesting
import StoreSync
import Testing

/// Devices and a service that rename an attribute at random times, with lost answers in between.
@Suite struct RandomRenamedAttributeTests {
    private static func schema(isNew: Bool) throws -> Schema {
        try Schema([
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute(isNew ? "name" : "title", .string, renamedFrom: isNew ? "title" : nil)
                Attribute("note", .string)
            }
        ])
    }

    /// A device with its version of the app.
    private struct Party {
        var device: Device
        var isNew = false

        /// The name of the renamed attribute.
        var attribute: String { isNew ? "name" : "title" }

        mutating func update() async throws {
            isNew = true
            device = try Device(device.name, await InMemoryAdapter.copy(of: device.store, schema: schema(isNew: true)))
        }
    }

    /// Each attribute of a record has one device that edits it, so that no edit may meet another one.
    @Test(arguments: 0..<80) func noEditIsLostAndNoneIsUndone(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var server = InMemoryAdapter(schema: try Self.schema(isNew: false))
        var isServerNew = false
        var parties = try (0..<3).map { number in
            Party(device: try Device("\(number)", InMemoryAdapter(schema: Self.schema(isNew: false))))
        }
        var expected: [Int64: [String: Value]] = [:]
        func service() -> SyncService {
            SyncService(
                server, account: "ada", limits: SyncLimits(pageRecords: 2, pushRecords: 2),
                makeName: Planner.names("epoch"))
        }
        func sync(_ number: Int, losesAnswers: Bool) async throws {
            var remote = ScriptedRemote(service())
            remote.losesAnswers = losesAnswers
            let outcome = try await parties[number].device.sync(with: remote)
            #expect(outcome.conflicts.isEmpty && outcome.refused.isEmpty, "seed \(seed): \(outcome.conflicts)")
        }
        for step in 0..<60 {
            let number = Int.random(in: 0..<3, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0 where !parties[number].isNew: try await parties[number].update()
            case 0 where !isServerNew:
                isServerNew = true
                server = try await InMemoryAdapter.copy(of: server, schema: Self.schema(isNew: true))
            case 0...5:
                // The owner edits the renamed attribute, and the next device the note.
                let isOwner = Bool.random(using: &generator)
                let owner = isOwner ? number : (number + 2) % 3
                let key = Int64(owner * 10) + .random(in: 0..<3, using: &generator)
                let (id, party, value) = (RecordID("Task", .integer(key)), parties[number], Value.string("\(step)"))
                let isHere = try await party.device.record("Task", .integer(key)) != nil
                if !isOwner && !isHere { continue }
                expected[key, default: [:]][isOwner ? "name" : "note"] = value
                let values = [isOwner ? party.attribute : "note": value]
                try await party.device.edit { changes, schema in
                    if isHere { return changes.update(id, values) }
                    try changes.put(Record("Task", in: schema, values.merging(["id": .integer(key)]) { $1 }))
                }
            default: try await sync(number, losesAnswers: Int.random(in: 0..<4, using: &generator) == 0)
            }
        }
        if !isServerNew { server = try await InMemoryAdapter.copy(of: server, schema: Self.schema(isNew: true)) }
        for number in parties.indices where !parties[number].isNew { try await parties[number].update() }
        for _ in 1...3 { for number in parties.indices { try await sync(number, losesAnswers: false) } }
        for store in [server] + parties.map({ $0.device.store as! InMemoryAdapter }) {
            let records = try await store.read { try $0.records(Query("Task")) }
            #expect(Set(records.map(\.key)) == Set(expected.keys.map(Value.integer)), "seed \(seed)")
            for record in records {
                guard case .integer(let key) = record.key else { continue }
                #expect(record["name"] == expected[key]?["name"] ?? .null, "seed \(seed), task \(key)")
                #expect(record["note"] == expected[key]?["note"] ?? .null, "seed \(seed), task \(key)")
            }
        }
    }
}
