import Dispatch
import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

struct ConnectionPoolCancellationTests {
    let folder = TemporaryFolder()

    /// A query without an end.
    private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    private func makePool(inMemory: Bool = false, readerCount: Int = 1) throws -> ConnectionPool {
        try ConnectionPool(inMemory ? .memory : .file(folder.file()), readerCount: readerCount)
    }

    @Test func aTaskThatIsCancelledAlreadyRunsNothing() async throws {
        let pool = try makePool()
        let ran = Locked(0)
        let task = Task {
            await Signal.cancellation()
            for isClosed in [false, true] {
                if isClosed { await pool.close() }
                await #expect(throws: CancellationError.self) { try await pool.read { _ in ran.withLock { $0 += 1 } } }
                await #expect(throws: CancellationError.self) { try await pool.write { _ in ran.withLock { $0 += 1 } } }
            }
        }
        task.cancel()
        await task.value
        #expect(ran.withLock { $0 } == 0)
    }

    @Test func aTaskThatIsCancelledWhileItWaitsIsToldAtOnce() async throws {
        let pool = try makePool()
        let running = (Signal(), Signal())
        let mayEnd = DispatchSemaphore(value: 0)
        async let write: Void = pool.write { _ in
            running.0.send()
            mayEnd.wait()
        }
        async let read: Void = pool.read { _ in
            running.1.send()
            mayEnd.wait()
        }
        await running.0.wait()
        await running.1.wait()
        let ran = Locked(0)
        let waiting = [
            Task { try await pool.write { _ in ran.withLock { $0 += 1 } } },
            Task { try await pool.read { _ in ran.withLock { $0 += 1 } } },
        ]
        for task in waiting { task.cancel() }
        // The connections are still in use.
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        for _ in 0..<2 { mayEnd.signal() }
        try await write
        try await read
        await pool.close()
        #expect(ran.withLock { $0 } == 0)
    }

    @Test(arguments: [false, true]) func aReadThatRunsIsInterrupted(inMemory: Bool) async throws {
        let pool = try makePool(inMemory: inMemory)
        let running = Signal()
        let task = Task {
            try await pool.read { connection in
                running.send()
                try connection.run(Self.endless)
            }
        }
        await running.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The connection is as good as new.
        #expect(try await pool.read { try $0.integer("SELECT 1") } == 1)
        try await pool.write { try $0.execute("CREATE TABLE t (v)") }
        await pool.close()
    }

    @Test func aCancellationBetweenStatementsHoldsForAllThatFollow() async throws {
        let pool = try makePool()
        let running = Signal()
        let mayGoOn = DispatchSemaphore(value: 0)
        let first = Locked<SQLiteError.Code?>(nil)
        let task = Task {
            try await pool.read { connection in
                running.send()
                mayGoOn.wait()
                // A body that ignores the first failure fails at its next statement.
                let code = sqliteError { try connection.run("SELECT 1") }?.code
                first.withLock { $0 = code }
                try connection.run(Self.endless)
            }
        }
        await running.wait()
        task.cancel()
        mayGoOn.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(first.withLock { $0 } == .interrupted)
        await pool.close()
    }

    @Test func aReadThatHasItsResultGivesIt() async throws {
        let pool = try makePool()
        let running = Signal()
        let mayGoOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await pool.read { connection in
                let one = try connection.integer("SELECT 1")
                running.send()
                mayGoOn.wait()
                return one
            }
        }
        await running.wait()
        task.cancel()
        mayGoOn.signal()
        #expect(try await task.value == 1)
        // Nothing is left of the interruption.
        #expect(try await pool.read { try $0.integer("SELECT 2") } == 2)
        await pool.close()
    }

    @Test(arguments: [false, true]) func aWriteThatRunsIsNotInterrupted(inMemory: Bool) async throws {
        let pool = try makePool(inMemory: inMemory)
        let running = Signal()
        let mayGoOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await pool.write { connection in
                running.send()
                mayGoOn.wait()
                try connection.execute("CREATE TABLE t (v); INSERT INTO t VALUES (1)")
            }
        }
        await running.wait()
        task.cancel()
        mayGoOn.signal()
        try await task.value
        #expect(try await pool.read { try $0.integer("SELECT count(*) FROM t") } == 1)
        await pool.close()
    }

    @Test func othersAreNeverInterrupted() async throws {
        let pool = try makePool(readerCount: 2)
        let sum = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT sum(i) FROM n"
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                if number % 2 == 0 {
                    group.addTask {
                        let result = try await pool.read { try $0.integer(sum) }
                        #expect(result == 2_001_000)
                    }
                } else {
                    group.addTask {
                        let task = Task { try await pool.read { try $0.run(Self.endless) } }
                        task.cancel()
                        await #expect(throws: CancellationError.self) { try await task.value }
                    }
                }
            }
            try await group.waitForAll()
        }
        await pool.close()
    }
}

extension Signal {
    /// Returns when the task is cancelled.
    fileprivate static func cancellation() async { await Signal().wait() }
}
