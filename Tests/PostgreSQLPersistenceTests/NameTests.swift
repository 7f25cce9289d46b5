import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import Testing

/// Names that PostgreSQL does not allow, or would read as SQL.
@Suite(.needsPostgreSQL) struct NameTests {
    private static let long = String(repeating: "a long name, ", count: 16)

    private static let names = [
        "\"; drop table", "'; DROP SCHEMA public; --", "$1", "a\0b", "a\u{2400}b", "ü" + long, long + "1", long + "2",
        String(repeating: "名", count: 21), String(repeating: "名", count: 22), "due", "due.seconds", "due.text",
        "tableoid", "ctid", "xmin",
    ]

    @Test func entitiesAttributesAndRelationshipsMayHaveAnyName() async throws {
        let cluster = try TestCluster.shared
        let schema = try Schema(
            Self.names.map { name in
                Entity(
                    name,
                    attributes: [Attribute("id", .integer, isPrimaryKey: true)]
                        + Self.names.enumerated().map {
                            Attribute($1, $0 % 3 == 0 ? .date : $0 % 3 == 1 ? .string : .json, isIndexed: $0 % 3 < 2)
                        },
                    relationships: [Relationship("to " + name, to: name), Relationship("all " + name, toMany: name)])
            })
        let store = try await cluster.store(schema, in: "\"; drop schema public; --")
        for name in Self.names {
            var changes = ChangeSet()
            var values: [String: Value] = ["id": 1, "to " + name: 1]
            for (number, attribute) in Self.names.enumerated() where number % 3 == 1 {
                values[attribute] = .string(name)
            }
            changes.put(Record(schema[name]!, values))
            changes.link(RecordID(name, 1), "all " + name, to: 1)
            try await store.commit(changes)
        }
        await store.close()
        let again = try await cluster.store(schema, in: "\"; drop schema public; --")
        for name in Self.names {
            let record = try await again.read { try $0.record(RecordID(name, 1)) }
            #expect(record?[Self.names[1]] == .string(name))
            #expect(try await again.read { try $0.related(RecordID(name, 1), "all " + name) } == [1])
            let query = Query(name, where: Field(Self.names[1]) == .string(name), sort: [Query.SortKey(Self.names[0])])
            #expect(try await again.read { try $0.count(query) } == 1)
        }
        await again.close()
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
        let store = try await TestCluster.shared.store(Schema(isAdded ? [entities[0]] : entities))
        if isAdded { try await store.add([entities[1]]) }
        for entity in entities {
            var changes = ChangeSet()
            changes.put(try Record(entity.name, in: store.schema, ["id": 1, "key": "a"]))
            try await store.commit(changes)
            #expect(try await store.read { try $0.keys(of: entity.name, where: Field("key") == "a") } == [1])
        }
        await store.close()
    }

    @Test(arguments: ["public", "a b", "Robert'); DROP TABLE Note;--", "\"", "ü", String(repeating: "n", count: 63)])
    func namespaceMayHaveAnyNameThatPostgreSQLAllows(name: String) async throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let store = try await TestCluster.shared.store(schema, in: name)
        let numbers = store.sequences()
        var changes = ChangeSet()
        changes.put(Record(schema["Note"]!, ["id": 1]))
        let commit = try await store.commit(changes)
        for await number in numbers where number == commit.sequence { break }
        #expect(try await store.read { try $0.keys(of: "Note") } == [1])
        await store.close()
    }
}
