import DifferentialSync
import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

/// Real collections in three years' states: 2020 is the shadow, 2022 with local edits the client, 2024 the remote.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of real data is not there; set DIFFSYNC_SHARED"))
struct ISOCodesTests {
    typealias Record = [String: String]

    static func subdivisions(_ year: Int) throws -> [Record] {
        try JSONDecoder().decode(
            [String: [Record]].self, from: SharedFiles.contents(of: "data/iso-codes/\(year)/iso3166-2.json"))["3166-2"]!
    }

    static func countries(_ year: Int) throws -> [Record] {
        try JSONDecoder().decode(
            [String: [Record]].self, from: SharedFiles.contents(of: "data/iso-codes/\(year)/iso3166-1.json"))["3166-1"]!
    }

    @Test func twoYearsDifferAsPublished() throws {
        let (old, new) = (try Self.subdivisions(2020), try Self.subdivisions(2022))
        let byBytes = try diff(
            wins: new.map { $0.mapValues { Array($0.utf8) } }, loses: old.map { $0.mapValues { Array($0.utf8) } },
            primaryKey: "code")
        #expect(byBytes?.counts == ChangeCounts(added: 578, deleted: 338, replaced: 1_335))
        // One of the names was only written in other code points; as a string it is the same.
        let changes = try diff(wins: new, loses: old, primaryKey: "code")
        #expect(changes?.counts == ChangeCounts(added: 578, deleted: 338, replaced: 1_334))
    }

    @Test func everyPairOfYearsAgainstAModelOfDictionaries() throws {
        for (collections, key) in [
            (try [2020, 2022, 2024].map(Self.subdivisions), "code"),
            (try [2020, 2022, 2024].map(Self.countries), "alpha_3"),
        ] {
            for loses in collections {
                for wins in collections {
                    let losing = Dictionary(uniqueKeysWithValues: loses.map { ($0[key]!, $0) })
                    let winning = Dictionary(uniqueKeysWithValues: wins.map { ($0[key]!, $0) })
                    let changes = try diff(wins: wins, loses: loses, primaryKey: key)
                    #expect(changes?.add ?? [] == wins.filter { losing[$0[key]!] == nil })
                    #expect(changes?.delete ?? [] == loses.filter { winning[$0[key]!] != $0 })
                    #expect(
                        changes?.replace ?? []
                            == wins.filter { losing[$0[key]!] != nil && losing[$0[key]!] != $0 })
                    let merged = try merge(into: loses, applying: changes, primaryKey: key) { _, _ in true }
                    #expect(Set(merged) == Set(wins))
                    #expect(changes?.inverted() == (try diff(wins: loses, loses: wins, primaryKey: key)))
                }
            }
        }
    }

    /// The client of the three-way case: 2022, and a user who has renamed, removed and added some.
    static func client() throws -> [Record] {
        var generator = SeededGenerator(seed: 2022)
        var client: [Record] = []
        for var record in try subdivisions(2022) {
            if generator.happens(0.01) { continue }
            if generator.happens(0.02) { record["name", default: ""] += " (edited)" }
            client.append(record)
        }
        return client + (0..<20).map { ["code": "XX-\($0)", "name": "New \($0)", "type": "Test"] }
    }

    @Test func threeWaysAgainstANaiveModel() throws {
        let (shadow, client, remote) = (try Self.subdivisions(2020), try Self.client(), try Self.subdivisions(2024))
        func byCode(_ records: [Record]) -> [String: Record] {
            Dictionary(uniqueKeysWithValues: records.map { ($0["code"]!, $0) })
        }
        let (base, local, foreign) = (byCode(shadow), byCode(client), byCode(remote))
        let codes = Set(base.keys).union(local.keys).union(foreign.keys)
        let policies: [ConflictPolicy<Record>] = [
            .localWins, .remoteWins, .leaveOpen, .mergingFields(otherwise: .remoteWins),
            .keepEdits(otherwise: .localWins),
        ]
        for policy in policies {
            let cycle = try synchronize(
                client: client, shadow: shadow, remote: remote, primaryKey: "code", policy: policy)
            let pushed = byCode(merge(into: remote, applying: cycle.push))
            let (newClient, newShadow) = (byCode(cycle.client), byCode(cycle.shadow))
            var conflicts = 0
            for code in codes {
                let expected = try NaiveModel.cycle(base: base[code], local: local[code], remote: foreign[code]) {
                    conflicts += 1
                    return try policy.resolve($0)
                }
                try #require(newClient[code] == expected.client, "\(code)")
                try #require(pushed[code] == expected.remote, "\(code)")
                try #require(newShadow[code] == expected.shadow, "\(code)")
            }
            #expect(conflicts > 10)
            #expect(cycle.counts.resolved + cycle.counts.open == conflicts)
        }
    }

    @Test func twoDevicesThroughARemote() throws {
        let base = try Self.subdivisions(2020)
        var remote = SimulatedRemote<Record, String>(primaryKey: { $0["code"]! })
        remote.reset(to: base)
        var first = try JournaledCollection<Record, String>(
            restoring: StoredCollection(client: []), primaryKey: { $0["code"]! })
        var second = first
        try remote.synchronize(&first, pushID: "a", policy: .unexpected)
        try remote.synchronize(&second, pushID: "b", policy: .unexpected)
        for (device, year) in [(0, 2022), (1, 2024)] {
            let changes = try diff(wins: Self.subdivisions(year), loses: base, primaryKey: "code")
            for change in changes?.changes ?? [] {
                if let new = change.new {
                    if device == 0 { try first.upsert(new) } else { try second.upsert(new) }
                } else if let old = change.old {
                    if device == 0 { first.remove(old["code"]!) } else { second.remove(old["code"]!) }
                }
            }
        }
        let policy = ConflictPolicy<Record>.mergingFields(otherwise: .keepEdits(otherwise: .remoteWins))
        try remote.synchronize(&first, pushID: "c", policy: policy)
        try remote.synchronize(&second, pushID: "d", policy: policy)
        try remote.synchronize(&first, pushID: "e", policy: policy)
        #expect(Set(first) == Set(second))
        #expect(Set(first) == Set(remote.elements))
        #expect(first.localDiff == nil && second.localDiff == nil)
        #expect(first.count > 5_000)
    }
}
