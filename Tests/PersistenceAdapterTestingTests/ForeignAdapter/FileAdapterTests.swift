import Foundation
import PersistenceAdapterTesting
import SyncPersistence
import Testing

/// An adapter of another package, which uses only public API, passes the contract.
struct FileAdapterTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("FileAdapterTests-\(UUID())")

    @Test func adapterOfAnotherPackageKeepsTheContract() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let folder = folder
        try await checkPersistenceAdapter(
            reopen: { store, schema in
                await store.close()
                return try FileAdapter(path: store.path, schema: schema)
            },
            { schema in
                try FileAdapter(path: folder.appendingPathComponent(UUID().uuidString).path, schema: schema)
            })
    }

    @Test func commitThatACrashHasCutIsNotThere() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let path = folder.appendingPathComponent("notes").path
        var store = try FileAdapter(path: path, schema: schema)
        for id in 1...2 as ClosedRange<Int64> {
            try await store.write { transaction in
                var changes = ChangeSet()
                try changes.put(Record("Note", in: schema, ["id": .integer(id)]))
                try transaction.apply(changes)
            }
        }
        await store.close()
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try data.dropLast(5).write(to: URL(fileURLWithPath: path))
        store = try FileAdapter(path: path, schema: schema)
        let keys = try await store.read { try $0.keys(of: "Note") }
        #expect(keys == [1])
        await store.close()
    }
}
