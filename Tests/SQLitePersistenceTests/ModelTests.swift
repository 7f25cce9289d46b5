import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Random changes have the same effect in SQLite as in memory, record by record and note by note.
struct ModelTests {
    @Test func randomSchemas() async throws {
        #if DEBUG
            let count: UInt64 = 25
        #else
            let count: UInt64 = 80
        #endif
        let folder = TemporaryFolder()
        for seed in environmentSeed.map({ $0..<($0 + 1) }) ?? 0..<count {
            let schema = try RandomSchema(seed: seed).schema
            let difference = try await firstDifference(
                between: InMemoryAdapter(schema: schema),
                and: try await SQLiteAdapter.open(at: folder.file("\(seed).sqlite"), schema: schema), seed: seed,
                rounds: 40,
                reopen: { adapter in
                    let path = adapter.path ?? ""
                    await adapter.close()
                    return try await SQLiteAdapter.open(at: path, schema: schema)
                })
            if let difference {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }
}
