import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct CycleTraceTests {
    /// A server of two items, and a phone that knows them.
    private func world() async throws -> (
        server: SimulatedRemoteServer<Item, Int>, phone: PersistentCollection<Item, Int>
    ) {
        let server = SimulatedRemoteServer<Item, Int>(primaryKey: \.id)
        let phone = try await itemCollection([Item(1), Item(2)])
        let first = try await phone.synchronize(with: server, pushID: "first", policy: .unexpected)
        #expect(first.trace.description == "pull, push accepted · pushed 2 added")
        return (server, phone)
    }

    @Test func outcomeHoldsTheTrace() async throws {
        let (server, phone) = try await world()
        let tablet = try await itemCollection()
        try await tablet.synchronize(with: server, pushID: "tablet 1", policy: .unexpected)
        try await tablet.upsert(contentsOf: [Item(1, 5), Item(3)])
        try await tablet.synchronize(with: server, pushID: "tablet 2", policy: .unexpected)
        try await phone.upsert(contentsOf: [Item(1, 1), Item(4)])
        let outcome = try await phone.synchronize(with: server, pushID: "a", policy: .leaveOpen)
        #expect(
            outcome.trace.description
                == "push refused, pull, push accepted · pulled 1 added; pushed 1 added; 1 conflict open")
        #expect(outcome.trace.counts == outcome.counts)
        #expect(outcome.trace.ending == outcome.ending)
    }

    @Test func eachAnswerIsTracedAndSoIsAnErrorOfTheRemote() async throws {
        let (server, phone) = try await world()
        try await phone.upsert(Item(3))
        let lines = Locked<[String]>([])
        let remote = FaultyRemote(server) { _ in .answerLost }
        let tracing = { @Sendable (trace: SyncTrace) in lines.withLock { $0.append(trace.description) } }
        await #expect(throws: LostMessage.self) {
            try await phone.synchronize(with: remote, pushID: "a", policy: .unexpected, tracing: tracing)
        }
        let outcome = try await phone.synchronize(with: server, pushID: "b", policy: .unexpected, tracing: tracing)
        #expect(
            lines.current == [
                "no answer to push · nothing changed", "push confirmed · pushed 1 added",
                "push confirmed, pull · pushed 1 added",
            ])
        #expect(outcome.trace.description == lines.current.last)
    }

    private struct NoPush: Error {}

    @Test func traceAndProgressFollowTheSteps() async throws {
        let phone = try await itemCollection([Item(0)])
        let reported = Locked<[CycleProgress]>([])
        var cycle = DurableCycle(phone, pushID: "a", account: "Ada", policy: .unexpected) { progress in
            reported.withLock { $0.append(progress) }
        }
        #expect(cycle.trace == SyncTrace())
        #expect(try await cycle.begin() == .pull(since: nil))
        let remote = (1...2_500).map { Item($0) }
        let step = try await cycle.pulled(.everything(remote, RemoteVersion(epoch: "e", commit: "1")))
        guard case .push(let push) = step else { throw NoPush() }
        #expect(push.changes == Diff([.add(Item(0))]))
        #expect(cycle.trace.description == "full pull · pulled 2500 added")
        let fractions = reported.current.map(\.fraction)
        #expect(fractions == reported.current.map { Double($0.completed) / Double($0.total) })
        #expect(fractions.count == 3 && fractions == fractions.sorted() && fractions.last == 1)
    }
}
