import DifferentialSync
import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

/// What comes from a file or a network and contradicts itself is refused, or harmless.
struct UntrustedInputTests {
    @Test func restoredVersionsOfARecordHaveOneKey() throws {
        let stored = StoredCollection(
            client: [Item(1)], shadow: [Item(1)],
            unsettled: [Conflict(base: Item(5), local: Item(1), remote: Item(9))])
        let error = try #require(throws: KeyError.self) { try JournaledCollection(restoring: stored) }
        #expect(error.code == .changed)
        #expect(error.collection == "unsettled")
    }

    @Test func aRecordIsUnsettledOnce() throws {
        let stored = StoredCollection(
            client: [Item(1, 9)], shadow: [Item(1)],
            unsettled: [4, 0].map { Conflict(base: Item(1), local: Item(1, 9), remote: Item(1, $0)) })
        let error = try #require(throws: KeyError.self) { try JournaledCollection(restoring: stored) }
        #expect("\(error)" == "two different elements of 'unsettled' have the key 1, at 0 and 1: make the keys unique")
    }

    @Test func aReplacementByTheSameIsNoChange() throws {
        let json = #"{"add": [{"id": 1, "value": 0}], "delete": [{"id": 1, "value": 0}]}"#
        let local = try JSONDecoder().decode(Diff<Item>.self, from: Data(json.utf8))
        let remote = Diff([Change.replace(old: Item(1), new: Item(1, 7))])
        let merge = try ThreeWayMerge(local: local, remote: remote, primaryKey: \.id, policy: .unexpected)
        #expect(merge.toLocal == remote)
    }

    @Test func whatLacksItsKeyIsNamedByWhereItCameFrom() throws {
        let version = RemoteVersion(epoch: "e", commit: "c")
        let records = try JournaledCollection([["code": "A"]], version: version, primaryKey: "code")
        for (pull, name) in [
            (.everything([["name": "x"]], version), "remote"),
            (.changes(changed: [["name": "x"]], deleted: [], version), "changed"),
        ] as [(Pull<[String: String], RecordKey<String>>, String)] {
            var cycle = SyncCycle<[String: String], RecordKey<String>>(pushID: "1", policy: .unexpected)
            _ = try cycle.begin(records)
            let error = try #require(throws: KeyError.self) { try cycle.pulled(pull, client: records) }
            #expect("\(error)" == "a record of '\(name)' has no value for 'code', which is part of its key")
        }
    }

    @Test func aRestoredPushDecidesOnOneRecordAtATime() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection([Item(1)])
        try remote.synchronize(&device, pushID: "1", policy: .unexpected)
        try device.update(Item(1, 1))
        try remote.synchronize(&device, pushID: "2", policy: .unexpected, deliver: { .requestLost })
        let data = try JSONEncoder().encode(device.stored)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""merged":{"id":1"#) || text.contains(#""merged":{"value":1,"id":1"#), "\(text)")
        for (whole, planted) in [
            (#""merged":{"id":1"#, #""merged":{"id":2"#),
            (#""merged":{"value":1,"id":1"#, #""merged":{"value":1,"id":2"#),
        ] where text.contains(whole) {
            let broken = Data(text.replacingOccurrences(of: whole, with: planted).utf8)
            let stored = try JSONDecoder().decode(StoredCollection<Item>.self, from: broken)
            let error = try #require(throws: KeyError.self) { try JournaledCollection(restoring: stored) }
            #expect(error.collection == "pendingPush")
        }
    }

    @Test func acceptedChangesHaveTheirKeys() throws {
        var records = try JournaledCollection([["code": "A"]], primaryKey: "code")
        let error = try #require(throws: KeyError.self) {
            try records.acceptShadow(pushed: Diff([.add(["name": "x"])]))
        }
        #expect("\(error)" == "a record of 'pushed' has no value for 'code', which is part of its key")
        #expect(throws: KeyError.self) {
            try records.takeIn(Diff([.add(["name": "x"]), .add(["name": "y"])]), policy: .localWins)
        }
        #expect(records.stored == StoredCollection(client: [["code": "A"]], shadow: [["code": "A"]]))
    }

    @Test func pairsOfDifferentKeysAreADeletionAndAnAddition() throws {
        let json = #"{"delete": [{"id": 1, "value": 0}], "replace": [{"id": 2, "value": 9}], "pairs": [[0, 0]]}"#
        let diff = try JSONDecoder().decode(Diff<Item>.self, from: Data(json.utf8))
        let merged = merge(into: [Item(1), Item(2)], applying: diff, primaryKey: \.id) { _, _ in true }
        #expect(merged == [Item(2, 9)])

        var collection = try JournaledCollection([Item(1)])
        try collection.takeIn(diff, policy: .unexpected)
        #expect(Array(collection) == [Item(2, 9)])
        #expect(collection.localDiff == nil)
    }

    @Test func diffsOfDifferentBasesAreNotMerged() throws {
        let local = Diff([Change.replace(old: Item(1), new: Item(1, 1))])
        let remote = Diff([Change.delete(Item(7)), .replace(old: Item(1, 5), new: Item(1, 2))])
        let error = try #require(throws: MismatchError.self) {
            try ThreeWayMerge(local: local, remote: remote, primaryKey: \.id, policy: .localWins)
        }
        #expect(error.mismatches.map(\.position) == [1])
        #expect(throws: MismatchError.self) {
            try ThreeWayMerge(
                local: Diff([.add(Item(1))]), remote: Diff([.delete(Item(1))]), primaryKey: \.id, policy: .localWins)
        }
    }

    @Test func aPullThatContradictsItselfIsRefused() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection<Item, Int>([])
        remote.reset(to: [Item(1)])
        try remote.synchronize(&device, pushID: "1", policy: .unexpected)
        var cycle = SyncCycle<Item, Int>(pushID: "2", policy: .unexpected)
        _ = try cycle.begin(device)
        let version = try #require(remote.version)
        let error = try #require(throws: KeyError.self) {
            try cycle.pulled(.changes(changed: [Item(2)], deleted: [2], version), client: device)
        }
        #expect("\(error)" == "'changed and deleted' has two changes for the key 2: make one of them")
    }
}
