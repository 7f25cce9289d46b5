import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// Reports in any order, of any cycle: those that a cycle is not waiting for are errors and change nothing.
struct WrongReportTests {
    enum Report: CaseIterable {
        case begin, applied, notApplied, unknown, nothing, everything, changes, accepted, refused, failed
    }

    static let other = RemoteVersion(epoch: "e", commit: "other")

    static func send(
        _ report: Report, to cycle: inout SyncCycle<Item, Int>, _ items: inout JournaledCollection<Item, Int>
    ) throws -> SyncCycle<Item, Int>.Step {
        switch report {
        case .begin: try cycle.begin(&items)
        case .applied: try cycle.confirmed(.applied(other, amended: [Item(7, 7)]), &items)
        case .notApplied: try cycle.confirmed(.notApplied, &items)
        case .unknown: try cycle.confirmed(.unknown, &items)
        case .nothing: try cycle.pulled(.nothing, &items)
        case .everything: try cycle.pulled(.everything([Item(2, 5)], other), &items)
        case .changes: try cycle.pulled(.changes(changed: [Item(2, 6)], deleted: [1], other), &items)
        case .accepted: try cycle.pushed(.accepted(other, amended: [Item(1, 8)]), &items)
        case .refused: try cycle.pushed(.refused, &items)
        case .failed: try cycle.failed()
        }
    }

    /// The reports that fit the step.
    static func fitting(_ step: SyncCycle<Item, Int>.Step?) -> Set<Report> {
        switch step {
        case nil: [.begin]
        case .confirm: [.applied, .notApplied, .unknown, .failed]
        case .pull(nil): [.nothing, .everything, .failed]
        case .pull: [.nothing, .everything, .changes, .failed]
        case .push: [.accepted, .refused, .failed]
        case .finished: []
        }
    }

    /// From each state that up to five fitting reports lead to, all reports that do not fit.
    @Test func everyReportInEveryWrongStateIsAnErrorThatChangesNothing() throws {
        var states = 0
        func explore(
            _ cycle: SyncCycle<Item, Int>, _ items: JournaledCollection<Item, Int>,
            _ step: SyncCycle<Item, Int>.Step?, depth: Int
        ) throws {
            states += 1
            for report in Report.allCases {
                var (nextCycle, nextItems) = (cycle, items)
                if Self.fitting(step).contains(report) {
                    let next = try Self.send(report, to: &nextCycle, &nextItems)
                    if case .push(let push) = next { #expect(nextItems.pendingPush == push) }
                    if depth > 0 { try explore(nextCycle, nextItems, next, depth: depth - 1) }
                    continue
                }
                let error = #expect(throws: CycleError.self, "\(report) after \(step as Any)") {
                    try Self.send(report, to: &nextCycle, &nextItems)
                }
                #expect([.unexpectedReport, .unexpectedChanges].contains(error?.code))
                #expect(nextItems.stored == items.stored, "\(report) after \(step as Any)")
                // The cycle still waits for the same reports, with the same effects.
                for fitting in Self.fitting(step) {
                    var (before, after) = ((cycle, items), (nextCycle, nextItems))
                    let expected = try Self.send(fitting, to: &before.0, &before.1)
                    #expect(try Self.send(fitting, to: &after.0, &after.1) == expected)
                    #expect(after.1.stored == before.1.stored)
                }
            }
        }
        let limit = PushLimit<Item>(count: 1)
        for inDoubt in [false, true] {
            var items = try SyncCycleTests.device()
            try items.insert(Item(3))
            if inDoubt {
                var lost = SyncCycleTests.cycle(pushID: "lost", limit: limit)
                _ = try lost.begin(&items)
                _ = try lost.failed()
            }
            try explore(SyncCycleTests.cycle(limit: limit), items, nil, depth: 4)
        }
        #expect(states > 60)
    }

    @Test func theErrorNamesTheReportAndTheState() throws {
        var items = try SyncCycleTests.device()
        var cycle = SyncCycleTests.cycle()
        _ = try cycle.begin(&items)
        let error = #expect(throws: CycleError.self) { try cycle.begin(&items) }
        #expect(
            "\(error!)" == """
                'begin' is not expected: the cycle is waiting for the answer to a push. Report the answer to its \
                latest step, and only once
                """)
    }

    /// Any report of one cycle after another one has changed the collection.
    @Test func aCycleThatWasOvertakenByAnotherIsRefused() throws {
        for report in [Report.nothing, .everything, .changes] {
            var items = try SyncCycleTests.unchanged()
            var slow = SyncCycleTests.cycle(pushID: "slow")
            _ = try slow.begin(&items)
            var fast = SyncCycleTests.cycle(pushID: "fast")
            _ = try fast.begin(&items)
            _ = try fast.pulled(.changes(changed: [Item(9)], deleted: [], SyncCycleTests.next), &items)
            let before = items.stored
            let error = #expect(throws: CycleError.self) { try Self.send(report, to: &slow, &items) }
            #expect(error?.code == .overtaken)
            #expect(items.stored == before)
        }
        for report in [Report.accepted, .refused] {
            var items = try SyncCycleTests.device()
            var slow = SyncCycleTests.cycle(pushID: "slow")
            _ = try slow.begin(&items)
            var fast = SyncCycleTests.cycle(pushID: "fast")
            _ = try fast.begin(&items)
            _ = try fast.confirmed(.applied(SyncCycleTests.next), &items)
            try items.update(Item(1, 2))
            let before = items.stored
            #expect(throws: CycleError.self) { try Self.send(report, to: &slow, &items) }
            #expect(items.stored == before, "the edit is still a local change")
            #expect(items.localDiff == Diff([.replace(old: Item(1, 1), new: Item(1, 2))]))
        }
    }

    @Test func anAnswerThatIsAcceptedTwiceLosesNoEditMadeBetween() throws {
        var items = try SyncCycleTests.device()
        var cycle = SyncCycleTests.cycle()
        _ = try cycle.begin(&items)
        var copy = cycle
        _ = try cycle.pushed(.accepted(SyncCycleTests.next), &items)
        try items.update(Item(1, 2))
        #expect(throws: CycleError.self) { try cycle.pushed(.accepted(SyncCycleTests.next), &items) }
        #expect(throws: CycleError.self) { try copy.pushed(.accepted(SyncCycleTests.next), &items) }
        #expect(items.localDiff == Diff([.replace(old: Item(1, 1), new: Item(1, 2))]))
    }

    @Test func aDiffThatIsAcceptedTwiceOrTooLateLosesNoEdit() throws {
        var items = try JournaledCollection([Item(1)])
        try items.update(Item(1, 1))
        let first = items.outgoingDiff
        try items.acceptShadow(pushed: first, at: items.shadowMark)
        try items.update(Item(1, 2))
        try items.acceptShadow(pushed: first, at: items.shadowMark)
        let second = items.outgoingDiff
        #expect(second == Diff([.replace(old: Item(1, 1), new: Item(1, 2))]))
        try items.acceptShadow(pushed: second, at: items.shadowMark)
        let error = #expect(throws: MismatchError.self) { try items.acceptShadow(pushed: first, at: items.shadowMark) }
        #expect(error?.mismatches.map(\.list) == ["pushed"])
        #expect(items.shadow == [Item(1, 2)])
        #expect(items.localDiff == nil)
    }

    @Test func anOlderDiffWhoseOldValueIsBackInTheShadowIsRefused() throws {
        var items = try JournaledCollection([Item(1)])
        try items.update(Item(1, 1))
        let (firstMark, first) = (items.shadowMark, items.outgoingDiff)
        try items.acceptShadow(pushed: first, at: firstMark)
        try items.update(Item(1))
        try items.acceptShadow(pushed: items.outgoingDiff, at: items.shadowMark)
        for edit in [nil, Item(1, 1), Item(1, 2)] {
            var copy = items
            if let edit { try copy.update(edit) }
            let before = copy.stored
            #expect(throws: MismatchError.self) { try copy.acceptShadow(pushed: first, at: firstMark) }
            #expect(copy.stored == before)
            // The same change, made anew, is no older one.
            try copy.update(Item(1, 1))
            let mark = copy.shadowMark
            let again = copy.outgoingDiff
            #expect(again == first)
            try copy.update(Item(1, 3))
            try copy.acceptShadow(pushed: again, at: mark)
            #expect(copy.localDiff == Diff([.replace(old: Item(1, 1), new: Item(1, 3))]))
        }
    }

    @Test func theMarkChangesWithTheShadowAlone() throws {
        var items = try JournaledCollection([Item(1)])
        let mark = items.shadowMark
        try items.update(Item(1, 1))
        items.remove(1)
        items.revert()
        #expect(items.shadowMark == mark)
        let copy = items
        try items.merge(remoteChanges: Diff([.add(Item(2))]), policy: .unexpected)
        #expect(items.shadowMark != mark)
        #expect(copy.shadowMark == mark)
        let restored = try JournaledCollection(restoring: copy.stored)
        #expect(restored.shadowMark != mark, "a restored collection does not know what was sent")
    }

    @Test func anEditThatEndsAConflictKeepsTheMarkOfAPush() throws {
        var items = try JournaledCollection([Item(1), Item(2)])
        try items.update(Item(1, 1))
        try items.update(Item(2, 1))
        try items.merge(remoteChanges: Diff([.replace(old: Item(2), new: Item(2, 2))]), policy: .leaveOpen)
        let (mark, push) = (items.shadowMark, items.outgoingDiff)
        try items.update(Item(2, 2))
        #expect(items.shadow == [Item(1), Item(2, 2)])
        #expect(items.shadowMark == mark)
        try items.acceptShadow(pushed: push, at: mark)
        #expect(items.shadow == [Item(1, 1), Item(2, 2)])
        #expect(items.localDiff == nil)
    }

    @Test func aRecordThatAnotherEpochLacksChangesTheMark() throws {
        var items = try SyncCycleTests.unchanged()
        var cycle = SyncCycleTests.cycle()
        _ = try cycle.begin(&items)
        let mark = items.shadowMark
        _ = try cycle.pulled(.everything([Item(1)], RemoteVersion(epoch: "other", commit: "1")), &items)
        #expect(items.shadow == [Item(1)])
        #expect(items.shadowMark != mark)
    }
}
