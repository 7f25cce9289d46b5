import PostgreSQLPersistence
import PostgreSQLTestSupport
import StoreSync
import SyncPersistence
import Testing

/// Pushes whose connection to the database is cut, at each message and in the commit too.
@Suite(.needsPostgreSQL) struct PushResolutionTests {
    /// A service that gives each new task another key each time, so that a task that is inserted twice is found.
    private func service(_ store: some PersistenceAdapter, _ keys: Locked<Int64>) -> SyncService {
        let review = Review { change, _ in
            guard change.new?.entity == "Task", change.old == nil else { return .accept }
            return .amend(
                key: .integer(
                    keys.withLock { last in
                        last += 1
                        return last
                    }))
        }
        return SyncService(store, account: "ada", review: review, makeName: { "epoch" })
    }

    @Test(arguments: [false, true], [false, true])
    func pushIsMadeOnceWhereverItsConnectionIsCut(reachesServer: Bool, canReconnect: Bool) async throws {
        let cluster = try TestCluster.shared
        let proxy = try CuttingProxy(cluster)
        let namespace = "pushed \(reachesServer) \(canReconnect)"
        let direct = try await cluster.store(ServiceWorld.schema, in: namespace)
        let keys = Locked<Int64>(1_000)
        let resolving = service(direct, keys)
        // Each process has its own connections.
        let store = try await PostgreSQLAdapter.open(
            connection: proxy.connection, namespace: namespace, schema: ServiceWorld.schema)
        let cut = service(store, keys)
        var phone = try await HandDevice("phone", to: resolving)
        var (failures, answers, unknownOutcomes) = (0, 0, 0)
        var wasCut = true
        while wasCut {
            phone.number += 1
            let title = Value.string("push \(phone.number)")
            let request = phone.request([
                .insert("Task", .integer(-phone.number), ["title": title]),
                .insert("Tag", .string("tag \(phone.number)"), ["color": title]),
            ])
            proxy.cut(
                after: Int(phone.number) - 1, reachesServer: reachesServer, successor: canReconnect ? cluster : nil)
            var answered: PushResponse?
            do {
                answered = try await cut.push(request)
                answers += 1
            } catch let error as PersistenceError {
                #expect([.connectionLost, .cannotConnect, .unknownOutcome].contains(error.code), "\(error)")
                failures += 1
                if error.code == .unknownOutcome { unknownOutcomes += 1 }
            }
            wasCut = proxy.hasCut()
            proxy.lead(to: cluster)
            // The device sends the same push again, to another process.
            let response = try await resolving.push(request)
            #expect(response.outcomes.allSatisfy { if case .accepted = $0 { true } else { false } })
            if let answered { #expect(response == answered) }
            let tasks = try await direct.read { try $0.records(Query("Task", where: Field("title") == title)) }
            #expect(tasks.count == 1, "push \(phone.number)")
            guard case .accepted(_, let key) = response.outcomes[0] else { continue }
            #expect(key == tasks.first?.key)
            #expect(try await direct.read { try $0.count(Query("Task")) } == Int(phone.number))
            #expect(try await direct.read { try $0.count(Query("Tag")) } == Int(phone.number))
        }
        // The last push is not cut. If the server can be asked, a commit whose answer is lost succeeds.
        #expect(failures > 4 && answers > (reachesServer && canReconnect ? 1 : 0))
        #expect(unknownOutcomes == (canReconnect ? 0 : 1))
        await store.close()
        await direct.close()
    }
}
