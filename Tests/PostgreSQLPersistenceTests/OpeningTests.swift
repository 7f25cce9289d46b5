import Dispatch
import Foundation
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import TestSupport
import Testing

@Suite(.needsPostgreSQL) struct OpeningTests {
    private func error(_ connection: String, _ namespace: String = "opening") async throws -> PersistenceError? {
        await #expect(throws: PersistenceError.self) {
            _ = try await PostgreSQLAdapter.open(
                connection: connection, namespace: namespace, schema: Authorship.schema)
        }
    }

    @Test func malformedConnectionStringIsRefusedWithoutItsPassword() async throws {
        for text in ["postgres://me:secret@host:5432/db?nonsense=1", "host=h password='secret", "secret", "a\0b"] {
            let error = try await error(text)
            #expect(error?.code == .cannotConnect)
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func missingServerIsReportedWithTheRemedy() async throws {
        let error = try await error("host=/nowhere user=postgres password=secret")
        #expect(error?.code == .cannotConnect)
        #expect(error?.description.contains("see that the server runs") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: ["", "pg_own", "a\0b", String(repeating: "n", count: 64)])
    func namespaceThatPostgreSQLDoesNotAllowIsRefused(name: String) async throws {
        #expect(try await error(TestCluster.shared.connection, name)?.code == .unknownName)
    }

    @Test func namespaceOfAnotherProgramIsLeftAlone() async throws {
        let cluster = try TestCluster.shared
        try cluster.sql("CREATE SCHEMA foreigner CREATE TABLE thing (id int)")
        #expect(try await error(cluster.connection, "foreigner")?.code == .foreignNamespace)
        #expect(
            try cluster.sql("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'foreigner'") == ["1"])
    }

    @Test func storeOfALaterFormatIsRefused() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Authorship.schema, in: "later format")
        await store.close()
        try cluster.sql("UPDATE \"later format\".\"sync.layout\" SET value = '99' WHERE name = 'format'")
        let error = try await error(cluster.connection, "later format")
        #expect(error?.code == PersistenceError.Code("newerFormat"))
        #expect(error?.description.contains("update this program") == true)
    }

    @Test(arguments: ["schema", "names", "digestSeed", "version"])
    func damagedLayoutIsReported(row: String) async throws {
        let cluster = try TestCluster.shared
        let name = "damaged \(row)"
        let store = try await cluster.store(Authorship.schema, in: name)
        await store.close()
        for change in ["UPDATE \"\(name)\".\"sync.layout\" SET value = '{'", "DELETE FROM \"\(name)\".\"sync.layout\""]
        {
            try cluster.sql("\(change) WHERE name = '\(row)'")
            let error = try await error(cluster.connection, name)
            #expect(error?.code == .unreadable)
            #expect(error?.description.contains("the row '\(row)'") == true)
        }
    }

    @Test func userWithoutRightsGetsAnErrorThatSaysSo() async throws {
        let cluster = try TestCluster.shared
        try cluster.sql("CREATE ROLE visitor LOGIN")
        let connection = "host=\(cluster.folder) user=visitor dbname=postgres"
        #expect(try await error(connection, "visited")?.code == .notPermitted)
        let store = try await cluster.store(Authorship.schema, in: "visited")
        try cluster.sql(
            "GRANT USAGE ON SCHEMA visited TO visitor; GRANT SELECT ON ALL TABLES IN SCHEMA visited TO visitor")
        let reader = try await PostgreSQLAdapter.open(
            connection: connection, namespace: "visited", schema: Authorship.schema)
        try await store.commit(Authorship.tag(1))
        #expect(try await reader.read { try $0.count(Query("Tag")) } == 1)
        let refusal = await #expect(throws: PersistenceError.self) { try await reader.commit(Authorship.tag(2)) }
        #expect(refusal?.code == .notPermitted)
        await reader.close()
        await store.close()
    }

    @Test func pingThrowsWhileTheServerDoesNotAnswer() async throws {
        let cluster = try TestCluster.shared
        let pool = try PostgreSQLPool(cluster.connection + " application_name=pinging")
        try await pool.ping()
        let processes = try cluster.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'pinging'")
        let process = try #require(processes.compactMap { Int32($0) }.first)
        kill(process, SIGSTOP)
        let error = await #expect(throws: PersistenceError.self) { try await pool.ping(within: .milliseconds(100)) }
        #expect(error?.code == .connectionLost)
        #expect(error?.description.contains("has not answered in time") == true)
        kill(process, SIGCONT)
        try await pool.ping()
        // A connection that was lost since is replaced.
        try cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pinging'")
        try await pool.ping()
        await pool.close()
        await #expect(throws: PersistenceError.self) { try await pool.ping() }
        let missing = try PostgreSQLPool("host=/nowhere user=postgres")
        let refusal = await #expect(throws: PersistenceError.self) { try await missing.ping() }
        #expect(refusal?.code == .cannotConnect)
        await missing.close()
    }

    @Test func storesOfOnePoolStayOpenUntilThePoolIsClosed() async throws {
        let pool = try PostgreSQLPool(TestCluster.shared.connection)
        var stores: [PostgreSQLAdapter] = []
        for number in 0..<12 {
            stores.append(
                try await PostgreSQLAdapter.open(on: pool, namespace: "of a pool \(number)", schema: Authorship.schema))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                for key in 0..<5 as Range<Int64> { group.addTask { try await store.commit(Authorship.tag(key)) } }
            }
            try await group.waitForAll()
        }
        await stores[0].close()
        #expect(try await stores[1].read { try $0.count(Query("Tag")) } == 5)
        await pool.close()
        let error = await #expect(throws: PersistenceError.self) { try await stores[1].commit(Authorship.tag(9)) }
        #expect(error?.code == .closed)
        await stores[1].close()
    }

    @Test func manyWritesThatWaitForAClosedPoolEndWithAnError() async throws {
        let pool = try PostgreSQLPool(TestCluster.shared.connection)
        let store = try await PostgreSQLAdapter.open(
            on: pool, namespace: "of a closed pool", schema: Authorship.schema)
        let (begun, gate) = (Signal(), DispatchSemaphore(value: 0))
        let holder = Task {
            try await store.write { _ in
                begun.send()
                gate.wait()
            }
        }
        await begun.wait()
        let waiting = (0..<20_000 as Range<Int64>).map { key in Task { try await store.commit(Authorship.tag(key)) } }
        let closing = Task { await pool.close() }
        // The readers are closed first, and then the writers refuse more work.
        while true {
            do { try await store.read { _ in } } catch { break }
        }
        gate.signal()
        _ = try await holder.value
        await closing.value
        var codes: Set<String> = []
        for task in waiting {
            if case .failure(let error as PersistenceError) = await task.result { codes.insert(error.code.description) }
        }
        #expect(codes == ["closed"])
        await store.close()
    }

    @Test func databaseWithAnotherEncodingIsRefused() async throws {
        let cluster = try TestCluster.shared
        try cluster.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        let connection = cluster.connection.replacingOccurrences(of: "dbname=postgres", with: "dbname=latin")
        let error = try await error(connection)
        #expect(error?.code == .unsupportedServer)
        #expect(error?.description.contains("the database the encoding LATIN1") == true)
    }
}
