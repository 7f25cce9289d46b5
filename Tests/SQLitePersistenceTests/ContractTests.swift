import Foundation
import PersistenceAdapterTesting
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct ContractTests {
    @Test func sqliteFileFulfilsTheContractAndKeepsRecordsAcrossReopening() async throws {
        let folder = TemporaryFolder()
        try await checkPersistenceAdapter(
            reopen: { adapter, schema in
                await adapter.close()
                return try await SQLiteAdapter.open(at: adapter.path ?? "", schema: schema)
            },
            { schema in try await SQLiteAdapter.open(at: folder.file("\(UUID()).sqlite"), schema: schema) })
    }

    @Test func sqliteInMemoryStoreFulfilsTheContract() async throws {
        try await checkPersistenceAdapter { schema in try await SQLiteAdapter.inMemory(schema: schema) }
    }
}
