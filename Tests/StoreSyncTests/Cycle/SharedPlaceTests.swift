import DifferentialSync
import StoreSync
import Testing

/// Devices that add records to an ordered relationship at the same time.
@Suite(.needsServiceStore) struct SharedPlaceTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws { shared = try SharedPlanner() }

    /// All devices have a project with two tasks.
    private func share(_ devices: [Device]) async throws {
        try await devices[0].edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 1]))
            for id in [1, 2] as [Value] { try changes.put(Record("Task", in: schema, ["id": id, "project": 1])) }
            changes.setLinks(RecordID("Project", 1), "tasks", to: [2, 1])
        }
        for device in devices { try await device.sync(with: service) }
    }

    @Test func recordsThatBothHaveAddedAtTheEndHaveOneOrder() async throws {
        try await share([phone, laptop])
        for (device, key) in [(phone, 9), (laptop, 5)] as [(Device, Value)] {
            try await device.edit { changes, schema in
                try changes.put(Record("Task", in: schema, ["id": key, "project": 1]))
                changes.link(RecordID("Project", 1), "tasks", to: key)
            }
        }
        for device in [phone, laptop, phone] { #expect(try await device.sync(with: service).isSynced) }
        for device in [phone, laptop] {
            #expect(try await device.related("Project", 1, "tasks") == [2, 1, 5, 9])
        }
    }
}
