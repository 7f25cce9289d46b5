import CDifferentialSyncSQLite
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// What users of a store read when its file cannot be opened or written.
struct FileErrorTests {
    private let folder = TemporaryFolder()

    private func open(_ path: String, _ schema: Schema = Authorship.schema) async throws -> SQLiteAdapter {
        var options = SQLiteAdapter.Options()
        options.busyTimeout = .zero
        return try await SQLiteAdapter.open(at: path, schema: schema, options: options)
    }

    // None of these needs a user without rights, as tests may have them all.
    @Test func pathWithoutAUsableFolderCannotBeOpened() async throws {
        folder.write(Data("text".utf8), to: "file")
        for path in [folder.file("none/notes.db"), folder.file("file/notes.db"), folder.path] {
            let error = await #expect(throws: PersistenceError.self) { _ = try await open(path) }
            #expect(error?.code == .cannotOpen)
            #expect(error?.description.hasPrefix("'\(path)': unable to open database file (SQLite ") == true)
        }
        #expect(try folder.names == ["file"])
        #expect(folder.contents(of: "file") == Data("text".utf8))
    }

    @Test(.disabled(if: getuid() == 0, "there is no folder in which this user may not write"))
    func readOnlyFolderRefusesNewFilesAndWrites() async throws {
        let store = try await open(folder.file("old.db"))
        try await store.commit(Authorship.tag(1))
        await store.close()
        let bytes = folder.contents(of: "old.db")
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        let isMissing = await #expect(throws: PersistenceError.self) { _ = try await open(folder.file("new.db")) }
        #expect(isMissing?.code == .cannotOpen)
        #expect(isMissing?.description.hasPrefix("'\(folder.file("new.db"))': unable to open") == true)
        let isThere = await #expect(throws: PersistenceError.self) { _ = try await open(folder.file("old.db")) }
        #expect(isThere?.code == .readOnly)
        let remedy = ": make the file and its folder writable, and write in a write rather than in a read"
        #expect(isThere?.description.hasPrefix("'\(folder.file("old.db"))': ") == true)
        #expect(isThere?.description.hasSuffix(remedy) == true, "\(String(describing: isThere))")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        #expect(try folder.names == ["old.db"])
        #expect(folder.contents(of: "old.db") == bytes)
    }

    @Test func commitFailsWhileAnotherProgramWritesAndSucceedsLater() async throws {
        let store = try await open(folder.file())
        try await store.commit(Authorship.tag(1))
        let other = try OtherProgram(folder.file())
        let before = bytes
        try other.run("BEGIN IMMEDIATE")
        let error = await #expect(throws: PersistenceError.self) { try await store.commit(Authorship.tag(2)) }
        expectLocked(error)
        #expect(bytes == before)
        // A read does not wait, and does not see the write.
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1])
        #expect(try await store.read { try $0.sequence } == 1)
        try other.run("ROLLBACK")
        try await store.commit(Authorship.tag(2))
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1, 2])
        await store.close()
    }

    @Test func migrationFailsWhileAnotherProgramWritesAndSucceedsLater() async throws {
        let store = try await open(folder.file())
        try await store.commit(Authorship.tag(1))
        await store.close()
        let wider = try Authorship.schema.adding([
            Entity("Place", attributes: [Attribute("id", .integer, isPrimaryKey: true)])
        ])
        let other = try OtherProgram(folder.file())
        let definitions = try other.texts("SELECT sql FROM sqlite_master ORDER BY name")
        try other.run("BEGIN IMMEDIATE")
        let error = await #expect(throws: PersistenceError.self) { _ = try await open(folder.file(), wider) }
        expectLocked(error)
        try other.run("ROLLBACK")
        #expect(try other.texts("SELECT sql FROM sqlite_master ORDER BY name") == definitions)
        let again = try await open(folder.file(), wider)
        #expect(try await again.read { try $0.keys(of: "Tag") } == [1])
        #expect(try await again.read { try $0.keys(of: "Place") } == [])
        await again.close()
    }

    /// The bytes of the file, and of what was written ahead.
    private var bytes: [Data?] { ["notes.db", "notes.db-wal"].map { folder.contents(of: $0) } }

    private func expectLocked(_ error: PersistenceError?, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(error?.code == .locked, sourceLocation: sourceLocation)
        #expect(
            error?.description == """
                '\(folder.file())': database is locked (SQLite 5), in 'BEGIN IMMEDIATE': another connection is writing; try \
                again, or allow it a longer busy timeout
                """, sourceLocation: sourceLocation)
    }

    @Test func fileThatIsNoStoreIsRefusedByTheKindOfFile() async throws {
        folder.write(Data(repeating: UInt8(ascii: "x"), count: 4_096))
        let text = await #expect(throws: PersistenceError.self) { _ = try await open(folder.file()) }
        #expect(text?.code == .notADatabase)
        folder.write(Data(), to: "other.db")
        try OtherProgram(folder.file("other.db")).run("CREATE TABLE note (text)")
        let foreign = await #expect(throws: PersistenceError.self) { _ = try await open(folder.file("other.db")) }
        #expect(foreign?.code == .foreignFile)
        await (try await open(folder.file("later.db"))).close()
        try OtherProgram(folder.file("later.db")).run("PRAGMA user_version = 99")
        let later = await #expect(throws: PersistenceError.self) { _ = try await open(folder.file("later.db")) }
        #expect(later?.code == .newerFormat)
    }

    @Test func constraintOfAnotherProgramRefusesACommit() async throws {
        let store = try await open(folder.file())
        try OtherProgram(folder.file()).run(
            "CREATE TRIGGER refusal BEFORE INSERT ON Tag WHEN NEW.id > 1 BEGIN SELECT RAISE(ABORT, 'no'); END")
        try await store.commit(Authorship.tag(1))
        let error = await #expect(throws: PersistenceError.self) { try await store.commit(Authorship.tag(2)) }
        #expect(error?.code == .constraint)
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1])
        await store.close()
    }

    // SQLite has one default file system, so the test runs in a process of its own.
    @Test func fileSystemWithoutSharedMemoryIsRefused() async {
        await #expect(processExitsWith: .success) {
            sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1)
            let folder = TemporaryFolder()
            let error = await #expect(throws: PersistenceError.self) {
                _ = try await SQLiteAdapter.open(at: folder.file(), schema: Authorship.schema)
            }
            try #require(error?.code == .noWriteAheadLog)
        }
    }

    #if os(Linux)  // Apple's SQLite runs no functions when it opens a connection.
        @Test func valueBeyondALimitOfSQLiteIsRefused() async {
            await #expect(processExitsWith: .success) {
                let lower: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32 = { handle, _, _ in
                    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 100_000)
                    return SQLITE_OK
                }
                // because: SQLite's declaration of the function lacks the arguments that SQLite passes to it.
                sqlite3_auto_extension(unsafeBitCast(lower, to: (@convention(c) () -> Void).self))
                let schema = try Schema {
                    Entity("Note") {
                        Attribute("id", .integer, isPrimaryKey: true)
                        Attribute("text", .string)
                    }
                }
                let store = try await SQLiteAdapter.inMemory(schema: schema)
                for (count, code) in [(1_000, nil), (200_000, .tooBig)] as [(Int, PersistenceError.Code?)] {
                    var changes = ChangeSet()
                    let text = String(repeating: "x", count: count)
                    changes.put(Record(schema["Note"]!, ["id": 1, "text": .string(text)]))
                    var found: PersistenceError.Code?
                    do {
                        try await store.commit(changes)
                    } catch let error as PersistenceError {
                        found = error.code
                    }
                    try #require(found == code)
                }
            }
        }
    #endif
}
