import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// The remote that the cycle's tests trust has tests of its own.
struct SimulatedRemoteTests {
    static func push(
        _ id: String, _ changes: [Change<Item>], on remote: SimulatedRemote<Item, Int>
    ) throws -> Push<Item> {
        var client = try JournaledCollection(remote.elements, version: remote.version)
        for change in changes {
            if let new = change.new { try client.upsert(new) } else { client.remove(change.old!.id) }
        }
        var cycle = SyncCycle<Item, Int>(pushID: id, policy: .localWins)
        var step = try cycle.begin(&client)
        if case .pull = step { step = try cycle.pulled(remote.pull(since: nil), &client) }
        guard case .push(let push) = step else { throw NothingToPush() }
        return push
    }

    struct NothingToPush: Error {}

    @Test func itComesToBeWithTheFirstPush() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        #expect(!remote.exists)
        #expect(remote.version == nil)
        #expect(remote.pull(since: nil) == .nothing)
        let push = try Self.push("a", [.add(Item(1))], on: remote)
        #expect(push.expected == nil)
        #expect(try remote.push(push) == .accepted(RemoteVersion(epoch: "epoch 1", commit: "a")))
        #expect(remote.elements == [Item(1)])
        let other = Push(id: "b", changes: push.changes, expected: nil)
        #expect(try remote.push(other) == .refused, "it must not exist yet")
        #expect(remote.pull(since: nil) == .everything([Item(1)], RemoteVersion(epoch: "epoch 1", commit: "a")))
    }

    @Test func aPushIsComparedWithTheVersion() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1), Item(2)])
        let first = try Self.push("a", [.delete(Item(1))], on: remote)
        let second = try Self.push("b", [.add(Item(3))], on: remote)
        #expect(try remote.push(first) != .refused)
        #expect(try remote.push(second) == .refused)
        #expect(remote.elements == [Item(2)])
        #expect(remote.status(of: "a") == .applied(remote.version!))
        #expect(remote.status(of: "b") == .notApplied)
    }

    @Test func changesArePulledSinceAVersion() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        _ = try remote.push(Self.push("a", [.add(Item(1)), .add(Item(2))], on: remote))
        let known = remote.version
        _ = try remote.push(Self.push("b", [.replace(old: Item(1), new: Item(1, 1)), .add(Item(3))], on: remote))
        _ = try remote.push(Self.push("c", [.delete(Item(2)), .replace(old: Item(1, 1), new: Item(1, 2))], on: remote))
        guard case .changes(let changed, let deleted, let version, _) = remote.pull(since: known) else {
            return #expect(Bool(false))
        }
        #expect(Set(changed) == [Item(1, 2), Item(3)])
        #expect(deleted == [2])
        #expect(version == remote.version)
        guard case .everything = remote.pull(since: RemoteVersion(epoch: "epoch 1", commit: "x")) else {
            return #expect(Bool(false), "an unknown commit")
        }
    }

    @Test func aResetIsANewEpoch() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        _ = try remote.push(Self.push("a", [.add(Item(1))], on: remote))
        let known = remote.version
        remote.reset(to: [Item(7)])
        #expect(remote.version?.epoch != known?.epoch)
        guard case .everything(let elements, _, _) = remote.pull(since: known) else { return #expect(Bool(false)) }
        #expect(elements == [Item(7)])
        #expect(remote.status(of: "a") == .notApplied)
        remote.removeCollection()
        #expect(remote.version == nil)
        #expect(remote.elements == [])
    }

    @Test func lostMessagesEndACycleAsTheyShould() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1)])
        var device = try JournaledCollection<Item, Int>(restoring: StoredCollection(client: []))
        let failed = try remote.synchronize(&device, pushID: "a", policy: .localWins, deliver: { .requestLost })
        #expect(failed.ending == .failed)
        try remote.synchronize(&device, pushID: "b", policy: .localWins)
        try device.insert(Item(2))
        let inDoubt = try remote.synchronize(&device, pushID: "c", policy: .localWins, deliver: { .answerLost })
        #expect(inDoubt.ending == .inDoubt(pushID: "c"))
        #expect(remote.elements == [Item(1), Item(2)], "the push has arrived")
        try remote.synchronize(&device, pushID: "d", policy: .localWins)
        #expect(device.pendingPush == nil, "the question is answered")
        #expect(device.localDiff == nil)
    }

    @Test func theUserCanActWhileAPushIsUnderWay() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection(restoring: StoredCollection(client: [Item(1)]))
        var states: [[Item]] = []
        try remote.synchronize(&device, pushID: "a", policy: .localWins, deliver: { .delivered }) { client, remote in
            try client.upsert(Item(2))
            states.append(remote.elements)
        }
        #expect(states == [[Item(1)], [Item(1), Item(2)]])
    }

    @Test func itStoresAmendedElementsAndReportsThem() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id, amend: { Item($0.id, max($0.value, 5)) })
        let push = try Self.push("a", [.add(Item(1, 1)), .add(Item(2, 9))], on: remote)
        let version = RemoteVersion(epoch: "epoch 1", commit: "a")
        #expect(try remote.push(push) == .accepted(version, amended: [Item(1, 5)]))
        #expect(remote.elements == [Item(1, 5), Item(2, 9)])
        #expect(remote.status(of: "a") == .applied(version, amended: [Item(1, 5)]))
    }

    @Test func aPushWithOtherOldValuesIsAnErrorThatChangesNothing() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1)])
        let changes = try #require(Diff([.add(Item(3)), .replace(old: Item(1, 7), new: Item(1, 8))]))
        let push = Push(id: "a", changes: changes, expected: remote.version)
        #expect(throws: MismatchError.self) { try remote.push(push) }
        #expect(remote.elements == [Item(1)])
    }

    /// An element of which `==` ignores a part.
    struct Stamped: Equatable, Sendable {
        var id: Int
        var text = "a"
        var stamp = 0

        static func == (left: Stamped, right: Stamped) -> Bool { left.id == right.id && left.text == right.text }
    }

    @Test func whatEqualityIgnoresIsStoredToo() throws {
        var remote = SimulatedRemote<Stamped, Int>(primaryKey: \.id)
        remote.reset(to: [Stamped(id: 1), Stamped(id: 2)])
        let first = Diff([Change.add(Stamped(id: 3))])
        _ = try remote.push(Push(id: "first", changes: #require(first), expected: remote.version))
        let known = remote.version
        let changes = Diff([Change.replace(old: Stamped(id: 1), new: Stamped(id: 1, stamp: 7))])
        let answer = try remote.push(Push(id: "a", changes: #require(changes), expected: remote.version))
        #expect(answer == .accepted(RemoteVersion(epoch: "epoch 1", commit: "a")))
        #expect(remote.elements.map(\.stamp) == [7, 0, 0])
        guard case .changes(let changed, _, _, _) = remote.pull(since: known) else {
            return #expect(Bool(false))
        }
        #expect(changed.map(\.stamp) == [7])

        var amending = SimulatedRemote<Stamped, Int>(primaryKey: \.id) { Stamped(id: $0.id, text: $0.text, stamp: 9) }
        let addition = Diff([Change.add(Stamped(id: 1))])
        _ = try amending.push(Push(id: "a", changes: #require(addition), expected: nil))
        #expect(amending.elements.map(\.stamp) == [9])
    }

    @Test func aSecondCopyOfAPushIsAnsweredAsTheFirst() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id, amend: { Item($0.id, max($0.value, 5)) })
        remote.reset(to: [Item(1), Item(2)])
        let changes: [Change<Item>] = [.replace(old: Item(1), new: Item(1, 1)), .delete(Item(2)), .add(Item(3, 9))]
        let push = try Self.push("a", changes, on: remote)
        let answer = try remote.push(push)
        #expect(answer == .accepted(RemoteVersion(epoch: "epoch 1", commit: "a"), amended: [Item(1, 5)]))
        _ = try remote.push(Self.push("b", [.delete(Item(3, 9))], on: remote))
        #expect(try remote.push(push) == answer)
        let reversed = try #require(Diff(push.changes.changes.reversed()))
        let copy = Push(id: "a", changes: reversed, expected: push.expected)
        #expect(try remote.push(copy) == answer, "a device may send it again in another order")
        #expect(remote.elements == [Item(1, 5)], "the copies have changed nothing")
        #expect(remote.version?.commit == "b")
        // Another device has made a push under the same name for the same version.
        let other = Push(id: "a", changes: try #require(Diff([.delete(Item(2))])), expected: push.expected)
        #expect(try remote.push(other) == .refused)
        #expect(remote.status(of: "a") == .unknown)
    }

    @Test func anotherPushUnderAKnownNameIsRefusedAndLeavesTheNameInDoubt() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        _ = try remote.push(Self.push("a", [.add(Item(1))], on: remote))
        _ = try remote.push(Self.push("b", [.add(Item(2))], on: remote))
        let reused = try Self.push("a", [.replace(old: Item(1), new: Item(1, 1))], on: remote)
        #expect(try remote.push(reused) == .refused)
        #expect(remote.elements == [Item(1), Item(2)])
        #expect(remote.status(of: "a") == .unknown)
        #expect(remote.status(of: "b") == .applied(try #require(remote.version)))

        // A device that has not made the first push loses nothing by it, whether the answer arrives or not.
        for isLost in [false, true] {
            var device = try JournaledCollection(remote.elements, version: remote.version)
            try device.update(Item(1, isLost ? 3 : 2))
            let name = isLost ? "b" : "a"
            _ = try remote.push(Self.push("other \(isLost)", [.add(Item(isLost ? 9 : 8))], on: remote))
            device = try JournaledCollection(remote.elements, version: remote.version)
            try device.update(Item(1, isLost ? 3 : 2))
            try remote.synchronize(&device, pushID: name, policy: .localWins) { isLost ? .answerLost : .delivered }
            try remote.synchronize(&device, pushID: "next \(isLost)", policy: .localWins)
            #expect(remote.elements.first == Item(1, isLost ? 3 : 2))
            #expect(device.localDiff == nil)
        }
    }
}
