import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// The cycle as one pure call; its laws over every small triple are in `ThreeWayLawTests`.
struct SynchronizingTests {
    let shadow = [Item(1), Item(2), Item(3)]

    @Test func theSixSteps() throws {
        let client = [Item(1, 1), Item(3), Item(4)]
        let remote = [Item(1), Item(2), Item(3, 5), Item(5)]
        let cycle = try synchronize(client: client, shadow: shadow, remote: remote, policy: .unexpected)
        #expect(cycle.push?.add == [Item(4)])
        #expect(cycle.push?.replacements.map(\.new) == [Item(1, 1)])
        #expect(cycle.push?.deletions == [Item(2)])
        #expect(cycle.client == [Item(1, 1), Item(3, 5), Item(5), Item(4)])
        #expect(cycle.shadow == cycle.client)
        #expect(merge(into: remote, applying: cycle.push, primaryKey: \.id) { _, _ in true } == cycle.client)
        #expect(
            cycle.counts
                == SyncCounts(
                    pulled: ChangeCounts(added: 1, replaced: 1),
                    pushed: ChangeCounts(added: 1, deleted: 1, replaced: 1),
                    resolved: 0, open: 0))
        #expect(
            "\(cycle.counts)"
                == "pulled 1 added, 1 replaced; pushed 1 added, 1 deleted, 1 replaced; 0 conflicts resolved, 0 open")
    }

    @Test func nothingChangedNothingHappens() throws {
        let cycle = try synchronize(client: shadow, shadow: shadow, remote: shadow, policy: .unexpected)
        #expect(cycle.push == nil)
        #expect(cycle.client == shadow)
        #expect(cycle.shadow == shadow)
        #expect(cycle.merge.decisions.isEmpty)
    }

    @Test func theOutcomesOfDS() throws {
        func client(_ client: [Item], _ remote: [Item], replacing: Bool) throws -> [Item] {
            try synchronize(client: client, shadow: [Item(1)], remote: remote) { _, _ in replacing }.client
        }
        for answer in [true, false] {
            #expect(try client([Item(1, 1)], [], replacing: answer) == [], "client edits, remote deleted")
            #expect(try client([], [Item(1, 1)], replacing: answer) == [Item(1, 1)], "client deletes, remote edited")
        }
        #expect(try client([Item(1, 1)], [Item(1, 2)], replacing: true) == [Item(1, 1)])
        #expect(try client([Item(1, 1)], [Item(1, 2)], replacing: false) == [Item(1, 2)])
        #expect(try client([Item(1), Item(5, 1)], [Item(1), Item(5, 2)], replacing: true).contains(Item(5, 1)))
    }

    @Test func theCallbackIsAskedOnlyWhereTheRemoteChangedToo() throws {
        var asked: [String] = []
        let cycle = try synchronize(
            client: [Item(1, 1), Item(2, 1), Item(3, 1)], shadow: shadow, remote: [Item(1), Item(2, 1), Item(3, 2)]
        ) { old, new in
            asked.append("\(old) \(new)")
            return false
        }
        #expect(asked == ["3c 3b"])
        #expect(cycle.client == [Item(1, 1), Item(2, 1), Item(3, 2)], "an edit that clashes with nothing stays")
    }

    @Test func firstContactDeletesNothing() throws {
        let cycle = try synchronize(
            client: [Item(1), Item(2, 1)], shadow: nil, remote: [Item(2, 2), Item(3)], policy: .localWins)
        #expect(cycle.client == [Item(2, 1), Item(3), Item(1)])
        #expect(cycle.push?.counts == ChangeCounts(added: 1, replaced: 1))
        let silent = try synchronize(client: [Item(1)], shadow: nil, remote: [Item(1)], policy: .unexpected)
        #expect(silent.push == nil)
    }

    @Test func whatIsLeftOpenComesUpAgain() throws {
        let first = try synchronize(client: [Item(1, 1)], shadow: [Item(1)], remote: [Item(1, 2)], policy: .leaveOpen)
        #expect(first.client == [Item(1, 1)])
        #expect(first.shadow == [Item(1)])
        #expect(first.push == nil)
        #expect(first.open == [Conflict(base: Item(1), local: Item(1, 1), remote: Item(1, 2))])
        let second = try synchronize(
            client: first.client, shadow: first.shadow, remote: [Item(1, 2)], policy: .leaveOpen)
        #expect(second.open == first.open)
        let third = try synchronize(
            client: second.client, shadow: second.shadow, remote: [Item(1, 2)], policy: .localWins)
        #expect(third.push?.replacements.map(\.new) == [Item(1, 1)])
        #expect(third.client == third.shadow)
        let deleted = try synchronize(client: [], shadow: [Item(1)], remote: [Item(1, 2), Item(2)], policy: .leaveOpen)
        #expect(deleted.client == [Item(2)])
        #expect(deleted.shadow == [Item(1), Item(2)])
    }

    @Test func namesOfKeys() throws {
        let cycle = try synchronize(
            client: [["id": 1, "v": 1]], shadow: [["id": 1, "v": 0]], remote: [["id": 1, "v": 0], ["id": 2, "v": 0]],
            primaryKey: "id", policy: .unexpected)
        #expect(cycle.client == [["id": 1, "v": 1], ["id": 2, "v": 0]])
        let asked = try synchronize(
            client: [["id": 1, "v": 1]], shadow: nil, remote: [["id": 1, "v": 2]], primaryKey: "id"
        ) { _, _ in true }
        #expect(asked.client == [["id": 1, "v": 1]])
        let error = #expect(throws: KeyError.self) {
            try synchronize(client: [], shadow: [["v": 1]], remote: [], primaryKey: "id", policy: .localWins)
        }
        #expect(error?.collection == "shadow")
        #expect(throws: KeyError.self) {
            try synchronize(client: [["v": 1]], shadow: nil, remote: [], primaryKey: "id") { _, _ in true }
        }
    }

    @Test func aClashIsNamedByItsArgument() {
        let error = #expect(throws: KeyError.self) {
            try synchronize(client: [], shadow: [], remote: [Item(1, 0), Item(1, 1)], policy: .localWins)
        }
        #expect(error?.collection == "remote")
    }

    @Test func whatTheCallbackThrowsComesThrough() {
        struct Stopped: Error {}
        #expect(throws: Stopped.self) {
            try synchronize(client: [Item(1, 1)], shadow: nil, remote: [Item(1, 2)], primaryKey: \.id) { _, _ in
                throw Stopped()
            }
        }
    }

    @Test(arguments: 0..<10)
    func twoDevicesConverge(run: UInt64) throws {
        let seed = SeededGenerator.testSeed(run)
        print("SynchronizingTests.twoDevicesConverge: DIFFSYNC_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        var remote = generator.items(200, keys: 300, values: 2)
        var clients = [remote, remote]
        var shadows = [remote, remote]
        for round in 0..<10 {
            for device in 0..<2 {
                clients[device] = generator.edited(
                    clients[device], probability: 0.1, firstNewKey: 1_000 * (2 * round + device + 1))
            }
            // The first device a second time: what the second one has brought reaches it.
            for device in [0, 1, 0] {
                let before = (client: clients[device], shadow: shadows[device], remote: remote)
                let cycle = try synchronize(
                    client: clients[device], shadow: shadows[device], remote: remote, policy: .newest(by: \.value))
                remote = merge(into: remote, applying: cycle.push, primaryKey: \.id) { _, _ in true }
                (clients[device], shadows[device]) = (cycle.client, cycle.shadow)
                try #require(cycle.client == remote && cycle.shadow == remote)
                Self.checkNothingIsLost(before: before, after: remote)
            }
            try #require(clients[0] == clients[1])
        }
    }

    /// What only one side touched stands afterwards as that side left it.
    static func checkNothingIsLost(before: (client: [Item], shadow: [Item], remote: [Item]), after: [Item]) {
        func byKey(_ items: [Item]) -> [Int: Item] { Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) }) }
        let (client, shadow, remote, result) = (
            byKey(before.client), byKey(before.shadow), byKey(before.remote), byKey(after)
        )
        for key in Set(client.keys).union(shadow.keys).union(remote.keys) {
            if client[key] == shadow[key] { #expect(result[key] == remote[key]) }
            if remote[key] == shadow[key] { #expect(result[key] == client[key]) }
        }
    }
}
