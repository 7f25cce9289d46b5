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

/// A type with a color that it encodes as null if it has none, or if it does not know the stored one.
private struct Badge: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var color: Color?

    enum CodingKeys: CodingKey { case id, name, color }

    init(id: Int, name: String) { (self.id, self.name) = (id, name) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        color = try? container.decodeIfPresent(Color.self, forKey: .color)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        if let color { try container.encode(color, forKey: .color) } else { try container.encodeNil(forKey: .color) }
    }
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
            Entity("Badge") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
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
        try pulled.put(Record("Badge", in: schema, ["id": 1, "name": "a", "color": "green"]))
        try await store.commit(pulled)
    }

    private func stored(_ name: String, of entity: String = "Profile") async throws -> Value {
        try #require(try await store.read { try $0.record(RecordID(entity, 1)) })[name]
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

    @Test func nullOfTheFirstElementOfABatchDoesNotReplaceValuesOfOthers() async throws {
        let badges = try await store.collection(of: Badge.self, entity: "Badge")
        var badge = try #require(try await badges.element(1))
        badge.name = "b"
        try await badges.upsert(contentsOf: [Badge(id: 2, name: "new"), badge])
        #expect(try await stored("name", of: "Badge") == "b")
        #expect(try await stored("color", of: "Badge") == "green")
    }
}
