import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import TestSupport
import Testing

/// Two devices that edit related records offline: whatever each does, all conflicts are decided, and the devices agree.
///
/// One device makes one or two edits and the other makes one, for all delete rules, policies and kinds of remotes. A random
/// part of all these pairs is tried.
@Suite struct EditPairTests {
    /// An edit of a planner of two projects, a task and its note.
    private enum Edit: CaseIterable {
        case deleteProject, editProject, deleteOtherProject, addTask, editTask, deleteTask
        case moveToProject, moveToOtherProject, moveOut, addNote, editNote, deleteNote

        /// Adds the edit of a device; `number` differs for all edits of all devices.
        func apply(to changes: inout ChangeSet, _ number: Int64, in schema: Schema) throws {
            let (project, other) = (RecordID("Project", 1), RecordID("Project", 2))
            let (task, note, text) = (RecordID("Task", 1), RecordID("Note", 1), Value.string("edit \(number)"))
            switch self {
            case .deleteProject: changes.delete(project)
            case .editProject: changes.update(project, ["name": text])
            case .deleteOtherProject: changes.delete(other)
            case .addTask:
                try changes.put(Record("Task", in: schema, ["id": .integer(number), "title": text, "project": 1]))
            case .editTask: changes.update(task, ["title": text])
            case .deleteTask: changes.delete(task)
            case .moveToProject: changes.update(task, ["project": 1])
            case .moveToOtherProject: changes.update(task, ["project": 2])
            case .moveOut: changes.update(task, ["project": .null])
            case .addNote: try changes.put(Record("Note", in: schema, ["id": .integer(number), "task": 1]))
            case .editNote: changes.update(note, ["text": text])
            case .deleteNote: changes.delete(note)
            }
        }
    }

    private struct Pair {
        let rule: DeleteRule
        let isOptional: Bool
        /// The project of the task at first.
        let project: Value
        let edits: [[Edit]]
        /// The name of the policy, and whether the remote keeps objects instead of records.
        let policy: String
        let hasObjects: Bool

        /// All pairs.
        static var all: [Pair] {
            var all: [Pair] = []
            let sequences = allSequences(of: Edit.allCases, upTo: 2).dropFirst()
            for (rule, isOptional) in [
                (DeleteRule.nullify, true), (.cascade, true), (.cascade, false), (.deny, true), (.deny, false),
            ] {
                for (project, policy) in [Value.integer(1), .integer(2), .null].flatMap({ project in
                    policies.keys.sorted().map { (project, $0) }
                }) where isOptional || project != .null {
                    for (first, second) in sequences.flatMap({ first in Edit.allCases.map { (first, $0) } }) {
                        for edits in [[first, [second]], [[second], first]] {
                            for hasObjects in [false, true] {
                                all.append(
                                    Pair(
                                        rule: rule, isOptional: isOptional, project: project, edits: edits,
                                        policy: policy, hasObjects: hasObjects))
                            }
                        }
                    }
                }
            }
            return all
        }

        static let policies = [
            "local": SyncPolicies(.localWins), "remote": SyncPolicies(.remoteWins),
            "edits": SyncPolicies(.keepEdits(otherwise: .localWins)), "open": SyncPolicies(.leaveOpen),
        ]

        func schema() throws -> Schema {
            try Schema([
                Entity("Project") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                    Relationship(
                        "tasks", toMany: "Task", isOrdered: rule == .cascade, inverse: "project", deleteRule: rule)
                },
                Entity("Task") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("title", .string)
                    Relationship("project", to: "Project", inverse: "tasks", isOptional: isOptional)
                    Relationship("notes", toMany: "Note", inverse: "task", deleteRule: .cascade)
                },
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("task", to: "Task", inverse: "notes", isOptional: false)
                },
            ])
        }
    }

    /// Returns two devices that have the same records, and have then made their edits; nil if the schema forbids one.
    private func devices(_ pair: Pair, _ remote: any Remote) async throws -> [Device]? {
        let schema = try pair.schema()
        let devices = try ["phone", "laptop"].map { try Device($0, InMemoryAdapter(schema: schema)) }
        try await devices[0].edit { changes, schema in
            for key in [Value.integer(1), 2] { try changes.put(Record("Project", in: schema, ["id": key])) }
            try changes.put(Record("Task", in: schema, ["id": 1, "project": pair.project]))
            try changes.put(Record("Note", in: schema, ["id": 1, "task": 1]))
        }
        for device in devices { #expect(try await device.sync(with: remote).isSynced) }
        for (place, device) in devices.enumerated() {
            for (index, edit) in pair.edits[place].enumerated() {
                do {
                    let number = Int64(10 * (place + 1) + index)
                    try await device.edit { try edit.apply(to: &$0, number, in: $1) }
                } catch is PersistenceError {
                    return nil
                }
            }
        }
        return devices
    }

    /// A decision may also change the conflicts of related records.
    private func resolveConflicts(of device: Device, with resolution: Resolution<Record>) async throws {
        for _ in 1...20 {
            guard let conflict = try await device.store.openConflicts.first else { return }
            try await device.store.resolve(conflict, with: resolution)
        }
    }

    @Test func devicesAgreeAfterAnyEditsOfRelatedRecords() async throws {
        let seed = SeededGenerator.testSeed(18)
        var generator = SeededGenerator(seed: seed)
        let pairs = Pair.all.shuffled(using: &generator).prefix(isFullScale ? 20_000 : 300)
        var count = 0
        for pair in pairs {
            let note: Comment = "seed \(seed): \(pair)"
            let remote: any Remote =
                pair.hasObjects
                ? ObjectRemote(InMemoryObjects(), account: "ada", makeName: Planner.names("object"))
                : SyncService(
                    InMemoryAdapter(schema: try pair.schema()), account: "ada", makeName: Planner.names("epoch"))
            guard let devices = try await devices(pair, remote) else { continue }
            count += 1
            let policies = try #require(Pair.policies[pair.policy])
            for _ in 1...4 {
                for (place, device) in devices.enumerated() {
                    let outcome = try await device.sync(with: remote, policies)
                    #expect(outcome.failure == nil && outcome.isVerified != false && outcome.refused.isEmpty, note)
                    if pair.policy == "open" {
                        try await resolveConflicts(of: device, with: place == 0 ? .local : .remote)
                    }
                    #expect(try await device.store.openConflicts.isEmpty, note)
                }
            }
            for device in devices {
                let outcome = try await device.sync(with: remote, policies)
                #expect(outcome.isSynced && outcome.pushedCount + outcome.pulledCount == 0, "\(note): \(outcome)")
            }
            try await expectEqualContents(of: devices.map(\.store), note)
        }
        #expect(count > pairs.count / 3)
    }
}
