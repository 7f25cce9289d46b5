import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Deletions over objects, while another device makes records that refer to the deleted ones.
@Suite struct ObjectReferenceTests {
    private let objects = InMemoryObjects()
    private let phone: Device
    private let laptop: Device

    init() throws { (phone, laptop) = (try Device("phone"), try Device("laptop")) }

    private func remote() -> ObjectRemote {
        ObjectRemote(objects, account: "ada", makeName: Planner.names("object"))
    }

    /// Both devices have two areas, the second in the first, with a project of two tasks.
    private func share() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Area", in: schema, ["id": 11, "name": "home"]))
            try changes.put(Record("Area", in: schema, ["id": 12, "name": "outside", "parent": 11]))
            try changes.put(Record("Project", in: schema, ["id": 21, "name": "garden", "area": 12]))
            for id in [31, 32] as [Value] {
                try changes.put(Record("Task", in: schema, ["id": id, "title": "dig", "project": 21]))
            }
        }
        for device in [phone, laptop] { #expect(try await device.sync(with: remote()).isSynced) }
    }

    /// What the laptop changes, while the phone deletes the record that it concerns.
    enum Edit: String, CaseIterable {
        case newTask, changedTask, newArea

        var deleted: RecordID { self == .newArea ? RecordID("Area", 11) : RecordID("Project", 21) }
        var changed: RecordID { self == .newArea ? RecordID("Area", 13) : RecordID("Task", self == .newTask ? 33 : 32) }

        func make(_ changes: inout ChangeSet, _ schema: Schema) throws {
            switch self {
            case .newTask:
                try changes.put(Record("Task", in: schema, ["id": 33, "title": "sow", "project": 21]))
            case .changedTask: changes.update(RecordID("Task", 32), ["title": "sow"])
            case .newArea: try changes.put(Record("Area", in: schema, ["id": 13, "name": "shed", "parent": 12]))
            }
        }
    }

    /// Lets one device send its change right before the first push of the other one.
    private func race(_ edit: Edit, deletionIsFirst: Bool, _ policies: SyncPolicies) async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(edit.deleted) }
        try await laptop.edit { changes, schema in try edit.make(&changes, schema) }
        let (first, second) = deletionIsFirst ? (phone, laptop) : (laptop, phone)
        let remote = remote()
        let racing = Racing(base: remote) { _ = try await first.sync(with: remote, policies) }
        _ = try await second.sync(with: racing, policies)
    }

    private func expectAgreement(_ note: Comment, _ policies: SyncPolicies) async throws {
        for _ in 1...3 {
            for device in [phone, laptop] { try await device.sync(with: remote(), policies) }
        }
        let third = try Device("third")
        for device in [phone, laptop, third] {
            let outcome = try await device.sync(with: remote(), policies)
            #expect(outcome.isSynced, "\(note): \(outcome)")
        }
        try await expectEqualContents(of: [phone, laptop, third].map(\.store), note)
    }

    /// The phone's own version of a project in a conflict does not show that the remote still has the area.
    @Test func aRecordOfADeletedAreaIsNotSentWhileThatIsInAConflict() async throws {
        try await share()
        try await laptop.edit { changes, _ in
            changes.update(RecordID("Project", 21), ["name": "orchard"])
            changes.delete(RecordID("Area", 12))
        }
        try await laptop.sync(with: remote())
        try await phone.edit { changes, schema in
            changes.update(RecordID("Project", 21), ["name": "meadow"])
            try changes.put(Record("Project", in: schema, ["id": 22, "area": 12]))
        }
        let outcome = try await phone.sync(with: remote())
        #expect(outcome.pushedCount == 0 && outcome.pending.contains(RecordID("Project", 22)))
        let later = try await laptop.sync(with: remote())
        #expect(later.isSynced && later.pulledCount == 0)
        // The project decides itself without the area.
        for id in [RecordID("Project", 21), RecordID("Area", 12)] {
            let conflict = try #require(await phone.store.openConflicts.first { $0.id == id })
            try await phone.store.resolve(conflict, with: .remote)
            try await phone.sync(with: remote())
        }
        try await expectAgreement("after the decisions", SyncPolicies())
        #expect(try await laptop.value("Project", 22, "area") == .null)
    }

    @Test(arguments: Edit.allCases, [false, true])
    func aDeletionAndARecordThatNeedsTheDeletedOneSettle(edit: Edit, deletionIsFirst: Bool) async throws {
        let policies: [String: SyncPolicies] = [
            "local": SyncPolicies(.localWins), "remote": SyncPolicies(.remoteWins),
            "edits": SyncPolicies(.keepEdits(otherwise: .remoteWins)),
        ]
        for (name, policies) in policies {
            let world = try ObjectReferenceTests()
            try await world.race(edit, deletionIsFirst: deletionIsFirst, policies)
            try await world.expectAgreement("\(name)", policies)
            if name == "edits" {
                #expect(try await world.phone.record(edit.changed.entity, edit.changed.key) != nil, "\(edit)")
            }
        }
    }

    @Test(arguments: Edit.allCases, [false, true])
    func whatIsLeftOpenSettlesOnceItIsResolved(edit: Edit, deletionIsFirst: Bool) async throws {
        for resolution in [Resolution<Record>.local, .remote] {
            let world = try ObjectReferenceTests()
            try await world.race(edit, deletionIsFirst: deletionIsFirst, SyncPolicies())
            var count = 0
            for _ in 1...4 {
                for device in [world.phone, world.laptop] {
                    try await device.sync(with: world.remote())
                    for conflict in try await device.store.openConflicts {
                        count += 1
                        _ = try? await device.store.resolve(conflict, with: resolution)
                    }
                }
            }
            #expect(count > 0)
            try await world.expectAgreement("\(resolution)", SyncPolicies())
        }
    }
}

/// A remote that makes something before it receives the first push.
private struct Racing: ForwardingRemote {
    let base: ObjectRemote
    let action: @Sendable () async throws -> Void
    let isDone = Locked(false)

    func push(_ request: PushRequest) async throws -> PushResponse {
        if !isDone.exchange(with: true) { try await action() }
        return try await base.push(request)
    }
}
