import PersistenceAdapterTesting
import TestSupport
import Testing

struct ForEveryFailureTests {
    private let schema = Authorship.schema

    @Test func everyFailureOfAStoreInMemory() async throws {
        let count = try await forEveryFailure(of: { InMemoryAdapter(schema: schema) }) { store in
            try await Authorship.commit(to: store)
        } afterwards: { store, failure in
            let isWhole = try await Authorship.isWhole(store)
            #expect(isWhole)
            let users = try await store.read { try $0.count(Query("User")) }
            if failure == nil { #expect(users == 0) }
        }
        // Three commits, before and after each; and all rows.
        #expect(count > 6 + 7 + 7 + 7)
    }

    @Test func scenarioThatGoesOn() async throws {
        try await forEveryFailure(of: { InMemoryAdapter(schema: schema) }) { store in
            do {
                try await Authorship.commit(to: store)
            } catch is SimulatedFailure {
                try await store.commit(Authorship.tag(9))
            }
        } afterwards: { store, failure in
            let isThere = try await store.read { try $0.record(RecordID("Tag", 9)) } != nil
            #expect(isThere == (failure != nil))
        }
    }

    @Test func storeThatKeepsHalf() async throws {
        let error = await #expect(throws: ContractError.self) {
            try await forEveryFailure(of: { BrokenAdapter(schema, .keepsChangesAfterErrors) }) {
                try await Authorship.commit(to: $0)
            }
        }
        // Each failure but those after a commit, where nothing is to be undone, leaves something.
        #expect(error?.report.violations.isEmpty == false)
        #expect(error?.report.violations.contains { $0.check.contains("afterCommit") } == false)
    }
}
