import DifferentialSyncTesting
import Foundation
import StoreSync
import Testing

/// The size of a record, by which a device plans and a service checks.
@Suite struct MessageSizeTests {
    @Test func aDeviceAndAServiceAgreeOnTheSizeOfALongURL() async throws {
        let schema = try Schema([
            Entity("Page") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("address", .url)
            }
        ])
        let phone = try Device("phone", InMemoryAdapter(schema: schema))
        let limits = SyncLimits(bytes: 200)
        let service = SyncService(
            InMemoryAdapter(schema: schema), account: "ada", limits: limits, makeName: Planner.names("epoch"))
        let address = try #require(URL(string: "https://example.org/" + String(repeating: "x", count: 300)))
        try await phone.edit { changes, schema in
            try changes.put(Record("Page", in: schema, ["id": 1, "address": .url(address)]))
        }
        #expect(try await phone.sync(with: service).refused.map(\.code) == ["tooLarge"])
        // A larger limit accepts it, which is so for the device's own refusal only.
        let larger = SyncService(
            InMemoryAdapter(schema: schema), account: "ada", makeName: Planner.names("epoch"))
        #expect(try await phone.sync(with: larger).isSynced)
    }
}
