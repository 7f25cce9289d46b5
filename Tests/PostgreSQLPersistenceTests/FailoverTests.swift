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
        var numbers = store.sequences().makeAsyncIterator()
        var number = await numbers.next()
        #expect(try await store.read { try $0.sequence } == number)
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
        // The standby refuses to announce commits, which does not end the observation of them.
        let last = try await store.read { try $0.sequence }
        while let known = number, known < last { number = await numbers.next() }
        #expect(number == last)
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

    @Test(arguments: [false, true])
    func commitThatAnotherServerDoesNotHaveIsNotReportedAsStored(reachesServer: Bool) async throws {
        let first = try TestCluster()
        await (try store("replaced", first.connection)).close()
        let second = try first.copy()
        let proxy = try CuttingProxy(first)
        let direct = try await store("replaced", second.connection)
        // There, other transactions get the numbers of those that only the first server has.
        try second.sql("DO $$ BEGIN FOR i IN 1..500 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$")
        var codes: [PersistenceError.Code] = []
        var position = 0
        while true {
            proxy.lead(to: first)
            let store = try await store("replaced", proxy.connection)
            let tag = Value.string("\(position)")
            var changes = ChangeSet()
            changes.put(Record(ServiceWorld.schema["Tag"]!, ["name": tag]))
            proxy.cut(after: position, reachesServer: reachesServer, successor: second)
            var isStored = true
            do {
                try await store.commit(changes)
            } catch let error as PersistenceError {
                codes.append(error.code)
                isStored = false
            }
            let wasCut = proxy.hasCut()
            await store.close()
            if !wasCut { break }
            #expect(
                try await direct.read { try $0.record(RecordID("Tag", tag)) != nil } == isStored, "\(position)")
            position += 1
        }
        #expect(Set(codes) == [.cannotConnect, .connectionLost, .unknownOutcome])
        await direct.close()
    }
}
