import PostgreSQLPersistence
import PostgreSQLTestSupport
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// Servers that stop, and others that take their place.
@Suite(.needsPostgreSQL) struct FailoverTests {
    private func store(_ name: String, _ connection: String) async throws -> PostgreSQLAdapter {
        try await PostgreSQLAdapter.open(connection: connection, namespace: name, schema: ServiceWorld.schema)
    }

    @Test func standbyIsReadOnlyUntilItTakesThePrimarysPlace() async throws {
        let primary = try TestCluster()
        let standby = try primary.standby()
        // A commit waits until the standby has it.
        try primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try primary.sql("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
        try primary.sql("SELECT pg_reload_conf()")
        while try primary.sql("SHOW synchronous_standby_names") != ["*"] {}
        let store = try await store(
            "failover", "host=\(primary.folder),\(standby.folder) user=postgres dbname=postgres")
        let service = ServiceWorld(store).service
        var phone = try await HandDevice("phone", to: service)
        #expect(try await phone.push(.insert("Tag", "a")) == [.ok])
        phone.number += 1
        let request = phone.request([.insert("Tag", "b")])
        try primary.stop()
        for _ in 0..<2 {
            #expect(try await store.read { try $0.keys(of: "Tag") } == ["a"])
            let error = await #expect(throws: PersistenceError.self) { try await service.push(request) }
            #expect(error?.code == .readOnly)
            #expect(error?.description.contains("try again after the failover") == true)
        }
        try standby.promote()
        let response = try await service.push(request)
        #expect(response.outcomes == [.ok])
        #expect(try await service.push(request) == response)
        #expect(try await store.read { try $0.keys(of: "Tag") } == ["a", "b"])
        await store.close()
    }

    @Test func serverThatStopsAcceptsNoConnectionsAndIsUsedAgainAfterwards() async throws {
        let cluster = try TestCluster()
        let store = try await store("stopping", cluster.connection)
        let service = ServiceWorld(store).service
        var phone = try await HandDevice("phone", to: service)
        #expect(try await phone.push(.insert("Tag", "a")) == [.ok])
        try cluster.beginToStop()
        // The open connection is served to its end.
        #expect(try await phone.push(.insert("Tag", "b")) == [.ok])
        let late = await #expect(throws: PersistenceError.self) {
            try await self.store("stopping", cluster.connection)
        }
        #expect(late?.code == .cannotConnect)
        try cluster.stop()
        try cluster.start()
        // All connections were lost between two transactions.
        #expect(try await phone.push(.insert("Tag", "c")) == [.ok])
        #expect(try await store.read { try $0.keys(of: "Tag") } == ["a", "b", "c"])
        await store.close()
    }
}
