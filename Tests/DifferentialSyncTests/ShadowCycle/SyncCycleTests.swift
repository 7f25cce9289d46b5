import DifferentialSync
import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

/// The state machine, event by event.
struct SyncCycleTests {
    static let version = RemoteVersion(epoch: "e", commit: "1")
    static let next = RemoteVersion(epoch: "e", commit: "2")

    /// A device that has synced with `version`, and changed element 1 since.
    static func device() throws -> JournaledCollection<Item, Int> {
        var items = try JournaledCollection(
            restoring: StoredCollection(client: [Item(1), Item(2)], shadow: [Item(1), Item(2)], version: version))
        try items.update(Item(1, 1))
        return items
    }

    static func cycle(
        _ policy: ConflictPolicy<Item> = .localWins, maximumRounds: Int = 5
    ) -> SyncCycle<Item, Int> {
        SyncCycle(pushID: "push", maximumRounds: maximumRounds, policy: policy)
    }

    @Test func aDeviceThatHasChangesPushesThemInOneRoundTrip() throws {
        var items = try Self.device()
        var cycle = Self.cycle()
        let push = try #require(cycle.begin(items).push)
        #expect(push.id == "push")
        #expect(push.expected == Self.version)
        #expect(push.changes == Diff([.replace(old: Item(1), new: Item(1, 1))]))
        #expect(!push.voidsShadow)
        #expect(items.localDiff != nil, "nothing changes before the push has succeeded")
        items.accept(try #require(cycle.pushed(Self.next).outcome))
        #expect(items.localDiff == nil)
        #expect(items.version == Self.next)
    }

    @Test func aDeviceWithoutChangesPullsOnly() throws {
        var items = try JournaledCollection(
            restoring: StoredCollection(client: [Item(1)], shadow: [Item(1)], version: Self.version))
        var cycle = Self.cycle()
        #expect(try cycle.begin(items).pullsSince == .some(Self.version))
        let step = try cycle.pulled(.changes(changed: [Item(2)], deleted: [1], Self.next), client: items)
        items.accept(try #require(step.outcome))
        #expect(Array(items) == [Item(2)])
        #expect(items.version == Self.next)
    }

    @Test func aRefusedPushIsMergedAgainWithWhatIsThereNow() throws {
        var items = try Self.device()
        var cycle = Self.cycle()
        _ = try cycle.begin(items)
        #expect(try cycle.refused().pullsSince == .some(Self.version))
        let again = try #require(
            cycle.pulled(.changes(changed: [Item(1, 5), Item(3)], deleted: [2], Self.next), client: items).push)
        #expect(again.expected == Self.next)
        #expect(again.changes == Diff([.replace(old: Item(1, 5), new: Item(1, 1))]))
        let last = RemoteVersion(epoch: "e", commit: "3")
        items.accept(try #require(cycle.pushed(last).outcome))
        #expect(Array(items) == [Item(1, 1), Item(3)])
        #expect(items.shadow == Array(items))
        #expect(items.version == last)
    }

    @Test func theNumberOfRoundsIsBounded() throws {
        var items = try Self.device()
        var cycle = Self.cycle(maximumRounds: 3)
        var step = try cycle.begin(items)
        var pushes = 0
        while let push = step.push {
            pushes += 1
            #expect(push.id == "push")
            step = try cycle.refused()
            if step.pullsSince == nil { break }
            step = try cycle.pulled(.changes(changed: [], deleted: [], Self.next), client: items)
        }
        #expect(pushes == 4, "one before the first pull, and three rounds")
        guard case .gaveUp(let rounds) = step.outcome else { return #expect(Bool(false), "\(step)") }
        #expect(rounds == 3)
        items.accept(try #require(step.outcome))
        #expect(items.localDiff != nil)
        #expect(items.version == Self.version)
    }

    @Test func aFailedPullChangesNothing() throws {
        var items = try JournaledCollection(
            restoring: StoredCollection(client: [Item(1)], shadow: [Item(1)], version: Self.version))
        var cycle = Self.cycle()
        _ = try cycle.begin(items)
        guard case .failed = try cycle.failed().outcome else { return #expect(Bool(false)) }
        items.accept(.failed)
        #expect(items.version == Self.version)
        #expect(Array(items) == [Item(1)])
    }

    @Test func aPushWithoutAnAnswerIsAskedAboutFirst() throws {
        var items = try Self.device()
        var cycle = Self.cycle()
        let push = try #require(cycle.begin(items).push)
        items.accept(try #require(cycle.failed().outcome))
        #expect(items.pendingPush == push)
        #expect(items.localDiff != nil)

        var second = Self.cycle()
        guard case .confirm(let asked) = try second.begin(items) else { return #expect(Bool(false)) }
        #expect(asked == push)
        items.accept(try #require(second.confirmed(.applied(Self.next)).outcome))
        #expect(items.localDiff == nil)
        #expect(items.pendingPush == nil)
        #expect(items.version == Self.next)
    }

    /// A device whose push has had no answer, and the cycle after it.
    static func deviceInDoubt() throws -> (JournaledCollection<Item, Int>, Push<Item>, SyncCycle<Item, Int>) {
        var items = try Self.device()
        var cycle = Self.cycle()
        let push = try #require(cycle.begin(items).push)
        items.accept(try #require(cycle.failed().outcome))
        var second = SyncCycle<Item, Int>(pushID: "another", policy: .unexpected)
        _ = try second.begin(items)
        return (items, push, second)
    }

    @Test func aPushThatNeverArrivedIsSentAgainAsItWas() throws {
        var (items, push, cycle) = try Self.deviceInDoubt()
        try items.update(Item(1, 2))
        #expect(try cycle.confirmed(.notApplied).push == push)
        items.accept(try #require(cycle.pushed(Self.next).outcome))
        #expect(items.pendingPush == nil)
        #expect(items.localDiff == Diff([.replace(old: Item(1, 1), new: Item(1, 2))]), "what came later is next")
    }

    @Test func aPushThatArrivesLateAfterAllIsRecognized() throws {
        var (items, push, cycle) = try Self.deviceInDoubt()
        try items.update(Item(1, 2))
        _ = try cycle.confirmed(.notApplied)
        // Its first copy has arrived meanwhile, so the second one is refused.
        guard case .confirm(let asked) = try cycle.refused() else { return #expect(Bool(false)) }
        #expect(asked == push)
        items.accept(try #require(cycle.confirmed(.applied(Self.next)).outcome))
        #expect(items.localDiff == Diff([.replace(old: Item(1, 1), new: Item(1, 2))]))
    }

    @Test func aPushThatIsRefusedAndWasNotTakenIsMergedAnew() throws {
        var (items, _, cycle) = try Self.deviceInDoubt()
        try items.update(Item(1, 2))
        _ = try cycle.confirmed(.notApplied)
        _ = try cycle.refused()
        #expect(try cycle.confirmed(.notApplied).pullsSince == .some(Self.version))
        let push = try #require(cycle.pulled(.changes(changed: [Item(3)], deleted: [], Self.next), client: items).push)
        #expect(push.id == "another")
        #expect(push.changes == Diff([.replace(old: Item(1), new: Item(1, 2))]))
    }

    @Test func aRemoteThatCannotTellIsPulledFrom() throws {
        var (items, _, cycle) = try Self.deviceInDoubt()
        #expect(try cycle.confirmed(.unknown).pullsSince == .some(Self.version))
        // It had been taken: the same change on both sides is none.
        let step = try cycle.pulled(.changes(changed: [Item(1, 1)], deleted: [], Self.next), client: items)
        items.accept(try #require(step.outcome))
        #expect(items.localDiff == nil)
        #expect(items.pendingPush == nil)
    }

    @Test func aQuestionThatFailsLeavesThePushInDoubt() throws {
        var items = try Self.device()
        var cycle = Self.cycle()
        _ = try cycle.begin(items)
        items.accept(try #require(cycle.failed().outcome))
        var second = Self.cycle()
        _ = try second.begin(items)
        items.accept(try #require(second.failed().outcome))
        #expect(items.pendingPush != nil)
    }

    @Test func aChangedEpochIsAFirstContact() throws {
        var items = try Self.device()
        items.remove(2)
        var cycle = Self.cycle(.leaveOpen)
        _ = try cycle.begin(items)
        _ = try cycle.refused()
        let reset = RemoteVersion(epoch: "other", commit: "1")
        #expect(
            try cycle.pulled(.changes(changed: [], deleted: [], reset), client: items).pullsSince == .some(nil),
            "changes of another epoch say nothing")
        let error = #expect(throws: CycleError.self) {
            try cycle.pulled(.changes(changed: [], deleted: [], reset), client: items)
        }
        #expect(error?.state == "waiting for a pull of everything")
        let push = try #require(cycle.pulled(.everything([Item(2), Item(3)], reset), client: items).push)
        #expect(push.voidsShadow)
        #expect(push.changes == Diff([.add(Item(1, 1))]), "nothing is deleted")
        #expect(items.version == Self.version)
        let after = RemoteVersion(epoch: "other", commit: "2")
        items.accept(try #require(cycle.pushed(after).outcome))
        #expect(Set(items) == [Item(1, 1), Item(2), Item(3)])
        #expect(Set(items.shadow) == Set(items))
        #expect(items.version == after)
    }

    @Test func everythingCanBePulledAtAnyTime() throws {
        var items = try Self.device()
        var cycle = Self.cycle(.unexpected)
        _ = try cycle.begin(items)
        _ = try cycle.refused()
        let push = try #require(
            cycle.pulled(.everything([Item(1), Item(4)], Self.next), client: items).push)
        #expect(push.changes == Diff([.replace(old: Item(1), new: Item(1, 1))]))
        #expect(!push.voidsShadow)
        items.accept(try #require(cycle.pushed(Self.next).outcome))
        #expect(Array(items) == [Item(1, 1), Item(4)], "what the shadow has and the remote not was deleted there")
    }

    @Test func whereThereIsNoCollectionAllIsPushedOnThatCondition() throws {
        var items = try Self.device()
        var cycle = Self.cycle()
        _ = try cycle.begin(items)
        _ = try cycle.refused()
        let push = try #require(cycle.pulled(.nothing, client: items).push)
        #expect(push.expected == nil)
        #expect(Set(push.changes.add) == [Item(1, 1), Item(2)])
        items.accept(try #require(cycle.pushed(Self.next).outcome))
        #expect(items.version == Self.next)
        #expect(items.localDiff == nil)

        var empty = try JournaledCollection<Item, Int>(restoring: StoredCollection(client: []))
        var idle = Self.cycle()
        _ = try idle.begin(empty)
        empty.accept(try #require(idle.pulled(.nothing, client: empty).outcome))
        #expect(empty.version == nil)
    }

    @Test func editsWhileAPushIsUnderWaySurvive() throws {
        var items = try Self.device()
        var cycle = Self.cycle(.unexpected)
        _ = try cycle.begin(items)
        _ = try cycle.refused()
        _ = try cycle.pulled(.changes(changed: [Item(2, 7)], deleted: [], Self.next), client: items)
        try items.update(Item(1, 2))
        try items.insert(Item(9))
        items.accept(try #require(cycle.pushed(Self.next).outcome))
        #expect(Array(items) == [Item(1, 2), Item(2, 7), Item(9)])
        #expect(
            Set(items.localDiff?.changes ?? []) == [.replace(old: Item(1, 1), new: Item(1, 2)), .add(Item(9))])
        var second = Self.cycle(.unexpected)
        #expect(try second.begin(items).push?.changes == items.localDiff)
    }

    @Test func anEventOutOfTurnIsRefusedAndHarmless() throws {
        let items = try Self.device()
        var cycle = Self.cycle()
        #expect(throws: CycleError.self) { try cycle.pushed(Self.next) }
        #expect(throws: CycleError.self) { try cycle.refused() }
        #expect(throws: CycleError.self) { try cycle.failed() }
        #expect(throws: CycleError.self) { try cycle.pulled(.nothing, client: items) }
        #expect(throws: CycleError.self) { try cycle.confirmed(.unknown) }
        _ = try cycle.begin(items)
        let error = #expect(throws: CycleError.self) { try cycle.begin(items) }
        #expect(
            "\(error!)" == """
                'begin' does not fit here: the cycle is waiting for the answer to a push. Report the answer to its \
                latest step, and only once
                """)
        #expect(try cycle.pushed(Self.next).outcome != nil)
        #expect(throws: CycleError.self) { try cycle.pushed(Self.next) }
        #expect(throws: CycleError.self) { try cycle.failed() }
    }

    @Test func anErrorOfThePolicyLeavesTheCycleWaiting() throws {
        struct Undecided: Error {}
        let items = try Self.device()
        var cycle = Self.cycle(ConflictPolicy { _ in throw Undecided() })
        _ = try cycle.begin(items)
        _ = try cycle.refused()
        #expect(throws: Undecided.self) {
            try cycle.pulled(.changes(changed: [Item(1, 5)], deleted: [], Self.next), client: items)
        }
        #expect(try cycle.pulled(.changes(changed: [], deleted: [], Self.next), client: items).push != nil)
    }

    @Test func aRemoteThatContradictsItselfIsRefused() throws {
        let items = try JournaledCollection(
            restoring: StoredCollection(client: [Item(1)], shadow: [Item(1)], version: Self.version))
        var cycle = Self.cycle()
        _ = try cycle.begin(items)
        let twice = #expect(throws: KeyError.self) {
            try cycle.pulled(.changes(changed: [Item(2, 0), Item(2, 1)], deleted: [], Self.next), client: items)
        }
        #expect(twice?.collection == "changed")
        #expect(twice?.positions == [0, 1])
        let both = #expect(throws: KeyError.self) {
            try cycle.pulled(.changes(changed: [Item(2, 0)], deleted: [2], Self.next), client: items)
        }
        #expect(both?.collection == "changed and deleted")
        #expect(throws: KeyError.self) {
            try cycle.pulled(.everything([Item(2, 0), Item(2, 1)], Self.next), client: items)
        }
        let same = try cycle.pulled(
            .changes(changed: [Item(2), Item(2)], deleted: [1, 1, 3], Self.next), client: items)
        guard case .synced(let merge, _, _) = same.outcome else { return #expect(Bool(false), "\(same)") }
        #expect(merge.toLocal?.counts == ChangeCounts(added: 1, deleted: 1))
    }

    @Test func aPushCanBeStoredAndReadBack() throws {
        let items = try Self.device()
        var cycle = Self.cycle()
        let push = try #require(cycle.begin(items).push)
        let copy = try JSONDecoder().decode(Push<Item>.self, from: JSONEncoder().encode(push))
        #expect(copy == push)
    }
}

extension SyncCycle.Step {
    var push: Push<Element>? {
        if case .push(let push) = self { push } else { nil }
    }

    /// The version since which changes are to be pulled; nil if this is no pull.
    var pullsSince: RemoteVersion?? {
        if case .pull(let version) = self { .some(version) } else { nil }
    }

    var outcome: SyncCycle.Outcome? {
        if case .finished(let outcome) = self { outcome } else { nil }
    }
}
