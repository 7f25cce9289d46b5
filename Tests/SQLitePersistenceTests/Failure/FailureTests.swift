import Foundation
import PersistenceAdapterTesting
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct FailureTests {
    private let folder = TemporaryFolder()

    @Test(arguments: FailureScenario.all)
    func failureAroundAnyCommitLeavesTheStateBeforeOrAfterIt(_ scenario: FailureScenario) async throws {
        let count = try await forEveryFailure(
            of: { try await open(folder.file("\(UUID()).sqlite"), scenario.schema) },
            prepare: { try await scenario.prepare($0) },
            scenario: { try await scenario.run($0) },
            afterwards: { store, failure in
                // Which is the state before the commit, or the one after it, as was seen when it failed.
                let dump = try await StoreDump(of: store)
                let again = try await reopened(store)
                let differences = try await StoreDump(of: again).differences(from: dump)
                #expect(differences == [], "\(String(describing: failure))")
                try await scenario.check(again, failure)
                if let file = again as? SQLiteAdapter { await file.close() }
            })
        #expect(count >= scenario.leastFailures)
    }

    private func reopened(_ store: any PersistenceAdapter) async throws -> any PersistenceAdapter {
        let file = try #require(store as? SQLiteAdapter)
        let (path, schema) = (try #require(file.path), file.schema)
        await file.close()
        return try await open(path, schema)
    }

    private func open(_ path: String, _ schema: Schema) async throws -> SQLiteAdapter {
        var options = SQLiteAdapter.Options()
        // No loss of power comes up here, and to be safe from it takes most of the time.
        options.isDurable = false
        options.readerCount = 1
        return try await SQLiteAdapter.open(at: path, schema: schema, options: options)
    }
}
