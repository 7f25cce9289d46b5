import DifferentialSync
import StoreSync
import Testing

/// Records on several devices that take one reference, of which only one may have it.
///
/// Objects know no such rule.
@Suite struct ObjectOneToOneTests {
    private let schema: Schema
    private let devices: [Device]
    private let remote = ObjectRemote(InMemoryObjects(), account: "ada", makeName: Planner.names("object"))

    init() throws {
        let schema = try Schema([
            Entity("Guest") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("room", to: "Room", inverse: "guest")
            },
            Entity("Room") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("guest", to: "Guest", inverse: "room")
            },
        ])
        self.schema = schema
        devices = try ["phone", "laptop", "tablet"].map { try Device($0, InMemoryAdapter(schema: schema)) }
    }

    private func syncAll(_ policies: SyncPolicies) async throws {
        for device in devices { try await device.sync(with: remote, policies) }
    }

    @Test(arguments: [SyncPolicies(.localWins), SyncPolicies(.remoteWins), SyncPolicies(.leaveOpen)])
    func devicesAgreeOnWhoHasTheRoom(_ policies: SyncPolicies) async throws {
        try await devices[0].edit { changes, schema in
            try changes.put(Record("Room", in: schema, ["id": 1]))
            for id in [1, 2, 3] as [Value] { try changes.put(Record("Guest", in: schema, ["id": id])) }
        }
        try await syncAll(policies)
        try await syncAll(policies)
        for (device, guest) in zip(devices, [3, 1, 2] as [Value]) {
            try await device.edit { changes, _ in changes.update(RecordID("Guest", guest), ["room": 1]) }
        }
        for _ in 1...3 { try await syncAll(policies) }
        // A later edit of a guest must not give the room back to it.
        for id in [1, 2, 3] as [Value] {
            try await devices[2].edit { changes, _ in changes.update(RecordID("Guest", id), ["name": "Ada"]) }
        }
        for _ in 1...3 { try await syncAll(policies) }
        let fresh = try Device("fresh", InMemoryAdapter(schema: schema))
        for device in devices + [fresh] { #expect(try await device.sync(with: remote, policies).isSynced) }
        try await expectEqualContents(of: (devices + [fresh]).map(\.store))
        let holders = try await fresh.store.read { try $0.records(Query("Guest", where: Field("room") == 1)) }
        #expect(holders.count == 1)
    }

    /// The guests have rooms 1 to 3 and change them in a circle, which is no conflict of anybody.
    @Test(arguments: [1, 2, 100], [false, true])
    func guestsWhoChangeTheirRoomsKeepThem(pageRecords: Int, hasObjects: Bool) async throws {
        let limits = SyncLimits(pageRecords: pageRecords)
        let remote: any Remote =
            hasObjects
            ? ObjectRemote(InMemoryObjects(), account: "ada", limits: limits, makeName: Planner.names("object"))
            : SyncService(InMemoryAdapter(schema: schema), account: "ada", limits: limits)
        try await devices[0].edit { changes, schema in
            for id in [1, 2, 3] as [Value] {
                try changes.put(Record("Room", in: schema, ["id": id]))
                try changes.put(Record("Guest", in: schema, ["id": id, "room": id]))
            }
        }
        for device in devices + devices { try await device.sync(with: remote, SyncPolicies(.localWins)) }
        try await devices[0].edit { changes, _ in
            for (guest, room) in [(1, 2), (2, 3), (3, 1)] as [(Value, Value)] {
                changes.update(RecordID("Guest", guest), ["room": room])
            }
        }
        for device in devices + devices {
            let outcome = try await device.sync(with: remote)
            #expect(outcome.conflicts.isEmpty && outcome.isSynced, "\(outcome)")
        }
        for device in devices {
            let rooms = try await device.store.read { try $0.records(Query("Guest")).map { $0["room"] } }
            #expect(rooms == [2, 3, 1])
        }
        // Only the first device has made changes.
        #expect(try await devices[1].sync(with: remote).trace.pushedCount == 0)
    }
}
