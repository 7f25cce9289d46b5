import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Stores that have a file open while another one changes its schema or its format.
struct OpenStoreSchemaTests {
    private let folder = TemporaryFolder()

    private func open(_ entities: [Entity]) async throws -> SQLiteAdapter {
        try await SQLiteAdapter.open(at: folder.file(), schema: Schema(entities))
    }

    private static func zoo(_ heir: Entity) -> [Entity] {
        [entity("Animal", [Attribute("name", .string)]), heir, entity("Cat", parent: "Animal")]
    }

    private static func user(_ attributes: Attribute...) -> [Entity] { [entity("User", attributes)] }

    /// Each pair needs no statement that creates or changes a table.
    private static let changes: [(String, [Entity], [Entity])] = [
        (
            "a renamed heir", zoo(entity("Dog", parent: "Animal")),
            zoo(entity("Hound", parent: "Animal", renamedFrom: "Dog"))
        ),
        (
            "reordered attributes", user(Attribute("first", .string), Attribute("last", .string)),
            user(Attribute("last", .string), Attribute("first", .string))
        ),
        (
            "a mandatory attribute", user(Attribute("name", .string)),
            user(Attribute("name", .string, isOptional: false))
        ),
        (
            "another default", user(Attribute("name", .string)), user(Attribute("name", .string, default: "Ada"))
        ),
    ]

    @Test(arguments: changes.indices)
    func storeNoticesAChangeOfTheSchemaThatLeavesTheTables(change: Int) async throws {
        let (what, before, after) = Self.changes[change]
        let store = try await open(before)
        let other = try await open(after)
        let entity = before[0].name
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.read { try $0.keys(of: entity) } },
            { try await store.put(before.last?.name ?? "", ["id": 1], origin: .local) },
            { try await store.add([Entity("Tag", attributes: [Attribute("id", .integer, isPrimaryKey: true)])]) },
        ]
        for call in calls {
            let error = await #expect(throws: PersistenceError.self, "\(what)") { try await call() }
            #expect(error?.code == .schemaChange)
            #expect(error?.message.hasPrefix("the file was opened with another schema meanwhile") == true)
        }
        #expect(try store.schema == Schema(before))
        #expect(try await other.keys(entity) == [])
        await store.close()
        await other.close()
    }

    @Test func storeReadsRecordsOfAnHeirThatAnotherHasAdded() async throws {
        let zoo = Self.zoo(entity("Dog", parent: "Animal"))
        let store = try await open(zoo)
        let other = try await open(zoo)
        try await other.add([Entity("Bird", parent: "Animal")])
        try await other.put("Bird", ["id": 3])
        #expect(try await store.read { try $0.records(Query("Animal")) }.map(\.id) == [RecordID("Bird", 3)])
        await store.close()
        await other.close()
    }

    /// The indexes of these entities would have the same names: of the attribute `key` of the first one, and of the key of
    /// the second one.
    private static let likeIndexes = ["Game", "Game.slot"].map { name in
        Entity(
            name,
            attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("key", .string, isIndexed: true)])
    }

    @Test(arguments: [false, true])
    func entityMayHaveANameLikeAnIndexOfAnotherOne(isAdded: Bool) async throws {
        let entities = Self.likeIndexes
        let store = try await open(isAdded ? [entities[0]] : entities)
        if isAdded { try await store.add([entities[1]]) }
        for entity in entities {
            try await store.put(entity.name, ["id": 1, "key": "a"])
            #expect(try await store.read { try $0.keys(of: entity.name, where: Field("key") == "a") } == [1])
        }
        await store.close()
    }

    @Test func storeRefusesAFileThatALaterVersionHasUpdated() async throws {
        let store = try await open(Self.user())
        try await store.put("User", ["id": 1])
        let other = try OtherProgram(folder.file())
        try other.run("CREATE TABLE later (x); PRAGMA user_version = 5")
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.read { try $0.keys(of: "User") } },
            { try await store.put("User", ["id": 2]) },
        ]
        for call in calls {
            let error = await #expect(throws: PersistenceError.self) { try await call() }
            #expect(error?.code == .newerFormat)
        }
        await store.close()
        #expect(try other.texts("SELECT id FROM User") == ["1"])
    }
}
