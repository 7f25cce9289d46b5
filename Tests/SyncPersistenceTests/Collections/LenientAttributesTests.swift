import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

private enum Color: String, Codable {
    case red, blue
}

/// A type with an attribute of JSON, of which it reads a part, and a color that it reads as nothing if it does not know it.
private struct Profile: Codable, Identifiable, Equatable, Sendable {
    struct Settings: Codable, Equatable, Sendable { var theme: String }

    var id: Int
    var name: String
    var settings: Settings?
    var tags: [String]?
    var color: Color?

    init(id: Int, name: String) { (self.id, self.name) = (id, name) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        settings = try container.decodeIfPresent(Settings.self, forKey: .settings)
        tags = try container.decodeIfPresent([String].self, forKey: .tags)
        color = try? container.decodeIfPresent(Color.self, forKey: .color)
    }
}

/// The same attributes, with tags in any order.
private struct Tagged: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var tags: Set<String>?
}

/// Attributes whose values types read in part, or as others.
struct LenientAttributesTests {
    private let store: InMemoryAdapter

    init() async throws {
        let schema = try Schema {
            Entity("Profile") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("settings", .json)
                Attribute("tags", .json)
                Attribute("color", .string)
            }
        }
        store = InMemoryAdapter(schema: schema)
        var pulled = ChangeSet(origin: .remote)
        try pulled.put(
            Record(
                "Profile", in: schema,
                [
                    "id": 1, "name": "a", "settings": ["theme": "dark", "zoom": 2], "tags": ["x", "y"],
                    "color": "green",
                ]))
        try pulled.put(Record("Profile", in: schema, ["id": 3, "name": "a", "color": "green"]))
        try await store.commit(pulled)
    }

    private func stored(_ name: String, _ id: Value = 1) async throws -> Value {
        try #require(try await store.read { try $0.record(RecordID("Profile", id)) })[name]
    }

    @Test func anUndoneEditOfJSONBringsTheWholeValueBack() async throws {
        let profiles = try await store.collection(of: Profile.self, entity: "Profile")
        try await profiles.edit(1) { $0.settings?.theme = "light" }
        try await profiles.edit(1) { $0.settings?.theme = "dark" }
        #expect(try await stored("settings") == ["theme": "dark", "zoom": 2])
        #expect(try await store.read { try $0.journal(of: "Profile") }.isEmpty)
    }

    @Test func anUndoneEditKeepsTheOrderThatAnotherTypeHasEdited() async throws {
        try await store.collection(of: Profile.self, entity: "Profile").edit(1) { $0.tags = ["y", "x"] }
        let tagged = try await store.collection(of: Tagged.self, entity: "Profile")
        for name in ["b", "a"] { try await tagged.edit(1) { $0.name = name } }
        #expect(try await stored("tags") == ["y", "x"])
        #expect(try await !store.read { try $0.journal(of: "Profile") }.isEmpty)
    }

    @Test func absentValuesOfTheFirstElementOfABatchDoNotReplaceThoseOfOthers() async throws {
        let profiles = try await store.collection(of: Profile.self, entity: "Profile")
        var profile = try #require(try await profiles.element(3))
        profile.name = "b"
        try await profiles.upsert(contentsOf: [Profile(id: 2, name: "new"), profile])
        #expect(try await stored("name", 3) == "b")
        #expect(try await stored("color", 3) == "green")
    }
}
