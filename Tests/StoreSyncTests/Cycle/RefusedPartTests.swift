import DifferentialSync
import StoreSync
import TestSupport
import Testing

/// Refused records that are sent without some of their values.
@Suite(.needsServiceStore) struct RefusedPartTests {
    private let schema: Schema

    init() throws {
        schema = try Schema([
            Entity("Folder") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("color", .string)
                Relationship("parent", to: "Folder", inverse: "children")
                Relationship("children", toMany: "Folder", inverse: "parent")
            }
        ])
    }

    /// Returns a service that refuses each folder without a name three times at most, so that no cycle is endless.
    private func service(_ schema: Schema) -> (service: SyncService, count: Locked<Int>) {
        let count = Locked(0)
        let review = Review { change, _ in
            guard change.new?["name"] == .null else { return .accept }
            return count.next() > 3 ? .accept : .refuse(code: "name", reason: "a folder has a name")
        }
        let limits = SyncLimits(pushRecords: 1)
        return (
            SyncService(
                ServiceStores.make(schema), account: "ada", limits: limits, review: review,
                makeName: Planner.names("epoch")), count
        )
    }

    @Test func aRefusedFolderOfACircleIsSentOnce() async throws {
        let phone = try Device("phone", ServiceStores.make(schema))
        let (service, count) = service(schema)
        try await phone.edit { changes, schema in
            for (id, parent) in [(1, 3), (2, 1), (3, 2)] as [(Value, Value)] {
                try changes.put(Record("Folder", in: schema, ["id": id, "parent": parent]))
            }
        }
        for _ in 1...2 {
            #expect(try await phone.sync(with: service).refused.count == 1)
            #expect(count.current == 1)
        }
    }

    @Test func aRefusedFolderWithAValueThatTheServiceHasNoPlaceForIsSentOnce() async throws {
        let phone = try Device("phone", ServiceStores.make(schema))
        let (service, count) = service(
            try Schema([
                Entity("Folder") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                    Relationship("parent", to: "Folder", inverse: "children")
                    Relationship("children", toMany: "Folder", inverse: "parent")
                }
            ]))
        try await phone.edit { changes, schema in
            try changes.put(Record("Folder", in: schema, ["id": 1, "color": "red"]))
        }
        for _ in 1...2 {
            #expect(try await phone.sync(with: service).refused.map(\.id) == [RecordID("Folder", 1)])
            #expect(count.current == 1)
        }
        // An edit is sent again.
        try await phone.edit { changes, _ in changes.update(RecordID("Folder", 1), ["name": "inbox"]) }
        #expect(try await phone.sync(with: service).refused.isEmpty)
    }
}
