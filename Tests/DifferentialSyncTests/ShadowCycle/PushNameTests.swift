import DifferentialSync
import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

/// No push has the name of an earlier one.
struct PushNameTests {
    /// A device, and the remote with which it has run a cycle of two pushes by each of the names.
    private func world(_ names: [String]) throws -> (SimulatedRemote<Item, Int>, JournaledCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection<Item, Int>([])
        for name in names {
            try edit(&device)
            try remote.synchronize(&device, by: cycle(name))
        }
        return (remote, device)
    }

    private func edit(_ device: inout JournaledCollection<Item, Int>) throws {
        for key in 1...2 { try device.upsert(Item(key, (device[key]?.value ?? 0) + 1)) }
    }

    private func cycle(_ name: String) -> SyncCycle<Item, Int> {
        SyncCycle(pushID: name, limit: PushLimit(count: 1), policy: .unexpected)
    }

    @Test func aNameOfAnyKnownCycleIsRefused() throws {
        var (remote, device) = try world(["a", "b", "c", "d"])
        try edit(&device)
        for name in ["a", "a.2", "b", "c.2", "d", "d.2"] {
            let before = device.stored
            let error = #expect(throws: CycleError.self) { try remote.synchronize(&device, by: cycle(name)) }
            #expect(error?.code == .usedName)
            #expect(device.stored == before)
        }
        for name in ["a.1", "a.02", "a.", "a.3", "ab", ".2"] {
            try remote.synchronize(&device, by: cycle(name))
            try edit(&device)
        }
    }

    @Test func aNameThatOnlyBeginsLikeTheKnownCommitIsAccepted() throws {
        var device = try JournaledCollection([Item(1), Item(2)], version: RemoteVersion(epoch: "e", commit: "1.2"))
        try edit(&device)
        var first = cycle("1")
        #expect(try first.begin(&device).push?.id == "1")
        let step = try first.pushed(.accepted(RemoteVersion(epoch: "e", commit: "1.2")), &device)
        #expect(step.push?.id == "1.3", "the name of the known commit is left out")
    }

    @Test func aNameThatWasOnlySentIsUsedToo() throws {
        var (_, device) = try world(["x"])
        try edit(&device)
        var lost = cycle("lost")
        _ = try lost.begin(&device)
        _ = try lost.failed()
        var next = cycle("next")
        _ = try next.begin(&device)
        _ = try next.confirmed(.unknown, &device)
        _ = try next.failed()
        var again = cycle("lost")
        #expect(throws: CycleError.self) { try again.begin(&device) }
    }

    @Test func theNamesAreStoredAndOlderFormsStillRead() throws {
        let (_, device) = try world(["a", "b"])
        let data = try JSONEncoder().encode(device.stored)
        let stored = try JSONDecoder().decode(StoredCollection<Item>.self, from: data)
        #expect(stored == device.stored)
        var restored = try JournaledCollection(restoring: stored)
        #expect(restored.pushNames == device.pushNames)
        #expect(restored.pushNames.contains("a.2") && !restored.pushNames.contains("a.3"))
        var again = cycle("a")
        #expect(throws: CycleError.self) { try again.begin(&restored) }

        var members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(members.removeValue(forKey: "pushNames") != nil)
        let older = try JSONSerialization.data(withJSONObject: members)
        let decoded = try JSONDecoder().decode(StoredCollection<Item>.self, from: older)
        #expect(decoded.pushNames == PushNames())
        #expect(decoded.client == stored.client && decoded.version == stored.version)
    }

    @Test func theNameOfAPushInDoubtCountsWithoutAList() throws {
        let push = Push(id: "a.3", changes: try #require(Diff([.add(Item(1))])), expected: nil)
        let stored = StoredCollection(client: [Item(1)], pendingPush: push)
        for name in ["a", "a.2", "a.3"] {
            var device = try JournaledCollection(restoring: stored)
            var cycle = cycle(name)
            #expect(throws: CycleError.self) { try cycle.begin(&device) }
        }
    }

    @Test func aHundredCyclesAreKept() throws {
        var (_, device) = try world((0..<101).map { "cycle \($0)" })
        #expect(!device.pushNames.contains("cycle 0"))
        for number in 1...100 { #expect(device.pushNames.contains("cycle \(number).2")) }
        try edit(&device)
        var cycle = cycle("cycle 0")
        #expect(throws: Never.self) { try cycle.begin(&device) }
    }

    @Test func anotherAccountForgetsNoNames() throws {
        var (_, device) = try world(["a"])
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        let first = SyncCycle<Item, Int>(pushID: "b", account: "A", policy: .unexpected)
        try remote.synchronize(&device, by: first)
        var other = SimulatedRemote<Item, Int>(primaryKey: \.id)
        let second = SyncCycle<Item, Int>(pushID: "c", account: "B", onAccountChange: .merge, policy: .unexpected)
        try other.synchronize(&device, by: second)
        #expect(device.account == "B")
        for name in ["a", "b", "c"] { #expect(device.pushNames.contains(name)) }
        var again = SyncCycle<Item, Int>(pushID: "b", account: "A", onAccountChange: .merge, policy: .unexpected)
        #expect(throws: CycleError.self) { try again.begin(&device) }
    }

    @Test func damagedNamesAreAnErrorOrNames() throws {
        for text in [#"{}"#, #""a""#, #"[1]"#, #"[{"name": "a"}]"#, #"[{"count": 1}]"#] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(PushNames.self, from: Data(text.utf8))
            }
        }
        for count in ["-9223372036854775808", "0", "9223372036854775807"] {
            let text = #"[{"name": "a", "count": \#(count)}]"#
            let names = try JSONDecoder().decode(PushNames.self, from: Data(text.utf8))
            #expect(names.contains("a") && !names.contains("b"))
        }
    }
}
