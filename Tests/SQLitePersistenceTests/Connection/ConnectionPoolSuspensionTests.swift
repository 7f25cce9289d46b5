import Foundation
import TestSupport
import Testing

@testable import SQLitePersistence

struct ConnectionPoolSuspensionTests {
    @Test func aSuspendedPoolHasNoLockThatOthersWaitFor() async throws {
        let folder = TemporaryFolder()
        let pool = try ConnectionPool(.file(folder.file()), readerCount: 2)
        try await pool.write { try $0.execute("CREATE TABLE t (v)") }
        let read: @Sendable (Connection) throws -> Int64 = { try $0.integer("SELECT count(*) FROM t") }
        for _ in 0..<3 { #expect(try await pool.read(read) == 0) }
        await pool.suspend()
        let waiting = Task { try await pool.read(read) }
        var configuration = Connection.Configuration()
        configuration.busyTimeout = .zero
        let other = try Connection.open(.file(folder.file()), configuration)
        try other.run("BEGIN IMMEDIATE")
        try other.run("INSERT INTO t VALUES (1)")
        try other.run("COMMIT")
        // The log can be emptied only if no connection writes, and none reads from it.
        #expect(try other.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
        #expect(folder.contents(of: "notes.db-wal")?.isEmpty == true)
        pool.resume()
        #expect(try await waiting.value == 1)
        await pool.close()
    }
}
