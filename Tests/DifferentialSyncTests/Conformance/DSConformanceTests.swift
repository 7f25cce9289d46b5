import DifferentialSync
import Foundation
import Testing

/// Compares with the results that DS itself returned, in the folder `Fixtures`.
struct DSConformanceTests {
    typealias Record = [String: String]

    static func fixture(_ name: String) throws -> Data {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    // MARK: ds-cycles.json

    struct Cycle: Decodable {
        let `case`: String
        let client: [Record]
        let shadow: [Record]?
        let remote: [Record]
        let key: String
        let replaceWithNew: Bool
        let expect: [Record]
    }

    static func cycles() throws -> [Cycle] {
        try JSONDecoder().decode([Cycle].self, from: fixture("ds-cycles.json"))
    }

    @Test func cyclesEndAsInDS() throws {
        let cycles = try Self.cycles()
        #expect(cycles.contains(where: \.replaceWithNew) && !cycles.allSatisfy(\.replaceWithNew))
        for cycle in cycles {
            let byPrimitives = try Self.cycle(
                client: cycle.client, shadow: cycle.shadow ?? [], remote: cycle.remote, key: cycle.key,
                answer: cycle.replaceWithNew)
            #expect(Set(byPrimitives.client) == Set(cycle.expect), "\(cycle.case)")
            let result = try synchronize(
                client: cycle.client, shadow: cycle.shadow, remote: cycle.remote, primaryKey: cycle.key
            ) { _, _ in cycle.replaceWithNew }
            // If the answer is no, DS also discards edits without a conflict (0.10); the cycle keeps them.
            let edits = byPrimitives.local?.replacements ?? []
            let kept = cycle.replaceWithNew ? [] : edits.filter { cycle.remote.contains($0.old) }
            let lost = Set(kept.map(\.old))
            #expect(
                Set(result.client) == Set(cycle.expect).subtracting(lost).union(kept.map(\.new)), "\(cycle.case)")
        }
    }

    // MARK: ds-random.json

    struct Lists: Decodable {
        let add: [Record]
        let delete: [Record]
        let replace: [Record]

        enum CodingKeys: String, CodingKey {
            case add = "_add"
            case delete = "_delete"
            case replace = "_replace"
        }
    }

    struct Expectation: Decodable {
        let add: [Record]?
        let delete: [Record]?
        let replace: [Record]?
        let result: [Record]?
        let client: [Record]?
        let remote: [Record]?
        let localDiff: Lists?
        let push: Lists?

        enum CodingKeys: String, CodingKey {
            case add = "_add"
            case delete = "_delete"
            case replace = "_replace"
            case result, client, remote, localDiff, push
        }
    }

    struct Case: Decodable {
        let op: String
        let wins: [Record]?
        let loses: [Record]?
        let into: [Record]?
        let diff: Diff<Record>?
        let client: [Record]?
        let shadow: [Record]?
        let remote: [Record]?
        let key: String?
        let replace: Bool?
        let expect: Expectation?
    }

    static func cases(_ op: String) throws -> [Case] {
        let all = try JSONDecoder().decode([Case].self, from: fixture("ds-random.json"))
        #expect(Set(all.map(\.op)) == ["diff", "merge", "cycle"])
        return all.filter { $0.op == op }
    }

    @Test func randomDiffsAreThoseOfDS() throws {
        for (number, example) in try Self.cases("diff").enumerated() {
            let wins = try #require(example.wins)
            let loses = try #require(example.loses)
            let changes =
                try example.key.map { try diff(wins: wins, loses: loses, primaryKey: $0) }
                ?? diff(wins: wins, loses: loses)
            #expect((changes == nil) == (example.expect == nil), "case \(number)")
            #expect(Set(changes?.add ?? []) == Set(example.expect?.add ?? []), "case \(number)")
            #expect(Set(changes?.delete ?? []) == Set(example.expect?.delete ?? []), "case \(number)")
            #expect(Set(changes?.replace ?? []) == Set(example.expect?.replace ?? []), "case \(number)")
        }
    }

    @Test func randomMergesAreThoseOfDS() throws {
        for (number, example) in try Self.cases("merge").enumerated() {
            let into = try #require(example.into)
            let answer = try #require(example.replace as Bool?)
            let merged =
                try example.key.map {
                    try merge(into: into, applying: example.diff, primaryKey: $0) { _, _ in answer }
                } ?? merge(into: into, applying: example.diff)
            #expect(Set(merged) == Set(example.expect?.result ?? []), "case \(number)")
            #expect(merged.count == example.expect?.result?.count, "case \(number)")
        }
    }

    @Test func randomCyclesEndAsInDS() throws {
        for (number, example) in try Self.cases("cycle").enumerated() {
            let (client, shadow, remote) = (example.client ?? [], example.shadow ?? [], example.remote ?? [])
            let key = try #require(example.key)
            let answer = try #require(example.replace as Bool?)
            let expect = try #require(example.expect)
            let cycle = try Self.cycle(client: client, shadow: shadow, remote: remote, key: key, answer: answer)
            Self.check(cycle.local, expect.localDiff, "case \(number), local diff")
            Self.check(cycle.push, expect.push, "case \(number), push")
            #expect(Set(cycle.client) == Set(expect.client ?? []), "case \(number)")
            #expect(Set(cycle.remote) == Set(expect.remote ?? []), "case \(number)")
            guard answer else { continue }
            let helper = try synchronize(client: client, shadow: shadow, remote: remote, primaryKey: key) { _, _ in true
            }
            #expect(Set(helper.client) == Set(expect.client ?? []), "case \(number), the helper")
            #expect(Set(helper.shadow) == Set(helper.client), "case \(number), the helper")
            #expect(
                Set(merge(into: remote, applying: helper.push)) == Set(expect.remote ?? []),
                "case \(number), the helper")
        }
    }

    static func check(_ changes: Diff<Record>?, _ lists: Lists?, _ message: Comment) {
        #expect((changes == nil) == (lists == nil), message)
        #expect(Set(changes?.add ?? []) == Set(lists?.add ?? []), message)
        #expect(Set(changes?.delete ?? []) == Set(lists?.delete ?? []), message)
        #expect(Set(changes?.replace ?? []) == Set(lists?.replace ?? []), message)
    }

    /// Runs the six steps by the primitives, as a user of DS does.
    static func cycle(
        client: [Record], shadow: [Record], remote: [Record], key: String, answer: Bool
    ) throws -> (local: Diff<Record>?, client: [Record], push: Diff<Record>?, remote: [Record]) {
        let local = try diff(wins: client, loses: shadow, primaryKey: key)
        let merged = try merge(into: remote, applying: local, primaryKey: key) { _, _ in answer }
        let push = try diff(wins: merged, loses: remote, primaryKey: key)
        return (local, merged, push, merge(into: remote, applying: push))
    }
}
