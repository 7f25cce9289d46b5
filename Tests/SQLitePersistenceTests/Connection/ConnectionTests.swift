import CDifferentialSyncSQLite
import Testing

@testable import SQLitePersistence

struct ConnectionTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
            """)
    }

    @Test func changesAndRowIDs() throws {
        try connection.run("INSERT INTO parent VALUES (7), (9)")
        #expect(connection.lastInsertRowID == 9)
        #expect(connection.changes == 2)
        try connection.run("DELETE FROM parent WHERE id = 1")
        #expect(connection.changes == 0)
    }

    @Test func aTransactionCommits() throws {
        let result = try connection.transaction(.immediate) {
            #expect(connection.isInTransaction)
            try connection.run("INSERT INTO parent VALUES (1)")
            return "done"
        }
        #expect(result == "done")
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM parent") == 1)
    }

    @Test func aBodyThatThrowsIsRolledBack() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try connection.transaction(.deferred) {
                try connection.run("INSERT INTO parent VALUES (1)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM parent") == 0)
    }

    @Test func aCommitThatFailsIsRolledBackAndReported() throws {
        // Only a deferred constraint lets a commit fail.
        try connection.execute("PRAGMA foreign_keys = 1")
        let error = sqliteError {
            try connection.transaction(.immediate) { try connection.run("INSERT INTO child VALUES (1)") }
        }
        #expect(error?.code == .constraint)
        #expect(
            error?.description
                == "FOREIGN KEY constraint failed (SQLite 787), in 'COMMIT': write what the constraint allows")
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM child") == 0)
        try connection.transaction(.immediate) { try connection.run("INSERT INTO parent VALUES (1)") }
    }

    @Test func aTransactionWithinOneIsRefusedAndHarmsNothing() throws {
        try connection.transaction(.immediate) {
            try connection.run("INSERT INTO parent VALUES (1)")
            let error = sqliteError { try connection.transaction(.immediate) {} }
            #expect(error?.message == "cannot start a transaction within a transaction")
        }
        #expect(try connection.integer("SELECT count(*) FROM parent") == 1)
    }

    @Test func whatSQLiteRolledBackCannotBeCommitted() throws {
        let error = sqliteError {
            try connection.transaction(.immediate) { try connection.execute("INSERT INTO parent VALUES (1); ROLLBACK") }
        }
        #expect(error?.message == "cannot commit - no transaction is active")
    }

    @Test func anInterruptionHoldsToTheEndOfASnapshot() throws {
        let codes = try connection.snapshot {
            connection.interrupter.interrupt()
            return (0..<2).map { _ in sqliteError { _ = try connection.integer("SELECT count(*) FROM parent") }?.code }
        }
        #expect(codes == [.interrupted, .interrupted])
        #expect(try connection.integer("SELECT count(*) FROM parent") == 0)
    }

    @Test func aReadDoesNotWrite() throws {
        let error = sqliteError { try connection.readingOnly { try connection.run("INSERT INTO parent VALUES (1)") } }
        #expect(error?.code == .readOnly)
        try connection.run("INSERT INTO parent VALUES (1)")
    }

    @Test func aClosedConnectionSaysSo() throws {
        connection.close()
        connection.close()
        let message = "the database is closed, in 'SELECT 1': open it again, and close it after the last use"
        #expect(sqliteError { try connection.execute("SELECT 1") }?.description == message)
        #expect(sqliteError { try connection.run("SELECT 1") }?.description == message)
        #expect(sqliteError { try connection.registerCollation("C") { _, _ in 0 } }?.code == .closed)
        #expect(sqliteError { try connection.registerFunction("f", argumentCount: 0) { _ in nil } }?.code == .closed)
        #expect(connection.lastInsertRowID == 0 && connection.changes == 0 && !connection.isInTransaction)
        connection.interrupter.interrupt()
    }

    @Test func oneStatementAtATime() async {
        await #expect(processExitsWith: .failure) { try Connection.inMemory().run("SELECT 1; SELECT 2") }
        await #expect(processExitsWith: .failure) { try Connection.inMemory().run("") }
    }
}
