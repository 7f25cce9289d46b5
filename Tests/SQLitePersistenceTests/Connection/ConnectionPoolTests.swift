import Dispatch
import TestSupport
import Testing

@testable import SQLitePersistence

struct ConnectionPoolTests {
    let folder = TemporaryFolder()

    /// A pool with a table of one column, `v`.
    private func makePool(inMemory: Bool = false, readerCount: Int = 2) async throws -> ConnectionPool {
        let pool = try ConnectionPool(inMemory ? .memory : .file(folder.file()), readerCount: readerCount)
        try await pool.write { try $0.execute("CREATE TABLE t (v)") }
        return pool
    }

    @Sendable private static func count(_ connection: Connection) throws -> Int64 {
        try connection.integer("SELECT count(*) FROM t")
    }

    @Sendable private static func insert(_ connection: Connection) throws {
        try connection.run("INSERT INTO t VALUES (1)")
    }

    @Test(arguments: [false, true]) func aReadSeesTheWritesBefore(inMemory: Bool) async throws {
        let pool = try await makePool(inMemory: inMemory)
        for count in 1...20 {
            let written = try await pool.write { connection in
                try Self.insert(connection)
                return connection.lastInsertRowID
            }
            #expect(written == Int64(count))
            #expect(try await pool.read(Self.count) == Int64(count))
        }
        await pool.close()
    }

    @Test func readsSeeOneMomentWhileAWriteRuns() async throws {
        let pool = try await makePool()
        let reading = Signal()
        let writing = Signal()
        let mayRead = DispatchSemaphore(value: 0)
        let mayCommit = DispatchSemaphore(value: 0)
        // A read that began before the write …
        async let before = pool.read { connection in
            reading.send()
            mayRead.wait()
            return try Self.count(connection)
        }
        await reading.wait()
        async let write: Void = pool.write { connection in
            try Self.insert(connection)
            writing.send()
            mayCommit.wait()
        }
        await writing.wait()
        // … one that begins and ends while it runs …
        #expect(try await pool.read(Self.count) == 0)
        mayCommit.signal()
        try await write
        // … and one after it.
        #expect(try await pool.read(Self.count) == 1)
        mayRead.signal()
        #expect(try await before == 0)
        await pool.close()
    }

    @Test func readersReadAtTheSameTime() async throws {
        let pool = try await makePool(readerCount: 3)
        let signals = (0..<3).map { _ in Signal() }
        let mayEnd = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup { group in
            for signal in signals {
                group.addTask {
                    try await pool.read { _ in
                        signal.send()
                        mayEnd.wait()
                    }
                }
            }
            // Each of them runs before any ends.
            for signal in signals { await signal.wait() }
            for _ in signals { mayEnd.signal() }
            try await group.waitForAll()
        }
        await pool.close()
    }

    @Test(arguments: [1, 2, 5]) func manyReadsShareTheReaders(readerCount: Int) async throws {
        let pool = try await makePool(readerCount: readerCount)
        try await pool.write(Self.insert)
        let total = try await withThrowingTaskGroup { group in
            for _ in 0..<200 { group.addTask { try await pool.read(Self.count) } }
            return try await group.reduce(0, +)
        }
        #expect(total == 200)
        await pool.close()
    }

    @MainActor @Test func writesRunInTheOrderOfTheCalls() async throws {
        let pool = try await makePool()
        let writing = Signal()
        let mayEnd = DispatchSemaphore(value: 0)
        // All of them wait behind this one.
        let first = Task {
            try await pool.write { _ in
                writing.send()
                mayEnd.wait()
            }
        }
        await writing.wait()
        let tasks = (0..<100).map { number in
            Task { try await pool.write { try $0.run("INSERT INTO t VALUES (\(number))") } }
        }
        // The tasks of an actor start in their order, and this one after them.
        await Task { _ = mayEnd.signal() }.value
        try await first.value
        for task in tasks { try await task.value }
        let written = try await pool.read { try $0.texts("SELECT v FROM t ORDER BY rowid") }
        #expect(written == (0..<100).map(String.init))
        await pool.close()
    }

    @Test(arguments: [false, true]) func aBodyThatThrowsIsRolledBack(inMemory: Bool) async throws {
        struct Stop: Error {}
        let pool = try await makePool(inMemory: inMemory)
        await #expect(throws: Stop.self) {
            try await pool.write { connection in
                try Self.insert(connection)
                throw Stop()
            }
        }
        await #expect(throws: Stop.self) { try await pool.read { _ in throw Stop() } }
        #expect(try await pool.read(Self.count) == 0)
        try await pool.write(Self.insert)
        #expect(try await pool.read(Self.count) == 1)
        await pool.close()
    }

    @Test(arguments: [false, true]) func aReadCannotWrite(inMemory: Bool) async throws {
        let pool = try await makePool(inMemory: inMemory)
        let error = await #expect(throws: SQLiteError.self) { try await pool.read(Self.insert) }
        #expect(error?.code == .readOnly)
        try await pool.write(Self.insert)
        await pool.close()
    }

    @Test func everyConnectionIsPrepared() async throws {
        let pool = try ConnectionPool(.file(folder.file()), readerCount: 2) { connection throws in
            #expect(try connection.isEmpty)
        } prepare: { connection in
            try connection.registerFunction("isPrepared", argumentCount: 0) { _ in true }
        }
        #expect(try await pool.write { try $0.integer("SELECT isPrepared()") } == 1)
        for _ in 0..<3 { #expect(try await pool.read { try $0.integer("SELECT isPrepared()") } == 1) }
        await pool.close()
    }

    @Test func aDatabaseThatIsRefusedIsNotOpened() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { _ = try ConnectionPool(.file(folder.file()), verify: { _ in throw Refusal() }) }
    }
}
