import Foundation
import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

struct OpeningTests {
    let folder = TemporaryFolder()

    private func open(
        _ access: Connection.Access = .readWriteCreate, verify: (Connection) throws -> Void = { _ in }
    ) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.access = access
        configuration.busyTimeout = .zero
        return try .open(.file(folder.file()), configuration, verify: verify)
    }

    /// A database of another program, closed, with the given journal mode.
    private func makeForeignFile(journalMode: String) throws {
        let connection = try open()
        try connection.execute("PRAGMA journal_mode = \(journalMode); PRAGMA application_id = 77; CREATE TABLE t (v)")
        try connection.run("INSERT INTO t VALUES ('theirs')")
        connection.close()
    }

    private struct Refusal: Error {}

    @Test func settings() throws {
        var configuration = Connection.Configuration()
        configuration.cacheSize = 512
        configuration.durability = .normal
        configuration.busyTimeout = .milliseconds(1234)
        let connection = try Connection.open(.file(folder.file()), configuration)
        #expect(try connection.text(ofPragma: "journal_mode") == "wal")
        #expect(try connection.integer(ofPragma: "synchronous") == 1)
        #expect(try connection.integer(ofPragma: "cache_size") == -512)
        #expect(try connection.integer(ofPragma: "foreign_keys") == 0)
        #expect(try connection.integer(ofPragma: "trusted_schema") == 0)
        #expect(try connection.integer(ofPragma: "busy_timeout") == 1234)
        #expect(try connection.integer(ofPragma: "no_such_pragma") == 0)
        #expect(try Connection.open(.file(folder.file())).integer(ofPragma: "synchronous") == 2)
    }

    @Test(arguments: [Duration.seconds(-1), .seconds(Int64.max)])
    func anyDurationIsATimeout(_ timeout: Duration) throws {
        var configuration = Connection.Configuration()
        configuration.busyTimeout = timeout
        let milliseconds = try Connection.open(.memory, configuration).integer(ofPragma: "busy_timeout")
        #expect(milliseconds == (timeout < .zero ? 0 : Int64(Int32.max)))
    }

    @Test func whatWasWrittenIsThereAgain() throws {
        let connection = try open { new throws in
            #expect(try new.isEmpty && new.formatNumbers == [0, 0])
        }
        try connection.setPragma("application_id", to: -5)
        try connection.setPragma("user_version", to: 3)
        #expect(try connection.isEmpty)
        try connection.execute("CREATE TABLE t (v)")
        connection.close()
        #expect(try folder.names == ["notes.db"])
        _ = try open { new throws in #expect(try !new.isEmpty && new.formatNumbers == [-5, 3]) }
    }

    /// Each of the two connections may be the first that switches the file to a write-ahead log.
    ///
    /// SQLite itself refuses that while the other one does it.
    @Test func twoConnectionsCreateAFileAtOnce() {
        let errors = Locked<[String]>([])
        for round in 0..<100 {
            let file = Connection.Location.file(folder.file("\(round).db"))
            let (opened, closed) = (DispatchGroup(), DispatchGroup())
            for _ in 0..<2 {
                opened.enter()
                closed.enter()
            }
            for _ in 0..<2 {
                Thread.detachNewThread {
                    defer { closed.leave() }
                    do {
                        let connection = try Connection.open(file) { _ in
                            opened.leave()
                            opened.wait()
                        }
                        connection.close()
                    } catch {
                        errors.withLock { $0.append("\(error)") }
                    }
                }
            }
            closed.wait()
        }
        #expect(errors.current == [])
    }

    // SQLite writes an S into an empty file where the file system cannot lock it otherwise.
    @Test(arguments: [Data(), Data("S".utf8)]) func anEmptyFileIsNew(_ contents: Data) throws {
        folder.write(contents)
        let connection = try open { new throws in #expect(try new.isEmpty) }
        try connection.execute("CREATE TABLE t (v)")
    }

    @Test(arguments: ["file:other.db?mode=memory", ":memory:", "50% ä 'quoted'.db", "a?b#c"])
    func aPathIsNothingButAPath(_ name: String) throws {
        let connection = try Connection.open(.file(folder.file(name)))
        try connection.execute("CREATE TABLE t (v)")
        connection.close()
        #expect(try folder.names == [name])
    }

    // A relative path is relative to the folder that all tests have in common: only what SQLite refuses is tried.
    @Test func aRelativePathIsNoURI() {
        for path in ["file:none/there.db?mode=memory", ":memory:/there.db"] {
            #expect(sqliteError { _ = try Connection.open(.file(path)) }?.code == .cannotOpen)
        }
    }

    @Test(arguments: [
        Data("Dear diary, ".utf8), Data(repeating: 0x41, count: 100_000), Data([0]), Data("AB".utf8),
        Data("SQLite format 3\0".utf8),
    ])
    func anotherFileIsNotTouched(_ contents: Data) throws {
        folder.write(contents)
        for access in [Connection.Access.readWriteCreate, .readWrite, .readOnly] {
            #expect(sqliteError { _ = try open(access) }?.code == .notADatabase)
            #expect(folder.contents() == contents)
            #expect(try folder.names == ["notes.db"])
        }
    }

    @Test(arguments: ["DELETE", "WAL"])
    func aFileThatIsRefusedIsNotTouched(_ journalMode: String) throws {
        try makeForeignFile(journalMode: journalMode)
        let contents = folder.contents()
        #expect(throws: Refusal.self) {
            _ = try open { connection throws in
                #expect(try connection.formatNumbers == [77, 0])
                throw Refusal()
            }
        }
        #expect(folder.contents() == contents)
        #expect(try folder.names == ["notes.db"])
    }

    @Test func theLogOfAFileThatIsRefusedIsNotTouched() throws {
        try makeForeignFile(journalMode: "WAL")
        // As after a crash: the log has what the file does not.
        let other = try open()
        try other.run("INSERT INTO t VALUES ('in the log')")
        let copy = TemporaryFolder()
        copy.write(try #require(folder.contents()))
        copy.write(try #require(folder.contents(of: "notes.db-wal")), to: "notes.db-wal")
        let log = copy.contents(of: "notes.db-wal")
        #expect(throws: Refusal.self) {
            _ = try Connection.open(.file(copy.file())) { connection throws in
                #expect(try connection.integer("SELECT count(*) FROM t") == 2)
                throw Refusal()
            }
        }
        #expect(copy.contents() == folder.contents())
        #expect(copy.contents(of: "notes.db-wal") == log)
        // One that is accepted is put in order when it is closed.
        try Connection.open(.file(copy.file())).close()
        #expect(try copy.names == ["notes.db"])
        #expect(try Connection.open(.file(copy.file())).integer("SELECT count(*) FROM t") == 2)
    }

    @Test func aReaderReads() throws {
        try makeForeignFile(journalMode: "DELETE")
        let reader = try open(.readOnly)
        #expect(try reader.texts("SELECT v FROM t") == ["theirs"])
        #expect(try reader.text(ofPragma: "journal_mode") == "delete")
    }
}
