import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import StoreSync
import TestSupport
import Testing

/// Two devices that edit different attributes of the same notes, of which one cannot read some of the versions until its
/// app is updated.
@Suite struct RandomUnreadableTests {
    /// A schema of notes, each with an attribute for each user.
    ///
    /// - Parameter isStrict: Whether each note needs a rank.
    private static func schema(isStrict: Bool) throws -> Schema {
        try Schema([
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("label", .integer)
                Attribute("rank", .integer, isOptional: !isStrict, default: isStrict ? 0 : .null)
                Attribute("user0", .integer)
                Attribute("user1", .integer)
                Attribute("count", .integer)
            }
        ])
    }

    /// The course of one run.
    private struct Course: Sendable {
        var devices: [Device]
        let service: SyncService
        /// What the users have last entered, by the label of the note and the attribute.
        let expected = Locked<[Value: [String: Value]]>([:])
        let generator: Locked<SeededGenerator>

        func random(_ count: Int) -> Int { generator.withLock { Int.random(in: 0..<count, using: &$0) } }

        /// Lets a user make a random edit.
        func edit(_ user: Int) async throws {
            let (choice, place) = (random(4), random(1_000))
            let value = Value.integer(Int64(generator.withLock { $0.next() % 1_000_000 }))
            let edited = try await devices[user].store.write { transaction -> (Value, String, Value)? in
                let notes = try transaction.records(Query("Note", sort: [Query.SortKey("id")]))
                var changes = ChangeSet()
                guard choice > 0, !notes.isEmpty else {
                    guard case .integer(let number) = value else { return nil }
                    try changes.put(
                        Record(
                            "Note", in: transaction.schema, ["id": .integer(-1 - number), "label": value, "rank": 1]))
                    try transaction.apply(changes)
                    return (value, "label", value)
                }
                let note = notes[place % notes.count]
                // The first user alone takes ranks away.
                let (name, new) =
                    user == 0 && choice == 1 ? ("rank", place % 3 > 0 ? .null : value) : ("user\(user)", value)
                changes.update(note.id, [name: new])
                try transaction.apply(changes)
                return (note["label"], name, new)
            }.result
            if let (label, name, value) = edited { expected.withLock { $0[label, default: [:]][name] = value } }
        }

        /// Makes a cycle of a user's device.
        @discardableResult
        func sync(_ user: Int, isFaulty: Bool) async throws -> StoreSync.StoreOutcome {
            try await devices[user].sync(
                with: FaultyService(service: service) {
                    if !isFaulty { return nil }
                    let choice = random(12)
                    if choice < 3 { try await edit(user) }
                    return choice == 6 ? .request : choice == 7 ? .answer : nil
                })
        }
    }

    private func course(seed: UInt64) async throws -> (Course, any PersistenceAdapter) {
        let server = InMemoryAdapter(schema: try Self.schema(isStrict: false))
        // The service gives keys, and counts the changes of each note.
        let review = Review { change, _ in
            guard let new = change.new, !change.isConsequence else { return .accept }
            let key: Value? = if case .integer(let key) = new.key, key < 0 { .integer(-key) } else { nil }
            let count: Int64 = if case .integer(let count)? = change.old?["count"] { count + 1 } else { 1 }
            return .amend(["count": .integer(count)], key: key)
        }
        let service = SyncService(
            server, account: "ada", limits: SyncLimits(pageRecords: 3, pushRecords: 4), review: review,
            makeName: Planner.names("epoch"))
        let devices = [
            try Device("0", InMemoryAdapter(schema: Self.schema(isStrict: false))),
            try await Device("1", SQLiteAdapter.inMemory(schema: Self.schema(isStrict: true))),
        ]
        return (Course(devices: devices, service: service, generator: Locked(SeededGenerator(seed: seed))), server)
    }

    @Test func noEditIsOverwrittenOrLost() async throws {
        let seed = SeededGenerator.testSeed(83)
        var unreadableCount = 0
        for run in 0..<UInt64(isFullScale ? 1_000 : 80) {
            let note: Comment = "seed \(seed &+ run)"
            var (course, server) = try await course(seed: seed &+ run)
            for step in 0..<40 {
                let user = course.random(2)
                if step % 4 == 3 {
                    unreadableCount += try await course.sync(user, isFaulty: true).unreadable.count
                } else {
                    try await course.edit(user)
                }
            }
            let updated = try await InMemoryAdapter.copy(
                of: course.devices[1].store, schema: Self.schema(isStrict: false))
            course.devices[1] = try Device("updated", updated)
            for user in [0, 1, 0, 1] { try await course.sync(user, isFaulty: false) }
            for user in 0..<2 {
                let outcome = try await course.sync(user, isFaulty: false)
                #expect(outcome.isSynced && outcome.isVerified != false, "\(note): \(outcome)")
            }
            try await expectEqualContents(of: [server] + course.devices.map(\.store), note)
            let served = try await server.read { try $0.records(Query("Note")) }
            #expect(served.count == course.expected.current.count, note)
            for record in served {
                for (name, value) in course.expected.current[record["label"]] ?? [:] {
                    #expect(record[name] == value, "\(note): \(name) of \(record)")
                }
            }
        }
        #expect(unreadableCount > 50)
    }
}
