import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import StoreSync
import TestSupport
import Testing

/// Devices whose service gives each new record another key, while messages are lost and the devices are edited.
///
/// Each device changes its own records alone, so there are no conflicts: in the end, the service has exactly what the
/// users have last seen.
@Suite struct RandomAmendedKeyTests {
    /// The records of all users by name, with the last value of each.
    private typealias Expectation = [String: Int64]

    /// A user of a device, who finds records by their names.
    private struct User: Sendable {
        let device: Device
        let number: Int
        let expected: Locked<Expectation>
        let generator: Locked<SeededGenerator>

        private func random(_ count: Int) -> Int { generator.withLock { Int.random(in: 0..<count, using: &$0) } }

        /// Makes a random edit.
        func edit() async throws {
            let (choice, place) = (random(10), random(1_000))
            let value = Int64(generator.withLock { $0.next() % 1_000_000 })
            let number = number
            let result = try await device.store.write { transaction in
                let own = try ["Area", "Project", "Task", "Tag"].flatMap { entity in
                    try transaction.records(Query(entity)).filter { $0.label.hasPrefix("\(number) ") }
                }
                func one(_ entity: String) -> Record? {
                    let some = own.filter { $0.entity == entity }
                    return some.isEmpty ? nil : some[place % some.count]
                }
                var changes = ChangeSet()
                var result: [String: Int64?] = [:]
                switch choice {
                case 0..<5:
                    let entity = ["Area", "Project", "Task", "Task", "Tag"][choice]
                    let parent = ["Area": "Area", "Project": "Area", "Task": "Project"][entity].flatMap(one)
                    if entity == "Task" && parent == nil { return result }
                    let label = "\(number) \(value)"
                    let key = Value.integer(-(value * 10 + Int64(number) + 1))
                    let reference = ["Area": "parent", "Project": "area", "Task": "project"][entity]
                    var values: [String: Value] = ["id": key, entity == "Task" ? "title" : "name": .string(label)]
                    if let reference, let parent { values[reference] = parent.key }
                    if try transaction.record(RecordID(entity, key)) != nil { return result }
                    try changes.put(Record(entity, in: transaction.schema, values))
                    result[label] = 0
                case 5, 6:
                    if let project = one("Project") {
                        changes.update(project.id, ["budget": .integer(value)])
                        result[project.label] = value
                    }
                case 7:
                    if let task = one("Task"), let tag = one("Tag") { changes.link(task.id, "tags", to: tag.key) }
                default:
                    guard let record = one(["Area", "Project", "Task", "Tag"][place % 4]) else { return result }
                    changes.delete(record.id)
                }
                let before = Set(own.map(\.label))
                try transaction.apply(changes)
                // Delete rules may have deleted others too.
                var after: Set<String> = []
                for entity in ["Area", "Project", "Task", "Tag"] {
                    after.formUnion(try transaction.records(Query(entity)).map(\.label))
                }
                for label in before.subtracting(after) { result[label] = .some(nil) }
                return result
            }.result
            expected.withLock { expected in for (label, value) in result { expected[label] = value } }
        }

        /// Makes a cycle in which messages may be lost, and edits are made before answers arrive.
        func sync(with service: SyncService, isFaulty: Bool) async throws -> StoreSync.StoreOutcome {
            try await device.sync(
                with: FaultyService(service: service) {
                    if !isFaulty { return nil }
                    let choice = random(10)
                    if choice < 3 { try await edit() }
                    return choice < 6 ? nil : choice == 6 ? .request : choice == 7 ? .answer : nil
                })
        }
    }

    @Test func eachRecordIsThereOnceUnderItsNewKey() async throws {
        let seed = SeededGenerator.testSeed(71)
        for run in 0..<UInt64(isFullScale ? 1_000 : 60) {
            let note: Comment = "seed \(seed &+ run)"
            let server = InMemoryAdapter(schema: try Planner.schema())
            let review = Review { change, _ in
                guard change.old == nil, case .integer(let key)? = change.new?.key, key < 0 else { return .accept }
                return .amend(key: .integer(-key))
            }
            let service = SyncService(
                server, account: "ada", limits: SyncLimits(pageRecords: 3, pushRecords: 4), review: review,
                makeName: Planner.names("epoch"))
            let (expected, generator) = (Locked(Expectation()), Locked(SeededGenerator(seed: seed &+ run)))
            let schema = try Planner.schema()
            let stores: [any PersistenceAdapter] = [
                InMemoryAdapter(schema: schema), try await SQLiteAdapter.inMemory(schema: schema),
            ]
            let users = try stores.enumerated().map { number, store in
                User(device: try Device("\(number)", store), number: number, expected: expected, generator: generator)
            }
            for step in 0..<40 {
                let user = users[generator.withLock { Int.random(in: 0..<2, using: &$0) }]
                if step % 4 == 3 {
                    _ = try await user.sync(with: service, isFaulty: true)
                } else {
                    try await user.edit()
                }
            }
            for user in users + users { _ = try await user.sync(with: service, isFaulty: false) }
            for user in users {
                let outcome = try await user.sync(with: service, isFaulty: false)
                #expect(outcome.isSynced && outcome.isVerified != false, "\(note): \(outcome)")
            }
            try await expectEqualContents(of: [server] + users.map(\.device.store), note)
            let served = try await server.read { transaction in
                try ["Area", "Project", "Task", "Tag"].flatMap { entity in
                    try transaction.records(Query(entity)).map { ($0.label, $0.key, $0.budget) }
                }
            }
            #expect(served.map(\.0).sorted() == expected.current.keys.sorted(), note)
            for (label, key, budget) in served {
                #expect(budget ?? expected.current[label] == expected.current[label], note)
                if case .integer(let key) = key { #expect(key > 0, note) }
            }
        }
    }
}

extension Record {
    /// The name by which a user knows the record.
    fileprivate var label: String {
        if case .string(let label) = self[entity == "Task" ? "title" : "name"] { label } else { "" }
    }

    /// The budget of a project; 0 for none, and nil for other records.
    fileprivate var budget: Int64? {
        guard entity == "Project" else { return nil }
        if case .integer(let budget) = self["budget"] { return budget }
        return 0
    }
}
