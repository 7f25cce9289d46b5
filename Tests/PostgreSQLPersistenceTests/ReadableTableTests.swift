import Foundation
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import Testing

/// What other programs find in the tables.
@Suite(.needsPostgreSQL) struct ReadableTableTests {
    private static let schema = try! Schema {
        Entity("Note") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("text", .string)
            Attribute("isDone", .bool)
            Attribute("weight", .double)
            Attribute("price", .decimal)
            Attribute("due", .date, isIndexed: true)
            Attribute("place", .json)
            Attribute("picture", .bytes)
            Attribute("code", .uuid)
            Attribute("page", .url)
        }
    }

    private func stored(_ values: [String: Value], in namespace: String) async throws -> PostgreSQLAdapter {
        let store = try await TestCluster.shared.store(Self.schema, in: namespace)
        var changes = ChangeSet()
        changes.put(Record(Self.schema["Note"]!, values))
        try await store.commit(changes)
        return store
    }

    @Test func valuesHaveTheTypesThatAnAdministratorExpects() async throws {
        let store = try await stored(
            [
                "id": 7, "text": "it's \"milk\"", "isDone": true, "weight": 0.5,
                "price": .decimal(Decimal(string: "9.90")!),
                "due": .date(Date(timeIntervalSince1970: 1_700_000_000.25)), "place": ["b": [1, 2.5, nil], "a": "x"],
                "picture": .bytes(Data([0, 255])),
                "code": .uuid(UUID(uuidString: "00112233-4455-6677-8899-aabbccddeeff")!),
                "page": .url(URL(string: "https://example.org/a?b")!),
            ], in: "readable")
        let cluster = try TestCluster.shared
        let columns = "id, text, \"isDone\", weight, price, due, place, picture, code, page"
        #expect(
            try cluster.sql("SET timezone TO 'UTC'; SELECT \(columns) FROM readable.\"Note\"").last
                == "7|it's \"milk\"|t|0.5|9.9|2023-11-14 22:13:20.25+00|{\"a\": \"x\", \"b\": [1, 2.5, null]}|\\x00ff|"
                + "00112233-4455-6677-8899-aabbccddeeff|https://example.org/a?b")
        let types = try cluster.sql(
            "SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_name COLLATE \"C\") "
                + "FROM information_schema.columns "
                + "WHERE table_schema = 'readable' AND table_name = 'Note' AND column_name NOT LIKE 'sync.%'")
        #expect(
            types == [
                "code uuid, due timestamp with time zone, due.seconds double precision, id bigint, isDone boolean, "
                    + "page text, picture bytea, place jsonb, place.text text, price numeric, text text, "
                    + "weight double precision"
            ])
        await store.close()
    }

    @Test func valuesThatPostgreSQLLacksAreKeptInTheExactColumns() async throws {
        let store = try await stored(
            ["id": 1, "due": .date(Date(timeIntervalSinceReferenceDate: 1e300)), "place": ["a": "\u{0}"]], in: "exact")
        let cluster = try TestCluster.shared
        #expect(
            try cluster.sql("SELECT due IS NULL, place IS NULL, \"due.seconds\" FROM exact.\"Note\"") == ["t|t|1e+300"])
        #expect(
            try await store.read { try $0.record(RecordID("Note", 1))?["due"] }
                == .date(Date(timeIntervalSinceReferenceDate: 1e300)))
        #expect(try await store.read { try $0.record(RecordID("Note", 1))?["place"] } == ["a": "\u{0}"])
        await store.close()
    }

    @Test func arrayThatIsTooLongForPostgreSQLIsKeptInTheExactColumn() async throws {
        let store = try await stored(["id": 1, "place": [1]], in: "long array")
        let cluster = try TestCluster.shared
        try cluster.sql(
            "UPDATE \"long array\".\"Note\" SET \"place.text\" = '[' || repeat('1,', 17000000) || '1]'")
        let columns = "place IS NULL, octet_length(\"place.text\")"
        #expect(try cluster.sql("SELECT \(columns) FROM \"long array\".\"Note\"") == ["t|34000003"])
        await store.close()
    }

    @Test func rowThatAnotherProgramHasDamagedIsReportedWithItsPlace() async throws {
        let store = try await stored(["id": 3, "price": .decimal(1)], in: "damaged row")
        try TestCluster.shared.sql("UPDATE \"damaged row\".\"Note\" SET price = 'NaN'")
        let error = await #expect(throws: PersistenceError.self) {
            try await store.read { try $0.record(RecordID("Note", 3)) }
        }
        #expect(error?.code == .unreadable)
        #expect(error?.property == "price")
        #expect(error?.description.contains("Note 3") == true)
        await store.close()
    }
}
