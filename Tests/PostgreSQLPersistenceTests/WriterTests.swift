import Foundation
import PostgreSQLPersistence
import PostgreSQLTestSupport
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// Several adapters on one store, as several processes have them.
@Suite(.needsPostgreSQL) struct WriterTests {
    private static let counters = try! Schema {
        Entity("Counter") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("count", .integer)
        }
    }

    @Test func writersOfOneStoreLoseNoneOfTheirChanges() async throws {
        let cluster = try TestCluster.shared
        var stores: [PostgreSQLAdapter] = []
        for _ in 0..<3 { stores.append(try await cluster.store(Self.counters, in: "counted")) }
        let commits = stores.map { $0.commits() }
        var changes = ChangeSet()
        changes.put(Record(Self.counters["Counter"]!, ["id": 1, "count": 0]))
        try await stores[0].commit(changes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                for _ in 0..<20 {
                    group.addTask {
                        _ = try await store.write { transaction in
                            guard case .integer(let count)? = try transaction.record(RecordID("Counter", 1))?["count"]
                            else { return }
                            var changes = ChangeSet()
                            changes.update(RecordID("Counter", 1), ["count": .integer(count + 1)])
                            try transaction.apply(changes)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in stores {
            #expect(try await store.read { try $0.record(RecordID("Counter", 1))?["count"] } == 60)
            await store.close()
        }
        // Each observer receives its store's own commits in order, and together they have each number once.
        var all: [Int64] = []
        for stream in commits {
            var own: [Int64] = []
            for await commit in stream { own.append(commit.sequence) }
            #expect(own == own.sorted())
            all += own
        }
        #expect(all.sorted() == Array(1...61))
    }

    @Test func writerWaitsForTheOneBeforeAndReadersForNone() async throws {
        let cluster = try TestCluster.shared
        let first = try await cluster.store(Authorship.schema, in: "waiting")
        let second = try await cluster.store(Authorship.schema, in: "waiting")
        let other = try await cluster.store(Authorship.schema, in: "not waiting")
        let (begun, gate) = (Signal(), DispatchSemaphore(value: 0))
        let holder = Task {
            try await first.write { transaction in
                try transaction.apply(Authorship.tag(1))
                begun.send()
                gate.wait()
            }.commit.sequence
        }
        await begun.wait()
        let waiter = Task { try await second.commit(Authorship.tag(2)).sequence }
        // Readers of the store and writers of another one go on meanwhile.
        for _ in 0..<5 { #expect(try await second.read { try $0.count(Query("Tag")) } == 0) }
        try await other.commit(Authorship.tag(1))
        gate.signal()
        #expect(try await holder.value == 1)
        #expect(try await waiter.value == 2)
        for store in [first, second, other] { await store.close() }
    }

    @Test func writerThatWaitsTooLongOrIsCancelledEndsWithAnError() async throws {
        let cluster = try TestCluster.shared
        let first = try await cluster.store(Authorship.schema, in: "waiting long")
        var options = PostgreSQLPool.Options()
        options.lockTimeout = .milliseconds(100)
        let hasty = try await PostgreSQLAdapter.open(
            connection: cluster.connection, namespace: "waiting long", schema: Authorship.schema, options: options)
        let patient = try await cluster.store(Authorship.schema, in: "waiting long")
        let (begun, gate) = (Signal(), DispatchSemaphore(value: 0))
        let holder = Task {
            try await first.write { _ in
                begun.send()
                gate.wait()
            }
        }
        await begun.wait()
        let error = await #expect(throws: PersistenceError.self) { try await hasty.commit(Authorship.tag(2)) }
        #expect(error?.code == .locked)
        let cancelled = Task { try await patient.commit(Authorship.tag(3)) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        gate.signal()
        _ = try await holder.value
        #expect(try await first.read { try $0.count(Query("Tag")) } == 0)
        for store in [first, hasty, patient] {
            try await store.commit(Authorship.tag(4))
            await store.close()
        }
    }

    @Test func writerThatPausesForTooLongLosesItsLockAndIsTold() async throws {
        let cluster = try TestCluster.shared
        var options = PostgreSQLPool.Options()
        options.idleTimeout = .seconds(2)
        let slow = try await PostgreSQLAdapter.open(
            connection: cluster.connection, namespace: "pausing", schema: Authorship.schema, options: options)
        let other = try await cluster.store(Authorship.schema, in: "pausing")
        let (begun, gate) = (Signal(), DispatchSemaphore(value: 0))
        let holder = Task {
            try await slow.write { transaction in
                try transaction.apply(Authorship.tag(1))
                begun.send()
                gate.wait()
            }
        }
        await begun.wait()
        try await other.commit(Authorship.tag(2))
        gate.signal()
        let error = await #expect(throws: PersistenceError.self) { try await holder.value }
        #expect(error?.code == .connectionLost)
        #expect(error?.description.contains("has paused for longer than 'idleTimeout'") == true)
        #expect(error?.description.contains("nothing of this transaction is stored") == true)
        try await slow.commit(Authorship.tag(3))
        #expect(try await other.read { try $0.keys(of: "Tag") } == [2, 3])
        for store in [slow, other] { await store.close() }
    }

    @Test func cancelledReadEndsWhileTheServerIsBusy() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Authorship.schema, in: "busy", readerCount: 1)
        let (begun, gate) = (Signal(), DispatchSemaphore(value: 0))
        let reader = Task {
            try await store.read { transaction in
                begun.send()
                gate.wait()
                return try transaction.count(Query("Tag"))
            }
        }
        await begun.wait()
        // Another program locks the table until its connection ends.
        let psql = "\(try #require(TestCluster.programs))/psql"
        let locker = try ChildProcess(
            psql,
            [
                "-X", "-h", cluster.folder, "-U", "postgres", "-c",
                "BEGIN; LOCK TABLE busy.\"Tag\"; SELECT pg_sleep(600)",
            ])
        let holders =
            "FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' AND relation = 'busy.\"Tag\"'::regclass"
        while try cluster.sql("SELECT 1 \(holders)").isEmpty {}
        gate.signal()
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try cluster.sql("SELECT pg_terminate_backend(pid) \(holders)")
        locker.wait()
        #expect(try await store.read { try $0.count(Query("Tag")) } == 0)
        await store.close()
    }

    @Test(arguments: ["serialization_failure", "deadlock_detected"])
    func conflictThatTheServerEndsIsTriedAgain(name: String) async throws {
        let store = try await TestCluster.shared.store(Authorship.schema, in: name)
        try TestCluster.shared.sql(
            """
            CREATE SEQUENCE \(name).attempts;
            CREATE FUNCTION \(name).fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.id = 2 OR nextval('\(name).attempts') < 3 THEN
                    RAISE 'conflict' USING ERRCODE = '\(name)';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER fail BEFORE INSERT ON \(name)."Tag" FOR EACH ROW EXECUTE FUNCTION \(name).fail();
            """)
        let runs = Locked(0)
        let commit = try await store.write { transaction in
            runs.withLock { $0 += 1 }
            try transaction.apply(Authorship.tag(1))
        }.commit
        #expect(commit.sequence == 1)
        #expect(runs.current == 3)
        let error = await #expect(throws: PersistenceError.self) { try await store.commit(Authorship.tag(2)) }
        #expect(error?.code == .locked)
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1])
        await store.close()
    }

    @Test func observersReceiveTheNumbersOfOtherProcessesCommits() async throws {
        let cluster = try TestCluster.shared
        let store = try await PostgreSQLAdapter.open(
            connection: cluster.connection + " application_name=observer", namespace: "observed",
            schema: Authorship.schema)
        let other = try await cluster.store(Authorship.schema, in: "observed")
        try await other.commit(Authorship.tag(1))
        var numbers = store.sequences().makeAsyncIterator()
        #expect(await numbers.next() == 1)
        var second = store.sequences().makeAsyncIterator()
        #expect(await second.next() == 1)
        try await other.commit(Authorship.tag(2))
        #expect(await numbers.next() == 2)
        #expect(await second.next() == 2)
        // A commit without changes is not announced.
        try await other.commit(Authorship.tag(2))
        // While the connection is lost, commits are missed, and found afterwards.
        try cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'observer'")
        try await other.commit(Authorship.tag(3))
        #expect(await numbers.next() == 3)
        await store.close()
        #expect(await numbers.next() == nil)
        var late = store.sequences().makeAsyncIterator()
        #expect(await late.next() == nil)
        await other.close()
    }

    @Test func commitIsVisibleToOthersOnceItIsAnnounced() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Authorship.schema, in: "visible")
        let observer = try await cluster.store(Authorship.schema, in: "visible")
        var numbers = observer.sequences().makeAsyncIterator()
        #expect(await numbers.next() == 0)
        let edits = Task {
            for key in 1...50 as ClosedRange<Int64> { try await store.commit(Authorship.tag(key)) }
        }
        while let number = await numbers.next() {
            #expect(try await observer.read { try $0.count(Query("Tag")) } >= Int(number))
            if number == 50 { break }
        }
        try await edits.value
        for store in [store, observer] { await store.close() }
    }

    @Test func storesOfAPoolAreObservedOverOneConnection() async throws {
        let cluster = try TestCluster.shared
        let pool = try PostgreSQLPool(cluster.connection + " application_name=pooled")
        let other = try PostgreSQLPool(cluster.connection)
        var stores: [PostgreSQLAdapter] = []
        var numbers: [AsyncStream<Int64>.Iterator] = []
        for name in ["pooled 1", "pooled 2", "pooled 3"] {
            let store = try await PostgreSQLAdapter.open(on: pool, namespace: name, schema: Authorship.schema)
            stores.append(store)
            numbers.append(store.sequences().makeAsyncIterator())
        }
        for position in numbers.indices { #expect(await numbers[position].next() == 0) }
        let listening = "FROM pg_stat_activity WHERE application_name = 'pooled' AND query LIKE '%sync.sequence%'"
        #expect(try cluster.sql("SELECT count(*) \(listening)") == ["1"])
        for round in [1, 2] as [Int64] {
            for (position, store) in stores.enumerated() {
                let writer = try await PostgreSQLAdapter.open(
                    on: other, namespace: store.namespaceName, schema: Authorship.schema)
                try await writer.commit(Authorship.tag(round))
                #expect(await numbers[position].next() == round)
                await writer.close()
            }
            // Lost once, it listens to all of them again.
            if round == 1 { try cluster.sql("SELECT pg_terminate_backend(pid) \(listening)") }
        }
        await stores[0].close()
        #expect(await numbers[0].next() == nil)
        var late = stores[1].changes().makeAsyncIterator()
        await pool.close()
        for position in [1, 2] { #expect(await numbers[position].next() == nil) }
        #expect(await late.next() == nil)
        await other.close()
    }

    @Test func serviceNotifiesOfCommitsOfOtherProcesses() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Authorship.schema, in: "notified")
        let other = try await cluster.store(Authorship.schema, in: "notified")
        try await other.commit(Authorship.tag(1))
        let notifications = SyncService(store, account: "ada", makeName: { "epoch" }).notifications()
        // The stream begins before or after this instant, so commits are made until one is noticed.
        let edits = Task {
            var key: Int64 = 1
            while !Task.isCancelled {
                key += 1
                try await other.commit(Authorship.tag(key))
            }
        }
        var iterator = notifications.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        edits.cancel()
        _ = try? await edits.value
        await store.close()
        while await iterator.next() != nil {}
        await other.close()
    }
}
