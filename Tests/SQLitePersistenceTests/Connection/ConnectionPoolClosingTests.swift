import Dispatch
import TestSupport
import Testing

@testable import SQLitePersistence

struct ConnectionPoolClosingTests {
    let folder = TemporaryFolder()

    @Test(arguments: [false, true]) func aClosedPoolSaysSo(inMemory: Bool) async throws {
        let pool = try ConnectionPool(inMemory ? .memory : .file(folder.file()))
        await pool.close()
        await pool.close()
        let place = inMemory ? "" : ", at '\(folder.file())'"
        let message = "the database is closed\(place): open it again, and close it after the last use"
        let read = await #expect(throws: SQLiteError.self) { try await pool.read { _ in } }
        let write = await #expect(throws: SQLiteError.self) { try await pool.write { _ in } }
        #expect(read?.description == message)
        #expect(write?.description == message)
        #expect(read?.code == .closed)
    }

    @MainActor @Test func closingWaitsForAllThatWasBegun() async throws {
        let pool = try ConnectionPool(.file(folder.file()), readerCount: 1)
        try await pool.write { try $0.execute("CREATE TABLE t (v)") }
        let running = (Signal(), Signal())
        let mayEnd = DispatchSemaphore(value: 0)
        let write = Task {
            try await pool.write { connection in
                running.0.send()
                mayEnd.wait()
                try connection.run("INSERT INTO t VALUES (1)")
            }
        }
        let read = Task {
            try await pool.read { connection in
                running.1.send()
                mayEnd.wait()
                return try connection.integer("SELECT count(*) FROM t")
            }
        }
        await running.0.wait()
        await running.1.wait()
        let closings = (0..<2).map { _ in Task { await pool.close() } }
        // The tasks of an actor start in their order.
        let late = Task {
            for _ in 0..<2 {
                let write = await #expect(throws: SQLiteError.self) { try await pool.write { _ in } }
                let read = await #expect(throws: SQLiteError.self) { try await pool.read { _ in } }
                #expect(write?.code == .closed && read?.code == .closed)
            }
        }
        await late.value
        for _ in 0..<2 { mayEnd.signal() }
        for closing in closings { await closing.value }
        try await write.value
        #expect(try await read.value == 0)
        // All connections are closed, as the log is in the file.
        let names = try withExtendedLifetime(pool) { try folder.names }
        #expect(names == ["notes.db"])
        #expect(try Connection.open(.file(folder.file())).integer("SELECT count(*) FROM t") == 1)
    }

    @Test func aPoolThatIsLetGoIsClosed() async throws {
        var pool: ConnectionPool? = try ConnectionPool(.file(folder.file()))
        try await pool?.write { try $0.execute("CREATE TABLE t (v)") }
        pool = nil
        #expect(try Connection.open(.file(folder.file())).integer("SELECT count(*) FROM t") == 0)
    }
}
