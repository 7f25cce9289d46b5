import Foundation
import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

/// Files that others have open, may not be written, or are taken away.
struct SharedFileTests {
    private let folder = TemporaryFolder()

    private func open(_ schema: Schema = Authorship.schema, isReadOnly: Bool = false) async throws -> SQLiteAdapter {
        var options = SQLiteAdapter.Options()
        options.busyTimeout = .zero
        options.isReadOnly = isReadOnly
        return try await SQLiteAdapter.open(at: folder.file(), schema: schema, options: options)
    }

    private static let place = Entity("Place", attributes: [Attribute("id", .integer, isPrimaryKey: true)])

    @Test func upToDateFileIsOpenedWhileAnotherWrites() async throws {
        let store = try await open()
        try await store.commit(Authorship.tag(1))
        try await store.add([Self.place])
        let other = try Connection.open(.file(folder.file()))
        try other.run("BEGIN IMMEDIATE")
        try other.run("INSERT INTO Tag (id, \"sync.digest\") VALUES (2, 0)")
        for isReadOnly in [false, true] {
            let second = try await open(isReadOnly: isReadOnly)
            #expect(try await second.read { try $0.keys(of: "Tag") } == [1])
            // What was added while the file was open needs no writing either.
            try await second.add([Self.place])
            #expect(second.schema["Place"] != nil)
            await second.close()
        }
        try other.run("ROLLBACK")
        await store.close()
    }

    @Test func readOnlyStoreReadsAndRefusesEachWrite() async throws {
        let store = try await open()
        try await store.commit(Authorship.tag(1))
        let reader = try await open(isReadOnly: true)
        #expect(try await reader.read { try $0.keys(of: "Tag") } == [1])
        try await store.commit(Authorship.tag(2))
        #expect(try await reader.read { try $0.keys(of: "Tag") } == [1, 2])
        let writes: [@Sendable () async throws -> Void] = [
            { try await reader.commit(Authorship.tag(3)) },
            { try await reader.write { _ in } },
            { try await reader.add([Self.place]) },
        ]
        for write in writes {
            let error = await #expect(throws: PersistenceError.self) { try await write() }
            #expect(error?.code == .readOnly)
            #expect(error?.description.contains("'isReadOnly' false") == true)
        }
        await reader.close()
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1, 2])
        await store.close()
    }

    @Test func readOnlyOpeningOfAFileThatMustBeChangedSaysSo() async throws {
        let missing = await #expect(throws: PersistenceError.self) { _ = try await open(isReadOnly: true) }
        #expect(missing?.code == .cannotOpen)
        #expect(try folder.names == [])
        let store = try await open()
        await store.close()
        let bytes = folder.contents()
        let wider = try Authorship.schema.adding([Self.place])
        let error = await #expect(throws: PersistenceError.self) { _ = try await open(wider, isReadOnly: true) }
        #expect(error?.code == .readOnly)
        #expect(error?.description.contains("lacks entities or properties of the schema") == true)
        #expect(error?.path == folder.file())
        let refused = await #expect(throws: PersistenceError.self) {
            _ = try await open(Schema([Self.place]), isReadOnly: true)
        }
        #expect(refused?.code == .schemaChange, "opening it for writing is refused as well")
        #expect(folder.contents() == bytes)
    }

    @Test func fileThatIsReplacedWhileItIsOpenedIsRefused() async throws {
        let (files, path, other) = (FileManager.default, folder.file(), folder.file("other.db"))
        for file in [path, other] {
            let store = try await SQLiteAdapter.open(at: file, schema: Authorship.schema)
            await store.close()
        }
        let error = sqliteError {
            let connection = try Connection.open(.file(path)) { _ in
                try files.removeItem(atPath: path)
                try files.moveItem(atPath: other, toPath: path)
            }
            connection.close()
        }
        #expect(error?.code == .movedFile)
    }

    @Test func storeThatIsBeingDeletedCannotBeOpened() async throws {
        let store = try await open()
        try await store.commit(Authorship.tag(1))
        await store.close()
        let connection = try SQLiteAdapter.openAlone(folder.file())
        let error = await #expect(throws: PersistenceError.self) { _ = try await open() }
        #expect(error?.code == .locked)
        connection.close()
        try await SQLiteAdapter.delete(at: folder.file())
        #expect(try folder.names == [])
    }

    @Test(arguments: ["rename", "delete", "replace", "delete the log"], [false, true])
    func commitIntoAFileThatWasTakenAwayIsRefused(how: String, hasWritten: Bool) async throws {
        var store = try await open()
        try await store.commit(Authorship.tag(1))
        if !hasWritten {
            await store.close()
            store = try await open()
        }
        let files = FileManager.default
        switch how {
        case "rename": try files.moveItem(atPath: folder.file(), toPath: folder.file("elsewhere.db"))
        case "delete": try files.removeItem(atPath: folder.file())
        case "replace":
            let bytes = try #require(folder.contents())
            try files.removeItem(atPath: folder.file())
            folder.write(Data(count: 4_096), to: "other.db")
            folder.write(bytes)
        default: try files.removeItem(atPath: folder.file("notes.db-wal"))
        }
        for _ in 0..<2 {
            let error = await #expect(throws: PersistenceError.self) { try await store.commit(Authorship.tag(2)) }
            #expect(error?.code == .movedFile)
            #expect(error?.path == folder.file())
            #expect(
                error?.message == """
                    the file or its write-ahead log was renamed, replaced or deleted while it was open: nothing of this \
                    transaction is stored; close this store, and open the file where it is now
                    """)
        }
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1])
        await store.close()
    }

    @Test func fullDiskIsAnErrorOfTheStore() async throws {
        let store = try await open()
        try await store.commit(Authorship.tag(1))
        try await store.pool.write { connection in
            try connection.setPragma("max_page_count", to: connection.integer(ofPragma: "page_count"))
        }
        var changes = ChangeSet()
        for key in 2...5_000 { changes.put(Record(Authorship.schema["Tag"]!, ["id": .integer(Int64(key))])) }
        let error = await #expect(throws: PersistenceError.self) { try await store.commit(changes) }
        #expect(error?.code == .full)
        #expect(error?.path == folder.file())
        #expect(error?.description.hasSuffix("free some space, and try again") == true)
        // Within a transaction, the error is the same.
        let code = await #expect(throws: PersistenceError.self) {
            try await store.write { [changes] transaction in
                #expect(throws: PersistenceError.self) {
                    try transaction.apply(changes)
                    _ = try transaction.count(Query("Tag"))
                }
            }
        }?.code
        #expect(code == .full)
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1])
        await store.close()
    }

    @Test func closedStoreThrowsAnErrorOfTheStore() async throws {
        let store = try await open()
        await store.close()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.read { try $0.sequence } }, { try await store.commit(Authorship.tag(1)) },
            { try await store.add([Self.place]) },
        ]
        for call in calls {
            let error = await #expect(throws: PersistenceError.self) { try await call() }
            #expect(error?.code == .closed)
        }
    }

    @Test func durableStoreAsksApplesDisksToo() async throws {
        let store = try await open()
        let values = try await store.pool.write { connection in
            [try connection.integer(ofPragma: "fullfsync"), try connection.integer(ofPragma: "checkpoint_fullfsync")]
        }
        #expect(values == [1, 1])
        await store.close()
    }
}
