import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// Cycles of one store that are driven by hand, so that another cycle continues between two of their steps.
@Suite struct OvertakenCycleTests {
    /// A store with a local change.
    private let store: InMemoryAdapter

    init() async throws {
        store = InMemoryAdapter(schema: try Schema.notes(withColor: false))
        var changes = ChangeSet()
        try changes.put(Record("Note", in: store.schema, ["id": 1, "text": "milk"]))
        try await store.commit(changes)
    }

    /// Reports the response of a service with three pages without records, and returns the next step.
    private static func answer(
        _ step: StoreCycle.Step, to cycle: inout StoreCycle, in transaction: WriteTransaction
    ) throws -> StoreCycle.Step {
        switch step {
        case .handshake:
            return try cycle.received(HandshakeResponse(account: "ada", epoch: "e", sequence: 3), in: transaction)
        case .pull(let request):
            let cursor = SyncCursor(epoch: "e", sequence: min(request.cursor.sequence + 1, 3))
            let page = PullResponse(entries: [], cursor: cursor, hasMore: cursor.sequence < 3)
            return try cycle.received(page, in: transaction)
        case .push(let push):
            let outcomes = push.mutations.map { _ in PushResponse.Outcome.accepted() }
            return try cycle.received(PushResponse(name: push.name, outcomes: outcomes), in: transaction)
        case .finished: return step
        }
    }

    /// Begins a cycle, and reports a number of responses in the same transaction.
    private func begun(_ name: String, responseCount: Int) async throws -> (StoreCycle, StoreCycle.Step) {
        try await store.write { transaction in
            var cycle = StoreCycle(makeName: countedNames(name))
            var step = try cycle.begin(in: transaction)
            for _ in 0..<responseCount { step = try Self.answer(step, to: &cycle, in: transaction) }
            return (cycle, step)
        }.result
    }

    /// Another cycle runs to its end while one waits for the response to its handshake, a page or its push.
    @Test(arguments: 0...4) func anOvertakenCycleThrowsAndStoresNothing(responseCount: Int) async throws {
        let (cycle, step) = try await begun("first", responseCount: responseCount)
        _ = try await begun("second", responseCount: 10)
        let sequence = try await store.read { try $0.sequence }
        for isAnswered in [true, false] {
            let code = try await store.write { transaction throws -> PersistenceError.Code? in
                var cycle = cycle
                do {
                    if isAnswered {
                        _ = try Self.answer(step, to: &cycle, in: transaction)
                    } else {
                        _ = try cycle.failed(.later(), in: transaction)
                    }
                    return nil
                } catch let error as PersistenceError {
                    return error.code
                }
            }.result
            #expect(code == .cycleOvertaken)
        }
        #expect(try await store.read { try $0.sequence } == sequence)
    }

    @Test func aCycleContinuesAfterSeveralPagesInOneTransaction() async throws {
        var (cycle, step) = try await begun("first", responseCount: 3)
        for _ in 1...2 {
            (cycle, step) = try await store.write { [cycle, step] transaction in
                var cycle = cycle
                let next = try Self.answer(step, to: &cycle, in: transaction)
                return (cycle, next)
            }.result
        }
        guard case .finished(let outcome) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(outcome.isSynced && outcome.pushedCount == 1)
    }
}
