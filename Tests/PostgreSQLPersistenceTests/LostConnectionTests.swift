import Foundation
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import TestSupport
import Testing

@Suite(.needsPostgreSQL) struct LostConnectionTests {
    /// Ends all connections that use a store, as an administrator or a crash would.
    private static func endConnections(of name: String) throws {
        try TestCluster.shared.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
    }

    private func store(named name: String) async throws -> PostgreSQLAdapter {
        try await PostgreSQLAdapter.open(
            connection: TestCluster.shared.connection + " application_name=\(name)", namespace: name,
            schema: Authorship.schema)
    }

    @Test func connectionThatIsLostBetweenTransactionsIsReplaced() async throws {
        let store = try await store(named: "between")
        for key in 1...3 as ClosedRange<Int64> {
            try await store.commit(Authorship.tag(key))
            #expect(try await store.read { try $0.count(Query("Tag")) } == Int(key))
            try Self.endConnections(of: "between")
        }
        #expect(try await store.read { try $0.count(Query("Tag")) } == 3)
        await store.close()
    }

    @Test func connectionThatIsLostWithinATransactionIsAnErrorAndStoresNothing() async throws {
        let store = try await store(named: "within")
        try await store.commit(Authorship.tag(1))
        for swallowsError in [false, true] {
            let error = await #expect(throws: PersistenceError.self) {
                try await store.write { transaction in
                    try transaction.apply(Authorship.tag(2))
                    try Self.endConnections(of: "within")
                    do {
                        _ = try transaction.count(Query("Tag"))
                    } catch {
                        if !swallowsError { throw error }
                    }
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(error?.description.contains("nothing of this transaction is stored; try again") == true)
        }
        let reading = await #expect(throws: PersistenceError.self) {
            try await store.read { transaction in
                try Self.endConnections(of: "within")
                return try transaction.count(Query("Tag"))
            }
        }
        #expect(reading?.code == .connectionLost)
        try await store.commit(Authorship.tag(3))
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1, 3])
        await store.close()
    }

    @Test(arguments: [false, true])
    func connectionThatIsCutAnywhereLeavesTheStateThatTheCallHasReported(reachesServer: Bool) async throws {
        let cluster = try TestCluster.shared
        let proxy = try CuttingProxy(cluster)
        let name = "cut \(reachesServer)"
        let direct = try await cluster.store(Authorship.schema, in: name)
        let store = try await PostgreSQLAdapter.open(
            connection: proxy.connection, namespace: name, schema: Authorship.schema)
        try await store.commit(Authorship.tag(-1))
        var (key, succeeded, failed) = (0 as Int64, 0, 0)
        var wasCut = true
        while wasCut {
            key += 1
            let tag = key
            let runs = Locked(0)
            proxy.cut(after: Int(key) - 1, reachesServer: reachesServer)
            var isStored = true
            do {
                let outcome = try await store.write { transaction in
                    runs.withLock { $0 += 1 }
                    try transaction.apply(Authorship.tag(tag))
                    return try transaction.count(Query("Tag"))
                }
                #expect(outcome.commit.inserted == [RecordID("Tag", .integer(tag))])
                succeeded += 1
            } catch let error as PersistenceError {
                // After a failure, the next transaction begins with a new connection, which may be cut too.
                #expect(error.code == .connectionLost || error.code == .cannotConnect)
                isStored = false
                failed += 1
            }
            wasCut = proxy.hasCut()
            #expect(runs.current < 2)
            #expect(
                try await direct.read { try $0.record(RecordID("Tag", .integer(tag))) != nil } == isStored, "\(key)")
        }
        // Before the body, the transaction begins again; after the commit, the server is asked.
        #expect(failed > 4)
        #expect(succeeded > (reachesServer ? 2 : 1))
        await store.close()
        await direct.close()
    }

    @Test func connectionThatIsLostDuringTheCommitIsResolvedByAskingTheServer() async throws {
        let store = try await store(named: "committing")
        try await store.commit(Authorship.tag(1))
        let cluster = try TestCluster.shared
        // The connection ends during the commit, when the server checks deferred constraints.
        try cluster.sql(
            """
            CREATE FUNCTION committing.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid()); RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON committing."Tag" DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION committing.wait();
            """)
        let error = await #expect(throws: PersistenceError.self) { try await store.commit(Authorship.tag(2)) }
        #expect(error?.code == .connectionLost)
        try cluster.sql("DROP TRIGGER wait ON committing.\"Tag\"")
        try await store.commit(Authorship.tag(3))
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1, 3])
        await store.close()
    }

    @Test func commitThatTheServersCrashHasUndoneIsNotReportedAsStored() async throws {
        let cluster = try TestCluster(options: "-c bgwriter_lru_maxpages=0")
        let proxy = try CuttingProxy(cluster)
        let store = try await PostgreSQLAdapter.open(
            connection: proxy.connection, namespace: "crashed", schema: Authorship.schema)
        try await store.commit(Authorship.tag(1))
        try cluster.sql(
            """
            CREATE FUNCTION crashed.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid()); RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON crashed."Tag" DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION crashed.wait();
            """)
        @Sendable func walWriter() -> Int32? {
            (try? cluster.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"))?.first.flatMap {
                Int32($0)
            }
        }
        // From now on, the log on disk has only what other transactions have committed.
        let writer = try #require(walWriter())
        kill(writer, SIGSTOP)
        proxy.beforeNextConnection {
            kill(writer, SIGKILL)
            while [nil, writer].contains(walWriter()) {}
            // The server has forgotten the transaction's number, and gives it to another one.
            _ = try? cluster.sql(
                "DO $$ BEGIN FOR i IN 1..500 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$")
        }
        let error = await #expect(throws: PersistenceError.self) { try await store.commit(Authorship.tag(2)) }
        #expect(error?.code == .unknownOutcome)
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1])
        await store.close()
    }

    @Test func serverThatRestartsIsUsedAgain() async throws {
        let cluster = try TestCluster()
        let store = try await cluster.store(Authorship.schema, in: "restarted")
        let numbers = store.sequences()
        var iterator = numbers.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        let first = try await store.commit(Authorship.tag(1))
        #expect(await iterator.next() == first.sequence)
        let within = await #expect(throws: PersistenceError.self) {
            try await store.write { transaction in
                try transaction.apply(Authorship.tag(2))
                try cluster.stop()
            }
        }
        #expect(within?.code == .connectionLost)
        for _ in 0..<2 {
            let stopped = await #expect(throws: PersistenceError.self) { try await store.commit(Authorship.tag(2)) }
            #expect(stopped?.code == .cannotConnect)
            let reading = await #expect(throws: PersistenceError.self) {
                try await store.read { try $0.keys(of: "Tag") }
            }
            #expect(reading?.code == .cannotConnect)
        }
        try cluster.start()
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1])
        let last = try await store.commit(Authorship.tag(3))
        // The commit may have been made before the announcements were received again.
        #expect(await iterator.next() == last.sequence)
        await store.close()
        #expect(await iterator.next() == nil)
    }
}
