import EntitySync
import SyncPersistence
import Testing

@Suite struct DeepPayloadTests {
    private let schema: Schema

    init() throws {
        schema = try Schema {
            Entity("Folder") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("parent", to: "Folder", inverse: "children")
                Relationship("children", toMany: "Folder", inverse: "parent")
            }
        }
    }

    /// A folder within so many others.
    private func folders(_ count: Int) -> Value {
        var folder: Value = ["id": 0]
        for id in 1..<count { folder = ["id": .integer(Int64(id)), "children": [folder]] }
        return folder
    }

    @Test func valuesAreSyncedAsDeepAsJSONIsRead() async throws {
        let store = InMemoryAdapter(schema: schema)
        // An object and an array each, within the last object.
        try await store.sync(folders(256), into: "Folder")
        let count = try await store.read { try $0.count(Query("Folder")) }
        #expect(count == 256)
    }

    @Test(arguments: [257, 5_000])
    func deeperValuesAreRefused(count: Int) async throws {
        let store = InMemoryAdapter(schema: schema)
        let payload = folders(count)
        try await store.sync(["id": 0], into: "Folder")
        let calls: [() async throws -> Void] = [
            { try await store.sync(payload, into: "Folder") },
            { try await store.insertOrUpdate(payload, into: "Folder") },
            { try await store.update("Folder", 0, with: payload) },
        ]
        for call in calls {
            let error = await #expect(throws: PersistenceError.self) { try await call() }
            #expect(error?.code == .tooDeep)
            #expect(
                error?.message
                    == "the payload has more than 512 arrays and objects in each other: sync its objects side by side, "
                    + "each with the key of the one that it belongs to")
        }
        let keys = try await store.read { try $0.keys(of: "Folder") }
        #expect(keys == [0])
    }
}
