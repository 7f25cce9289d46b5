import CDifferentialSyncSQLite
import Foundation
import TestSupport
import Testing

@testable import SQLitePersistence

/// What users read when something goes wrong, each time because it did.
struct SQLiteErrorTests {
    let folder = TemporaryFolder()

    private func open(_ access: Connection.Access = .readWriteCreate) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.access = access
        configuration.busyTimeout = .zero
        return try .open(.file(folder.file()), configuration)
    }

    @Test func notADatabase() {
        folder.write(Data("Dear diary, nothing happened today.".utf8))
        let error = sqliteError { _ = try open() }
        #expect(error?.code == .notADatabase)
        #expect(
            error?.description == """
                file is not a database (SQLite 26), at '\(folder.file())': name another path, or move the file away; it was not \
                changed
                """)
    }

    @Test func corrupt() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (v); CREATE TABLE u (v)")
        connection.close()
        folder.write(try #require(folder.contents()).prefix(4096 * 2))
        let error = sqliteError { _ = try open() }
        #expect(error?.code == .corrupt)
        #expect(
            error?.description == """
                database disk image is malformed (SQLite 11), at '\(folder.file())': restore the file from a copy, \
                or save what is left of it: sqlite3 damaged.db .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 saved.db, \
                and then sqlite3 saved.db 'PRAGMA application_id = 1146318435; PRAGMA user_version = \(Format.version)'
                """)
    }

    // None of these needs a user without rights, as tests may have them all.
    @Test func cannotOpen() throws {
        folder.write(Data(), to: "file")
        for path in [folder.file("none/notes.db"), folder.file("file/notes.db"), folder.path] {
            let error = sqliteError { _ = try Connection.open(.file(path)) }
            #expect(error?.code == .cannotOpen)
            #expect(
                error?.description == """
                    unable to open database file (SQLite \(error?.extendedCode ?? 0)), at '\(path)': see that its folder \
                    exists, that it is not a folder itself, and that this program may read and write both
                    """)
        }
        #expect(sqliteError { _ = try open(.readWrite) }?.code == .cannotOpen)
        #expect(sqliteError { _ = try open(.readOnly) }?.code == .cannotOpen)
        #expect(try folder.names == ["file"])
    }

    @Test func pathsThatAreNone() {
        let end = """
            : see that its folder exists, that it is not a folder itself, and that this program may read and write both
            """
        let empty = sqliteError { _ = try Connection.open(.file("")) }
        #expect(empty?.description == "the path is empty, at ''" + end)
        let nul = sqliteError { _ = try Connection.open(.file("a\0b")) }
        #expect(nul?.description == "the path has a NUL in it, at 'a\0b'" + end)
    }

    private static let readOnlyRemedy =
        "make the file and its folder writable, and write in a write rather than in a read"

    @Test func readOnlyConnection() throws {
        try open().execute("CREATE TABLE t (v)")
        let error = sqliteError { try open(.readOnly).run("DELETE FROM t") }
        #expect(error?.code == .readOnly)
        #expect(
            error?.description == """
                attempt to write a readonly database (SQLite 8), at '\(folder.file())', in 'DELETE FROM t': \
                \(Self.readOnlyRemedy)
                """)
    }

    @Test(.disabled(if: getuid() == 0, "there is no file that this user may not write"))
    func readOnlyFile() throws {
        try open().close()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.file())
        let error = sqliteError { _ = try open() }
        #expect(error?.code == .readOnly)
        #expect(
            error?.description
                == "attempt to write a readonly database (SQLite 8), at '\(folder.file())': \(Self.readOnlyRemedy)")
    }

    @Test func full() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (v); PRAGMA max_page_count = 4")
        let sql = "INSERT INTO t VALUES (randomblob(100000))"
        let error = sqliteError { try connection.transaction(.immediate) { try connection.run(sql) } }
        #expect(error?.code == .full)
        #expect(
            error?.description == """
                database or disk is full (SQLite 13), at '\(folder.file())', in '\(sql)': free some space, and try again
                """)
        #expect(!connection.isInTransaction)
    }

    @Test func locked() throws {
        let connection = try open()
        let other = try open()
        try connection.transaction(.immediate) {
            let error = sqliteError { try other.transaction(.immediate) {} }
            #expect(error?.code == .locked)
            #expect(
                error?.description == """
                    database is locked (SQLite 5), at '\(folder.file())', in 'BEGIN IMMEDIATE': another connection is \
                    writing; try again, or allow it a longer busy timeout
                    """)
        }
        try other.transaction(.immediate) {}
    }

    @Test func noWriteAheadLog() throws {
        var configuration = Connection.Configuration()
        // A file system without shared memory.
        configuration.fileSystem = "unix-dotfile"
        let error = sqliteError { _ = try Connection.open(.file(folder.file()), configuration) }
        #expect(error?.code == .noWriteAheadLog)
        #expect(
            error?.description
                == "the database cannot have a write-ahead log, at '\(folder.file())': keep the file on a local disk")
    }

    @Test func constraintWithoutTheValue() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE t (v UNIQUE)")
        let error = sqliteError {
            for _ in 0..<2 {
                try connection.withStatement("INSERT INTO t VALUES (?1)") { statement in
                    try statement.bind("secret", at: 1)
                    try statement.run()
                }
            }
        }
        #expect(error?.code == .constraint)
        #expect(
            error?.description == """
                UNIQUE constraint failed: t.v (SQLite 2067), at '\(folder.file())', in 'INSERT INTO t VALUES (?1)': write \
                what the constraint allows
                """)
    }

    @Test func tooBig() throws {
        let connection = try Connection.inMemory()
        try connection.setLimit(SQLITE_LIMIT_LENGTH, to: 1_000)
        try connection.withStatement("SELECT ?1") { statement throws in
            for error in [
                sqliteError { try statement.bind(String(repeating: "x", count: 1_001), at: 1) },
                sqliteError { try statement.bind(Data(count: 1_001), at: 1) },
            ] {
                #expect(error?.code == .tooBig)
                #expect(
                    error?.description == """
                        string or blob too big (SQLite 18), in 'SELECT ?1': store less in one value, or do it in several \
                        statements
                        """)
            }
            try statement.bind(String(repeating: "x", count: 1_000), at: 1)
        }
    }

    @Test func interrupted() throws {
        let connection = try Connection.inMemory()
        let interrupter = connection.interrupter
        try connection.registerFunction("interrupt", argumentCount: 1) { _ in
            interrupter.interrupt()
            return nil
        }
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(interrupt(i)) FROM n"
        let error = sqliteError { try connection.run(sql) }
        #expect(error?.code == .interrupted)
        #expect(error?.description == "interrupted (SQLite 9), in '\(sql)': run it again if its result is still wanted")
        #expect(try connection.integer("SELECT 1") == 1)
    }

    @Test func structure() throws {
        let error = sqliteError { try Connection.inMemory().run("SELECT * FROM missing") }
        #expect(error?.code == .structure)
        #expect(
            error?.description == """
                no such table: missing (SQLite 1), in 'SELECT * FROM missing': was the file changed by another program? \
                Restore it from a copy
                """)
    }

    @Test func errorsOfTheLibrary() {
        #expect(
            SQLiteError.newerFormat(9, supported: 2, path: "/n.db").description == """
                the database has format 9, and the latest one known here is 2, at '/n.db': update this program; the file \
                was not changed
                """)
        #expect(
            SQLiteError.foreignFile(path: "/n.db").description == """
                the database belongs to another program, at '/n.db': name another path; the file was not changed. If it \
                was made from a '.dump' of a file of this library, it needs 'PRAGMA application_id = 1146318435; PRAGMA \
                user_version = \(Format.version)'
                """)
        #expect(
            SQLiteError.closed(path: nil).description
                == "the database is closed: open it again, and close it after the last use")
        #expect(
            SQLiteError(resultCode: 778, path: "/n.db").description == """
                disk I/O error (SQLite 778), at '/n.db': see that the disk works and is connected, and open the database \
                again
                """)
    }

    @Test(
        arguments: [
            (5, .locked), (261, .locked), (517, .locked), (6, .locked), (15, .locked), (13, .full), (8, .readOnly),
            (1544, .readOnly), (26, .notADatabase), (11, .corrupt), (267, .corrupt), (14, .cannotOpen),
            (3, .cannotOpen),
            (19, .constraint), (1555, .constraint), (10, .ioFailure), (266, .ioFailure), (18, .tooBig),
            (9, .interrupted),
            (1, .structure), (7, .other), (21, .other),
        ] as [(Int32, SQLiteError.Code)])
    func codes(_ resultCode: Int32, _ code: SQLiteError.Code) {
        let error = SQLiteError(resultCode: resultCode, path: nil)
        #expect(error.code == code)
        #expect(error.extendedCode == resultCode)
        #expect(!error.message.isEmpty)
    }

    @Test func aCodeHasItsName() { #expect("\(SQLiteError.Code.locked)" == "locked") }
}
