import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import TestSupport
import Testing

/// Statements that are sent together.
@Suite(.needsPostgreSQL) struct PipelineTests {
    @Test func statementThatFailsAmongOthersIsReportedAndLeavesTheConnectionUsable() async throws {
        let cluster = try TestCluster.shared
        var options = PostgreSQLPool.Options()
        options.writerCount = 1
        let pool = try PostgreSQLPool(cluster.connection, options: options)
        var stores: [PostgreSQLAdapter] = []
        // Together they have more statements than the connection keeps, so that others are removed meanwhile.
        for number in 0..<24 {
            stores.append(
                try await PostgreSQLAdapter.open(
                    on: pool, namespace: "constrained \(number)", schema: Authorship.schema))
            try cluster.sql("ALTER TABLE \"constrained \(number)\".\"Tag\" ADD CONSTRAINT odd CHECK (id % 2 = 1)")
        }
        for round in [1, 3, 5] as [Int64] {
            for store in stores {
                let error = await #expect(throws: PersistenceError.self) {
                    var changes = Authorship.tag(round + 1)
                    changes.put(Record(Authorship.schema["Post"]!, ["id": .integer(round)]))
                    changes.put(Record(Authorship.schema["User"]!, ["id": .integer(round)]))
                    try await store.commit(changes)
                }
                #expect(error?.code.description == "constraint")
                #expect(error?.description.contains("constraint \"odd\"") == true)
                try await store.commit(Authorship.tag(round))
                try await store.read { (transaction) throws -> Void in
                    #expect(try transaction.keys(of: "Tag").last == .integer(round))
                    #expect(try transaction.count(Query("Post")) + transaction.count(Query("User")) == 0)
                }
            }
        }
        // The server has no statements that the connection has forgotten.
        try cluster.sql(
            """
            CREATE TABLE "constrained 0".counted AS SELECT 0 AS number;
            CREATE FUNCTION "constrained 0".note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE "constrained 0".counted SET number = (SELECT count(*) FROM pg_catalog.pg_prepared_statements);
                RETURN NULL;
            END $$;
            CREATE TRIGGER note AFTER INSERT ON "constrained 0"."Tag" FOR EACH ROW EXECUTE FUNCTION "constrained 0".note();
            """)
        try await stores[0].commit(Authorship.tag(7))
        #expect(try cluster.sql("SELECT number BETWEEN 200 AND 256 FROM \"constrained 0\".counted") == ["t"])
        await pool.close()
    }

    @Test func manyLargeStatementsAreSentTogether() async throws {
        let schema = try Schema {
            for name in ["A", "B", "C"] {
                Entity(name) {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                }
            }
        }
        let store = try await TestCluster.shared.store(schema)
        // More than the buffers of a socket hold, in both directions.
        for text in ["a", "b"] {
            let text = Value.string(String(repeating: text, count: 50_000))
            var changes = ChangeSet()
            for name in ["A", "B", "C"] {
                for number in 0..<200 as Range<Int64> {
                    changes.put(Record(schema[name]!, ["id": .integer(number), "text": text]))
                }
            }
            #expect(try await store.commit(changes).changes.count == 600)
            for name in ["A", "B", "C"] {
                #expect(try await store.read { try $0.records(Query(name)) }.allSatisfy { $0["text"] == text })
            }
        }
        await store.close()
    }
}
