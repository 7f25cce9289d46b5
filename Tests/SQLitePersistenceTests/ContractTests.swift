import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

@Suite("The contract of stores")
struct ContractTests {
    @Test("a store in an SQLite file keeps it, and holds what it held when it is opened again")
    func file() async throws {
        let folder = TemporaryFolder()
        try await checkPersistenceAdapter(
            reopen: { adapter, schema in
                await adapter.close()
                return try await SQLiteAdapter.open(at: adapter.path ?? "", schema: schema)
            },
            { schema in try await SQLiteAdapter.open(at: folder.file("\(UUID()).sqlite"), schema: schema) })
    }

    @Test("a store in SQLite's memory keeps it")
    func memory() async throws {
        try await checkPersistenceAdapter { schema in try await SQLiteAdapter.inMemory(schema: schema) }
    }
}
