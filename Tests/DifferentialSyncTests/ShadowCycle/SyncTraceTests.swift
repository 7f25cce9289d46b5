import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

struct SyncTraceTests {
    /// A remote with two items, and a device that knows them.
    private func world() throws -> (remote: SimulatedRemote<Item, Int>, device: JournaledCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        // Only what was pushed is in the remote's history, by which it knows what changed since a version.
        var device = try JournaledCollection<Item, Int>(restoring: StoredCollection(client: [Item(1), Item(2)]))
        try remote.synchronize(&device, pushID: "first", policy: .leaveOpen)
        return (remote, device)
    }

    /// Another device's push.
    private func push(
        _ remote: inout SimulatedRemote<Item, Int>, _ edit: (inout JournaledCollection<Item, Int>) throws -> Void
    ) throws {
        var other = try JournaledCollection<Item, Int>([], primaryKey: \.id)
        try remote.synchronize(&other, pushID: "other \(remote.elements) 1", policy: .leaveOpen)
        try edit(&other)
        try remote.synchronize(&other, pushID: "other \(remote.elements) 2", policy: .leaveOpen)
    }

    @Test func eachMessageIsListedWithItsAnswerAndItsChanges() throws {
        var (remote, device) = try world()
        try push(&remote) {
            try $0.upsert(Item(1, 5))
            try $0.upsert(Item(3))
        }
        let known = device.version
        try device.upsert(Item(1, 1))
        try device.upsert(Item(4))
        let trace = try remote.synchronize(&device, pushID: "a", policy: .localWins).trace
        #expect(trace.events.map(\.message) == [.push(pushID: "a"), .pull(since: known), .push(pushID: "a.2")])
        #expect(trace.events.map(\.answer) == [.refused, .changes, .accepted])
        #expect(trace.events.map(\.pulled.total) == [0, 1, 0])
        #expect(trace.events.map(\.pushed.total) == [0, 0, 2])
        #expect(trace.events.map(\.resolved) == [0, 1, 0])
        #expect(trace.ending == .synced)
        #expect(
            trace.description
                == "push refused, pull, push accepted · pulled 1 added; pushed 1 added, 1 replaced; 1 conflict resolved"
        )
    }

    @Test func openConflictsStandAtTheEnd() throws {
        var (remote, device) = try world()
        try push(&remote) {
            try $0.upsert(Item(1, 5))
            try $0.upsert(Item(2, 5))
        }
        try device.upsert(Item(1, 1))
        try device.upsert(Item(2, 1))
        let trace = try remote.synchronize(&device, pushID: "a", policy: .leaveOpen).trace
        #expect(trace.description == "push refused, pull · nothing changed; 2 conflicts open")
    }

    @Test func lostAnswersAreShown() throws {
        var (remote, device) = try world()
        try device.upsert(Item(3))
        #expect(
            try remote.synchronize(&device, pushID: "a", policy: .leaveOpen, deliver: { .answerLost }).trace.description
                == "no answer to push · nothing changed")
        #expect(
            try remote.synchronize(&device, pushID: "b", policy: .leaveOpen, deliver: { .requestLost }).trace
                .description == "no answer about push · nothing changed")
        #expect(
            try remote.synchronize(&device, pushID: "c", policy: .leaveOpen).trace.description
                == "push confirmed, pull · pushed 1 added")
        #expect(
            try remote.synchronize(&device, pushID: "d", policy: .leaveOpen, deliver: { .requestLost }).trace
                .description == "no answer to pull · nothing changed")
    }

    @Test func lostRequestIsSentAgain() throws {
        var (remote, device) = try world()
        try device.upsert(Item(3))
        try remote.synchronize(&device, pushID: "a", policy: .leaveOpen, deliver: { .requestLost })
        #expect(
            try remote.synchronize(&device, pushID: "b", policy: .leaveOpen).trace.description
                == "push not applied, push accepted, pull · pushed 1 added")
    }

    @Test func amendedElementsCountAsPulled() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id) { Item($0.id, $0.value + 1) }
        var device = try JournaledCollection<Item, Int>(restoring: StoredCollection(client: [Item(1)]))
        let trace = try remote.synchronize(&device, pushID: "a", policy: .leaveOpen).trace
        #expect(trace.events.map(\.answer) == [.nothing, .accepted])
        #expect(trace.description == "pull, push accepted · pulled 1 replaced; pushed 1 added")
    }

    @Test func resetRemoteIsPulledAsAWhole() throws {
        var (remote, device) = try world()
        let version = device.version
        remote.reset(to: [Item(1, 1), Item(2)])
        var cycle = SyncCycle<Item, Int>(pushID: "a", policy: .leaveOpen)
        _ = try cycle.begin(&device)
        #expect(cycle.trace == SyncTrace())
        #expect(cycle.trace.description == "no messages · nothing changed")
        let other = RemoteVersion(epoch: "other", commit: "1")
        _ = try cycle.pulled(.changes(changed: [], deleted: [], other), &device)
        #expect(cycle.trace.events.map(\.answer) == [.otherEpoch])
        _ = try cycle.pulled(remote.pull(since: nil), &device)
        #expect(cycle.trace.events.map(\.message) == [.pull(since: version), .pull(since: nil)])
        #expect(
            cycle.trace.description == "pull from another epoch, full pull · pulled 1 replaced")
    }

    @Test func refusedReportLeavesNoEvent() throws {
        var (_, device) = try world()
        var cycle = SyncCycle<Item, Int>(pushID: "a", policy: .leaveOpen)
        _ = try cycle.begin(&device)
        #expect(throws: CycleError.self) { try cycle.pushed(.refused, &device) }
        #expect(throws: KeyError.self) {
            try cycle.pulled(.everything([Item(1), Item(1, 1)], RemoteVersion(epoch: "e", commit: "c")), &device)
        }
        #expect(cycle.trace.events == [])
    }

    @Test func surrenderIsStated() throws {
        var (remote, device) = try world()
        try device.upsert(Item(3))
        var number = 0
        let cycle = SyncCycle<Item, Int>(pushID: "a", maximumRounds: 2, policy: .leaveOpen)
        let trace = try remote.synchronize(
            &device, by: cycle,
            deliver: { .delivered },
            whilePushing: { device, _ in
                number += 1
                try device.upsert(Item(3, number))
            }
        ).trace
        #expect(trace.description.hasSuffix("; gave up after 2 rounds"))
        #expect(trace.ending == .gaveUp(rounds: 2))
    }
}
