import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// What becomes of a push whose answer was lost.
struct PushInDoubtTests {
    static let version = SyncCycleTests.version
    static let next = SyncCycleTests.next
    static let last = SyncCycleTests.last

    /// A device whose push has had no answer, and the cycle after it.
    static func deviceInDoubt(
        maximumRounds: Int = 5
    ) throws -> (JournaledCollection<Item, Int>, Push<Item>, SyncCycle<Item, Int>) {
        var items = try SyncCycleTests.device()
        var cycle = SyncCycleTests.cycle()
        let push = try #require(cycle.begin(&items).push)
        #expect(try cycle.failed().outcome?.ending == .inDoubt(pushID: "push"))
        #expect(items.pendingPush == push)
        var second = SyncCycle<Item, Int>(pushID: "another", maximumRounds: maximumRounds, policy: .unexpected)
        #expect(try second.begin(&items).confirms == "push")
        return (items, push, second)
    }

    @Test func anAppliedPushIsAcceptedAndTheCycleGoesOnWithAPull() throws {
        var (items, _, cycle) = try Self.deviceInDoubt()
        try items.insert(Item(9))
        #expect(try cycle.confirmed(.applied(Self.next), &items).pullsSince == .some(Self.next))
        #expect(items.localDiff == Diff([.add(Item(9))]))
        #expect(items.version == Self.next)
        #expect(items.pendingPush == nil)
        let push = try #require(cycle.pulled(.changes(changed: [Item(3)], deleted: [], Self.last), &items).push)
        #expect(push.changes == Diff([.add(Item(9))]))
        let outcome = try #require(
            cycle.pushed(.accepted(RemoteVersion(epoch: "e", commit: "4")), &items).outcome)
        #expect(outcome.ending == .synced)
        #expect(
            outcome.counts
                == SyncCounts(pulled: ChangeCounts(added: 1), pushed: ChangeCounts(added: 1, replaced: 1)))
        #expect(items.shadow == Array(items))
    }

    @Test func aPushThatNeverArrivedIsSentAgainAsItWas() throws {
        var (items, push, cycle) = try Self.deviceInDoubt()
        try items.update(Item(1, 2))
        #expect(try cycle.confirmed(.notApplied, &items).push == push)
        #expect(items.pendingPush == push)
        #expect(try cycle.pushed(.accepted(Self.next), &items).pullsSince == .some(Self.next))
        #expect(items.pendingPush == nil)
        #expect(items.localDiff == Diff([.replace(old: Item(1, 1), new: Item(1, 2))]))
        let second = try #require(cycle.pulled(.changes(changed: [], deleted: [], Self.next), &items).push)
        #expect(second.id == "another")
    }

    @Test func aFirstCopyThatArrivesLateIsRecognized() throws {
        var (items, _, cycle) = try Self.deviceInDoubt()
        try items.update(Item(1, 2))
        _ = try cycle.confirmed(.notApplied, &items)
        // The first copy has arrived meanwhile, so the remote refuses the second one.
        #expect(try cycle.pushed(.refused, &items).confirms == "push")
        #expect(items.pendingPush != nil)
        #expect(try cycle.confirmed(.applied(Self.next), &items).pullsSince == .some(Self.next))
        #expect(items.localDiff == Diff([.replace(old: Item(1, 1), new: Item(1, 2))]))
    }

    @Test func aPushThatIsRefusedTheSecondTimeIsMergedAnew() throws {
        var (items, _, cycle) = try Self.deviceInDoubt()
        try items.update(Item(1, 2))
        _ = try cycle.confirmed(.notApplied, &items)
        _ = try cycle.pushed(.refused, &items)
        #expect(try cycle.confirmed(.notApplied, &items).pullsSince == .some(Self.version))
        #expect(items.pendingPush == nil)
        let push = try #require(cycle.pulled(.changes(changed: [Item(3)], deleted: [], Self.next), &items).push)
        #expect(push.id == "another")
        #expect(push.changes == Diff([.replace(old: Item(1), new: Item(1, 2))]))
    }

    @Test func aRefusedSecondCopyCountsAsARound() throws {
        var (items, _, cycle) = try Self.deviceInDoubt(maximumRounds: 1)
        _ = try cycle.confirmed(.notApplied, &items)
        _ = try cycle.pushed(.refused, &items)
        #expect(try cycle.confirmed(.unknown, &items).outcome?.ending == .gaveUp(rounds: 1))
        #expect(items.pendingPush == nil)
    }

    @Test func aRemoteThatDoesNotKnowIsPulledFrom() throws {
        var (items, _, cycle) = try Self.deviceInDoubt()
        #expect(try cycle.confirmed(.unknown, &items).pullsSince == .some(Self.version))
        #expect(items.pendingPush == nil)
        // The remote had applied it: the same change on both sides is none.
        let step = try cycle.pulled(.changes(changed: [Item(1, 1)], deleted: [], Self.next), &items)
        #expect(step.outcome?.isSynced == true)
        #expect(items.localDiff == nil)
    }

    @Test func aQuestionThatFailsLeavesThePushInDoubt() throws {
        var (items, push, cycle) = try Self.deviceInDoubt()
        #expect(try cycle.failed().outcome?.ending == .inDoubt(pushID: "push"))
        #expect(items.pendingPush == push)
        var third = SyncCycle<Item, Int>(pushID: "third", policy: .unexpected)
        #expect(try third.begin(&items).confirms == "push")
    }

    /// A transport delivers a push twice, and another device edits and deletes elements between the two copies.
    ///
    /// The remote recognizes the second copy, or compares only versions.
    @Test(arguments: [true, false])
    func aPushThatArrivesTwiceOverwritesNothing(recognizesPushes: Bool) throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1)])
        var phone = try JournaledCollection<Item, Int>([])
        try remote.synchronize(&phone, pushID: "a", policy: .unexpected)
        try phone.update(Item(1, 2))
        try phone.insert(Item(5))
        var cycle = SyncCycle<Item, Int>(pushID: "push", recognizesPushes: recognizesPushes, policy: .localWins)
        let push = try #require(cycle.begin(&phone).push)
        _ = try remote.push(push)
        var tablet = try JournaledCollection<Item, Int>([])
        try remote.synchronize(&tablet, pushID: "b", policy: .unexpected)
        try tablet.update(Item(1, 3))
        tablet.remove(5)
        try remote.synchronize(&tablet, pushID: "c", policy: .unexpected)

        let answer: PushAnswer<Item> = try recognizesPushes ? remote.push(push) : .refused
        var step = try cycle.pushed(answer, &phone)
        if case .confirm(let pushID) = step {
            #expect(phone.pendingPush == push)
            step = try cycle.confirmed(remote.status(of: pushID), &phone)
        }
        if case .pull(let version) = step { step = try cycle.pulled(remote.pull(since: version), &phone) }
        #expect(step.outcome?.isSynced == true)
        let messages = recognizesPushes ? "push accepted" : "push refused, push confirmed, pull"
        #expect(step.outcome?.trace.description.hasPrefix("\(messages) ·") == true)
        try remote.synchronize(&phone, pushID: "d", policy: .unexpected)
        #expect(remote.elements == [Item(1, 3)])
        #expect(Array(phone) == [Item(1, 3)])
    }

    @Test(arguments: [PushStatus<Item>.notApplied, .unknown])
    func aRefusedPushThatWasNotAppliedIsMergedAnew(status: PushStatus<Item>) throws {
        var items = try SyncCycleTests.device()
        var cycle = SyncCycle<Item, Int>(pushID: "push", maximumRounds: 2, policy: .localWins)
        _ = try cycle.begin(&items)
        #expect(try cycle.pushed(.refused, &items).confirms == "push")
        #expect(try cycle.confirmed(status, &items).pullsSince == .some(Self.version))
        #expect(items.pendingPush == nil)
        let push = try #require(cycle.pulled(.changes(changed: [Item(1, 3)], deleted: [], Self.next), &items).push)
        #expect(push.id == "push.2")
        #expect(push.changes == Diff([.replace(old: Item(1, 3), new: Item(1, 1))]))
        _ = try cycle.pushed(.refused, &items)
        #expect(try cycle.confirmed(status, &items).outcome?.ending == .gaveUp(rounds: 2))
        #expect(items.pendingPush == nil)
    }

    @Test func aRecordThatWasAddedAndDeletedElsewhereDoesNotComeBack() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1)])
        var phone = try JournaledCollection<Item, Int>([])
        var tablet = phone
        try remote.synchronize(&phone, pushID: "a", policy: .unexpected)
        try phone.insert(Item(2))
        let lost = try remote.synchronize(&phone, pushID: "b", policy: .unexpected) { .answerLost }
        #expect(lost.ending == .inDoubt(pushID: "b"))
        try remote.synchronize(&tablet, pushID: "c", policy: .unexpected)
        tablet.remove(2)
        try remote.synchronize(&tablet, pushID: "d", policy: .unexpected)
        let outcome = try remote.synchronize(&phone, pushID: "e", policy: .unexpected)
        #expect(outcome.ending == .synced)
        #expect(Array(phone) == [Item(1)], "one cycle pulls the deletion too")
        #expect(phone.version == remote.version)
    }
}
