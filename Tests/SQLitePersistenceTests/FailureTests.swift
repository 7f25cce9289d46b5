import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import TestSupport
import Testing

@Suite("A file whose commits fail")
struct FailureTests {
    @Test("before, within and after each commit: the file holds what it held before it, or all of it")
    func everyFailure() async throws {
        let folder = TemporaryFolder()
        let count = try await forEveryFailure(of: {
            try await SQLiteAdapter.open(at: folder.file("\(UUID()).sqlite"), schema: Authorship.schema)
        }) { store in
            try await Authorship.commit(to: store)
        } afterwards: { store, _ in
            let isWhole = try await Authorship.isWhole(store)
            #expect(isWhole)
        }
        #expect(count > 25)
    }
}
