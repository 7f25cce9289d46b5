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
            unresolved: [Conflict(base: Item(5), local: Item(1), remote: Item(9))])
        let error = try #require(throws: KeyError.self) { try JournaledCollection(restoring: stored) }
        #expect(error.code == .changed)
        #expect(error.collection == "unresolved")
    }

    @Test func aRecordIsUnresolvedOnce() throws {
        let stored = StoredCollection(
            client: [Item(1, 9)], shadow: [Item(1)],
            unresolved: [4, 0].map { Conflict(base: Item(1), local: Item(1, 9), remote: Item(1, $0)) })
        let error = try #require(throws: KeyError.self) { try JournaledCollection(restoring: stored) }
        #expect("\(error)" == "two different elements of 'unresolved' have the key 1, at 0 and 1: make the keys unique")
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
        var records = try JournaledCollection([["code": "A"]], version: version, primaryKey: "code")
        for (pull, name) in [
            (.everything([["name": "x"]], version), "remote"),
            (.changes(changed: [["name": "x"]], deleted: [], version), "changed"),
        ] as [(Pull<[String: String], RecordKey<String>>, String)] {
            var cycle = SyncCycle<[String: String], RecordKey<String>>(pushID: "1", policy: .unexpected)
            _ = try cycle.begin(&records)
            let error = try #require(throws: KeyError.self) { try cycle.pulled(pull, &records) }
            #expect("\(error)" == "the record at 0 of '\(name)' has no value for 'code', which is part of its key")
        }
    }

    /// What a file can say of a push in flight, and what an answer then makes of it.
    @Test func aRestoredPushIsCheckedAndItsAnswerNeverTraps() throws {
        let version = RemoteVersion(epoch: "e", commit: "1")
        for (changes, code) in [
            (#"{"add": [{"id": 1, "value": 1}, {"id": 1, "value": 2}]}"#, KeyError.Code.duplicate),
            (#"{"delete": [{"id": 1, "value": 1}, {"id": 1, "value": 2}]}"#, .duplicate),
            (#"{"delete": [{"id": 1, "value": 0}], "replace": [{"id": 2, "value": 9}], "pairs": [[0, 0]]}"#, nil),
            (#"{"delete": [{"id": 9, "value": 0}], "add": [{"id": 8, "value": 9}]}"#, nil),
            (#"{"add": []}"#, nil),
        ] {
            let json = #"""
                {"client": [{"id": 1, "value": 5}], "shadow": [{"id": 1, "value": 0}], "unresolved": [],
                 "version": {"epoch": "e", "commit": "1"},
                 "pendingPush": {"id": "a", "expected": {"epoch": "e", "commit": "1"}, "changes": \#(changes)}}
                """#
            let stored = try JSONDecoder().decode(StoredCollection<Item>.self, from: Data(json.utf8))
            #expect(stored.version == version)
            if let code {
                let error = try #require(throws: KeyError.self) { try JournaledCollection(restoring: stored) }
                #expect(error.code == code)
                #expect(error.collection == "pendingPush")
                continue
            }
            for status in [
                PushStatus<Item>.applied(version), .applied(version, amended: [Item(1, 7), Item(2, 7)]), .unknown,
            ] {
                var items = try JournaledCollection(restoring: stored)
                var cycle = SyncCycle<Item, Int>(pushID: "b", policy: .localWins)
                #expect(try cycle.begin(&items).confirms == "a")
                _ = try cycle.confirmed(status, &items)
                #expect(items[1] == Item(1, 5), "the edit is not lost")
            }
        }
    }

    @Test func acceptedChangesHaveTheirKeys() throws {
        var records = try JournaledCollection([["code": "A"]], primaryKey: "code")
        let error = try #require(throws: KeyError.self) {
            try records.acceptShadow(pushed: Diff([.add(["name": "x"])]), at: records.shadowMark)
        }
        #expect("\(error)" == "a record of 'pushed' has no value for 'code', which is part of its key")
        #expect(throws: KeyError.self) {
            try records.merge(remoteChanges: Diff([.add(["name": "x"]), .add(["name": "y"])]), policy: .localWins)
        }
        #expect(records.stored == StoredCollection(client: [["code": "A"]], shadow: [["code": "A"]]))
    }

    @Test func pairsOfDifferentKeysAreADeletionAndAnAddition() throws {
        let json = #"{"delete": [{"id": 1, "value": 0}], "replace": [{"id": 2, "value": 9}], "pairs": [[0, 0]]}"#
        let diff = try JSONDecoder().decode(Diff<Item>.self, from: Data(json.utf8))
        let merged = merge(into: [Item(1), Item(2)], applying: diff, primaryKey: \.id) { _, _ in true }
        #expect(merged == [Item(2, 9)])

        var collection = try JournaledCollection([Item(1)])
        try collection.merge(remoteChanges: diff, policy: .unexpected)
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
}
