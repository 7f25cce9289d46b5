import DifferentialSync
import TestSupport
import Testing

/// What the functions of the core accept: any collections, elements with an identifier, and duplicates by a policy.
struct InputFormTests {
    let base = [Item(1), Item(2), Item(3)]
    let local = [Item(1, 1), Item(2), Item(3)]
    let remote = [Item(1), Item(3, 2), Item(4)]

    @Test func identifiersAreKeys() throws {
        let byKey = try diff(wins: remote, loses: base, primaryKey: \.id)
        #expect(try identifiedDiff(wins: remote, loses: base) == byKey)
        #expect(uncheckedDiff(wins: remote, loses: base) == byKey)
        let merged = merge(into: local, applying: byKey, primaryKey: \.id) { _, _ in true }
        #expect(merge(into: local, applying: byKey) { _, _ in true } == merged)
        var inPlace = local
        merge(into: &inPlace, applying: byKey) { _, _ in true }
        #expect(inPlace == merged)
        #expect(
            try merge(base: base, local: local, remote: remote, policy: .localWins)
                == merge(base: base, local: local, remote: remote, primaryKey: \.id, policy: .localWins))
    }

    @Test func anyCollectionsAreMergedAndSynchronized() throws {
        let expected = try merge(base: base, local: local, remote: remote, primaryKey: \.id, policy: .localWins)
        let merged = try merge(
            base: base, local: local[...], remote: remote.lazy.map { $0 }, primaryKey: \.id, policy: .localWins)
        #expect(merged == expected)
        let cycle = try synchronize(
            client: local[...], shadow: base, remote: ContiguousArray(remote), policy: .localWins)
        #expect(cycle.client == expected.elements)
        #expect(try cycle.accepted(by: local[...], shadow: base).client == cycle.client)
        #expect(try synchronize(client: local[...], shadow: nil, remote: remote, policy: .localWins).client.count == 4)
    }

    @Test(arguments: [(DuplicatePolicy.keepFirst, 1), (.keepLast, 2)])
    func aPolicySaysWhichDuplicateCounts(duplicates: DuplicatePolicy, value: Int) throws {
        let twice = [Item(1, 1), Item(2), Item(1, 2)]
        #expect(throws: KeyError.self) {
            try synchronize(client: twice, shadow: [Item(2)], remote: [Item(2)], policy: .localWins)
        }
        let cycle = try synchronize(
            client: twice, shadow: [Item(2)], remote: [Item(2)], duplicates: duplicates, policy: .localWins)
        #expect(cycle.push?.add == [Item(1, value)])
        #expect(cycle.client == [Item(2), Item(1, value)])
        #expect(cycle.shadow == cycle.client)
        // The array with its duplicates is what the cycle began with: that is no edit.
        let accepted = try cycle.accepted(by: twice, shadow: [Item(2)])
        #expect(accepted.client == cycle.client)
        #expect(accepted.shadow == cycle.shadow)

        let merged = try merge(
            base: twice, local: twice, remote: twice + [Item(3)], duplicates: duplicates, policy: .localWins)
        #expect(Set(merged.elements) == [Item(1, value), Item(2), Item(3)])
        #expect(merged.elements.count == 3)
        let pulled = try synchronize(
            client: [Item(2)], shadow: twice, remote: twice, duplicates: duplicates, policy: .remoteWins)
        #expect(pulled.push?.delete == [Item(1, value)])
        #expect(try pulled.accepted(by: [Item(2)], shadow: twice).client == [Item(2)])
    }

    @Test(arguments: [(DuplicatePolicy.keepFirst, 1), (.keepLast, 2)])
    func journaledCollectionsAndCyclesTakeAPolicyToo(duplicates: DuplicatePolicy, value: Int) throws {
        let twice = [Item(1, 1), Item(2), Item(1, 2)]
        let version = RemoteVersion(epoch: "e", commit: "1")
        let counted = twice.filter { $0 != Item(1, 3 - value) }
        let items = try JournaledCollection(twice, version: version, duplicates: duplicates)
        #expect(Array(items) == counted)
        #expect(items.localDiff == nil)

        let pulls = [
            Pull<Item, Int>.everything(twice, version), .changes(changed: twice, deleted: [3], version),
        ]
        for (pull, known) in zip(pulls, [nil, RemoteVersion(epoch: "e", commit: "0")]) {
            var items = try JournaledCollection([Item(3)], version: known)
            if known == nil { items = try JournaledCollection([]) }
            var strict = SyncCycle<Item, Int>(pushID: "a", policy: .unexpected)
            var strictItems = items
            _ = try strict.begin(&strictItems)
            #expect(throws: KeyError.self) { try strict.pulled(pull, &strictItems) }
            var cycle = SyncCycle<Item, Int>(pushID: "a", duplicates: duplicates, policy: .unexpected)
            _ = try cycle.begin(&items)
            let step = try cycle.pulled(pull, &items)
            #expect(step.outcome?.isSynced == true, "nothing is left to push, and nothing is deleted on the remote")
            #expect(Set(items) == Set(counted))
        }
    }

    @Test func aKeyThatIsBothChangedAndDeletedIsAnErrorUnderEveryPolicy() throws {
        let version = RemoteVersion(epoch: "e", commit: "1")
        for duplicates in [DuplicatePolicy.refuse, .keepFirst, .keepLast] {
            var items = try JournaledCollection([Item(1)], version: version)
            var cycle = SyncCycle<Item, Int>(pushID: "a", duplicates: duplicates, policy: .unexpected)
            _ = try cycle.begin(&items)
            let error = #expect(throws: KeyError.self) {
                try cycle.pulled(.changes(changed: [Item(1, 2)], deleted: [1], version), &items)
            }
            #expect(error?.key as? Int == 1)
        }
    }

    @Test func namedKeysTakeAPolicyToo() throws {
        let twice = [["id": "1", "text": "a"], ["id": "1", "text": "b"]]
        let cycle = try synchronize(
            client: twice, shadow: nil, remote: [], primaryKey: "id", duplicates: .keepLast, policy: .localWins)
        #expect(cycle.client == [twice[1]])
        let merged = try merge(
            base: nil, local: twice, remote: twice, primaryKey: "id", duplicates: .keepFirst, policy: .localWins)
        #expect(merged.elements == [twice[0]])
    }
}
