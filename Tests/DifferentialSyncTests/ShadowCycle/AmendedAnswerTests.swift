import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// A remote that stores elements in another form than they are pushed in, such as with its own time of modification.
struct AmendedAnswerTests {
    static let next = SyncCycleTests.next

    @Test func theStampOfTheRemoteIsLearntFromItsAnswer() throws {
        var items = try SyncCycleTests.device()
        var cycle = SyncCycleTests.cycle(.unexpected)
        _ = try cycle.begin(&items)
        let outcome = try #require(cycle.pushed(.accepted(Self.next, amended: [Item(1, 100)]), &items).outcome)
        #expect(outcome.ending == .synced)
        #expect(items[1] == Item(1, 100))
        #expect(items.localDiff == nil)
        #expect(outcome.counts.pulled.replaced == 1)
    }

    @Test func anEditMadeDuringThePushMeetsTheStampInAThreeWayMerge() throws {
        var items = try SyncCycleTests.device()
        let seen = Recorder()
        let policy = ConflictPolicy<Item> { conflict in
            seen.append(conflict)
            return .local
        }
        var cycle = SyncCycleTests.cycle(policy)
        _ = try cycle.begin(&items)
        try items.update(Item(1, 2))
        let step = try cycle.pushed(.accepted(Self.next, amended: [Item(1, 100)]), &items)
        #expect(seen.conflicts == [Conflict(base: Item(1, 1), local: Item(1, 2), remote: Item(1, 100))])
        #expect(step.push?.changes == Diff([.replace(old: Item(1, 100), new: Item(1, 2))]))
    }

    @Test(arguments: [
        ConflictPolicy<Item>.leaveOpen, .remoteWins, .newest(by: \.value), .keepEdits(otherwise: .remoteWins),
    ])
    func noPolicyDropsAnEditMadeDuringThePushForItsStamp(policy: ConflictPolicy<Item>) throws {
        var items = try SyncCycleTests.device()
        var cycle = SyncCycleTests.cycle(policy)
        _ = try cycle.begin(&items)
        try items.update(Item(1, 2))
        let step = try cycle.pushed(.accepted(Self.next, amended: [Item(1, 100)]), &items)
        #expect(items.conflicts == [])
        #expect(step.push?.changes == Diff([.replace(old: Item(1, 100), new: Item(1, 2))]))
    }

    @Test(arguments: [
        ConflictPolicy<Item>.leaveOpen, .remoteWins, .newest(by: \.value), .keepEdits(otherwise: .remoteWins),
    ])
    func noPolicyUndoesADeletionMadeDuringThePushForItsStamp(policy: ConflictPolicy<Item>) throws {
        var items = try SyncCycleTests.device()
        var cycle = SyncCycleTests.cycle(policy)
        _ = try cycle.begin(&items)
        items.remove(1)
        let step = try cycle.pushed(.accepted(Self.next, amended: [Item(1, 100)]), &items)
        #expect(items[1] == nil)
        #expect(step.push?.changes == Diff([.delete(Item(1, 100))]))
    }

    @Test func aRemoteCanAmendOtherRecordsAndUndoADeletion() throws {
        var items = try SyncCycleTests.unchanged()
        items.remove(1)
        var cycle = SyncCycleTests.cycle(.unexpected)
        _ = try cycle.begin(&items)
        let step = try cycle.pushed(.accepted(Self.next, amended: [Item(1, 9), Item(2, 9), Item(3, 9)]), &items)
        #expect(step.outcome?.isSynced == true)
        #expect(Set(items) == [Item(1, 9), Item(2, 9), Item(3, 9)])
        #expect(items.localDiff == nil)
    }

    @Test func amendedElementsThatContradictEachOtherAreRefused() throws {
        var items = try SyncCycleTests.device()
        var cycle = SyncCycleTests.cycle(.unexpected)
        _ = try cycle.begin(&items)
        let before = items.stored
        #expect(throws: KeyError.self) {
            try cycle.pushed(.accepted(Self.next, amended: [Item(1, 3), Item(1, 4)]), &items)
        }
        #expect(items.stored == before)
        #expect(try cycle.pushed(.accepted(Self.next), &items).outcome?.isSynced == true)
    }

    /// A server that cuts times to whole tens, as others cut dates to seconds.
    @Test func aRemoteThatRoundsLeavesNoDeviceUnequal() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id, amend: { Item($0.id, $0.value / 10 * 10) })
        remote.reset(to: [Item(1)])
        var devices = try [0, 1].map { _ in try JournaledCollection<Item, Int>([]) }
        for index in [0, 1] { try remote.synchronize(&devices[index], pushID: "start \(index)", policy: .unexpected) }
        try devices[0].update(Item(1, 57))
        try remote.synchronize(&devices[0], pushID: "a", policy: .unexpected)
        #expect(devices[0][1] == Item(1, 50))
        try devices[0].insert(Item(2, 33))
        // The answer is lost: the status brings the form of the remote.
        try remote.synchronize(&devices[0], pushID: "b", policy: .unexpected) { .answerLost }
        #expect(devices[0][2] == Item(2, 33))
        let outcome = try remote.synchronize(&devices[0], pushID: "c", policy: .unexpected)
        #expect(outcome.counts.pushed.added == 1)
        try remote.synchronize(&devices[1], pushID: "d", policy: .unexpected)
        for device in devices { #expect(Set(device) == [Item(1, 50), Item(2, 30)]) }
    }

    /// With `newest(by:)` a device that does not know the server's stamp would lose its next edit.
    @Test func theNewerEditIsNotLostToTheStampOfTheOlderOne() throws {
        struct Entry: Hashable, Identifiable {
            let id: Int
            var text: String
            var modified: Int
        }
        let clock = Clock()
        var remote = SimulatedRemote<Entry, Int>(primaryKey: \.id) { entry in
            var entry = entry
            entry.modified = clock.tick()
            return entry
        }
        remote.reset(to: [Entry(id: 1, text: "", modified: 0)])
        var device = try JournaledCollection<Entry, Int>([])
        try remote.synchronize(&device, pushID: "a", policy: .unexpected)
        try device.edit(1) { $0.text = "first" }
        try remote.synchronize(&device, pushID: "b", policy: .newest(by: \.modified))
        #expect(device[1]?.modified == 1_001)
        try device.edit(1) { $0.text = "second" }
        try remote.synchronize(&device, pushID: "c", policy: .newest(by: \.modified))
        #expect(remote.elements.map(\.text) == ["second"])
        #expect(device[1]?.text == "second")
    }
}

/// Records conflicts in the order in which they were put to a policy.
// because: a test uses it from one thread.
final class Recorder: @unchecked Sendable {
    private(set) var conflicts: [Conflict<Item>] = []

    func append(_ conflict: Conflict<Item>) { conflicts.append(conflict) }
}

/// A server's clock, which counts up.
// because: a test uses it from one thread.
private final class Clock: @unchecked Sendable {
    private var time = 1_000

    func tick() -> Int {
        time += 1
        return time
    }
}
