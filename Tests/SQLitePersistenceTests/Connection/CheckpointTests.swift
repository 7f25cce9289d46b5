import Foundation
import TestSupport
import Testing

@testable import SQLitePersistence

/// When the write-ahead log is written back into the file.
@Suite("Checkpoints")
struct CheckpointTests {
    private let folder = TemporaryFolder()

    private func size(of path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    @Test func longLogsAreWrittenBackAfterEachCommit() async throws {
        let path = folder.file()
        let pool = try ConnectionPool(.file(path))
        try await pool.write { try $0.execute("CREATE TABLE t (v)") }
        for _ in 0..<4 {
            // More than 4,000 pages each.
            try await pool.write { connection in
                try connection.execute("INSERT INTO t VALUES (zeroblob(20000000))")
            }
        }
        try await pool.write { try $0.execute("DELETE FROM t WHERE rowid = -1") }
        #expect(try size(of: path) > 4 * 20_000_000)
        #expect(try size(of: path + "-wal") < 2 * 20_000_000)
        await pool.close()
    }

    @Test func logOfALargeTransactionIsShortenedByTheNextCommit() async throws {
        let path = folder.file()
        let pool = try ConnectionPool(.file(path))
        try await pool.write { connection in
            try connection.execute("CREATE TABLE t (v)")
            for _ in 0..<4 { try connection.execute("INSERT INTO t VALUES (zeroblob(20000000))") }
        }
        #expect(try size(of: path + "-wal") > 4 * 20_000_000)
        try await pool.write { try $0.execute("INSERT INTO t VALUES (0)") }
        #expect(try size(of: path + "-wal") <= 64 << 20)
        await pool.close()
    }

    @Test func shortLogsAreLeftToTheClosing() async throws {
        let path = folder.file()
        let pool = try ConnectionPool(.file(path))
        try await pool.write { try $0.execute("CREATE TABLE t (v); INSERT INTO t VALUES (zeroblob(1000000))") }
        #expect(try size(of: path) < 1_000_000)
        await pool.close()
        #expect(try size(of: path) > 1_000_000)
    }
}
