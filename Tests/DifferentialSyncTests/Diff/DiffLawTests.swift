import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// The laws of diff and merge: over every pair of small collections, and over random large ones.
///
/// *Round trip*: a merge of the diff into the loser gives the winner. *Identity*: nothing differs from itself.
/// *Inverse*: the diff the other way round undoes it. *Idempotence*: applying a diff twice is applying it once.
struct DiffLawTests {
    /// Every collection of up to four elements (three in debug builds) over three keys and two values.
    static let small = allSequences(
        of: (1...3).flatMap { [Item($0, 0), Item($0, 1)] }, upTo: isFullScale ? 4 : 3)

    @Test func smallCollectionsByWholeElements() throws {
        for wins in Self.small {
            for loses in Self.small { try Self.checkWholeElements(wins: wins, loses: loses) }
        }
    }

    @Test func smallCollectionsByKey() throws {
        let clashing = Self.small.map { NaiveModel.hasClash($0, key: \.id) }
        for (wins, winsClash) in zip(Self.small, clashing) {
            for (loses, losesClash) in zip(Self.small, clashing) {
                if winsClash || losesClash {
                    try Self.checkRefusal(wins: wins, loses: loses)
                } else {
                    try Self.checkKeyed(wins: wins, loses: loses)
                }
            }
        }
    }

    @Test(arguments: [10, 100, 1_000, 10_000])
    func randomCollections(count: Int) throws {
        let seed = SeededGenerator.testSeed(UInt64(count))
        print("DiffLawTests.randomCollections(\(count)): DIFFSYNC_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let rounds = isFullScale ? 20_000 / count : 2_000 / count
        for _ in 0..<max(1, rounds) {
            let loses = generator.items(count, keys: count * 2, values: 3)
            let edited = generator.edited(
                loses, probability: Double.random(in: 0...0.5, using: &generator), firstNewKey: count * 2)
            for wins in [
                edited, edited.shuffled(using: &generator), edited.reversed(), Array(edited.dropFirst(count / 3)),
                edited.sorted { $0.id < $1.id }, generator.items(count, keys: count * 2, values: 3),
            ] {
                try Self.checkLarge(wins: wins, loses: loses)
            }
        }
    }

    // MARK: Checks

    static func checkWholeElements(wins: [Item], loses: [Item]) throws {
        let changes = diff(wins: wins, loses: loses)
        let expected = NaiveModel.diff(wins: wins, loses: loses)
        try expect(NaiveModel.Lists(changes) == expected, "the diff of \(wins) and \(loses)")
        try expect((changes == nil) == expected.isEmpty, "nil for nothing: \(wins) and \(loses)")
        let merged = merge(into: loses, applying: changes)
        try expect(merged == NaiveModel.merge(into: loses, expected), "the merge of \(wins) into \(loses)")
        try expect(Set(merged) == Set(wins), "round trip of \(wins) and \(loses)")
        try expect(merge(into: merged, applying: changes) == merged, "idempotence of \(wins) and \(loses)")
        guard let changes else { return }
        try expect(changes.inverted() == diff(wins: loses, loses: wins), "inverse of \(wins) and \(loses)")
        try expect(changes.inverted().inverted() == changes, "double inverse of \(wins) and \(loses)")
        try expect(Set(try changes.applied(exactlyTo: loses)) == Set(wins), "exact application of \(wins) to \(loses)")
    }

    static func checkKeyed(wins: [Item], loses: [Item]) throws {
        let changes = try diff(wins: wins, loses: loses, primaryKey: \.id)
        let expected = NaiveModel.diff(wins: wins, loses: loses, key: \.id)
        try expect(NaiveModel.Lists(changes) == expected, "the diff of \(wins) and \(loses)")
        try expect((changes == nil) == expected.isEmpty, "nil for nothing: \(wins) and \(loses)")
        let unique = NaiveModel.distinct(wins) == wins && NaiveModel.distinct(loses) == loses
        if unique {
            let unchecked = uncheckedDiff(wins: wins, loses: loses, primaryKey: \.id)
            try expect(unchecked == changes, "the unchecked diff of \(wins) and \(loses)")
        }
        for answer in [true, false] {
            // Into the loser, and into the winner, which is then a stranger to the diff.
            for target in [loses, wins] where unique {
                var asked: [(Item, Item)] = []
                let merged = merge(into: target, applying: changes, primaryKey: \.id) {
                    asked.append(($0, $1))
                    return answer
                }
                var expectedQuestions: [(Item, Item)] = []
                let expectedResult = NaiveModel.merge(into: target, expected, key: \.id) {
                    expectedQuestions.append(($0, $1))
                    return answer
                }
                try expect(merged == expectedResult, "the merge into \(target) of \(wins) against \(loses): \(merged)")
                try expect(
                    asked.elementsEqual(expectedQuestions, by: ==), "the questions of \(wins), \(loses): \(asked)")
                var inPlace = target
                merge(into: &inPlace, applying: changes, primaryKey: \.id) { _, _ in answer }
                try expect(inPlace == merged, "in place")
            }
        }
        let merged = merge(into: loses, applying: changes, primaryKey: \.id) { _, _ in true }
        try expect(Set(merged) == Set(wins), "round trip of \(wins) and \(loses)")
        guard let changes else { return }
        try expect(Set(merge(into: loses, applying: changes)) == Set(wins), "without a key: \(wins) and \(loses)")
        try expect(changes.inverted() == (try diff(wins: loses, loses: wins, primaryKey: \.id)), "inverse of \(wins)")
        try expect(changes.inverted().inverted() == changes, "double inverse of \(wins) and \(loses)")
        let exact = try changes.applied(exactlyTo: loses, primaryKey: \.id)
        try expect(Set(exact) == Set(wins), "exact application of \(wins) to \(loses): \(exact)")
        try expect(Set(Diff(changes.changes)?.changes ?? []) == Set(changes.changes), "made of its own changes")
    }

    static func checkRefusal(wins: [Item], loses: [Item]) throws {
        let result = Result { () throws(KeyError) in try diff(wins: wins, loses: loses, primaryKey: \.id) }
        guard case .failure = result else { return try expect(false, "\(wins) and \(loses) are not refused") }
    }

    /// Against a model of dictionaries, which is as fast as the collections are large.
    static func checkLarge(wins: [Item], loses: [Item]) throws {
        let winning = Dictionary(uniqueKeysWithValues: wins.map { ($0.id, $0) })
        let losing = Dictionary(uniqueKeysWithValues: loses.map { ($0.id, $0) })
        let expected = NaiveModel.Lists(
            add: wins.filter { losing[$0.id] == nil }, delete: loses.filter { winning[$0.id] != $0 },
            replace: wins.filter { losing[$0.id] != nil && losing[$0.id] != $0 })
        let changes = try diff(wins: wins, loses: loses, primaryKey: \.id)
        #expect(NaiveModel.Lists(changes) == expected)
        #expect(uncheckedDiff(wins: wins, loses: loses, primaryKey: \.id) == changes)
        #expect(changes?.replacements.allSatisfy { losing[$0.new.id] == $0.old } ?? true)
        let whole = diff(wins: wins, loses: loses)
        #expect(whole?.delete ?? [] == expected.delete)
        #expect(whole?.add ?? [] == wins.filter { losing[$0.id] != $0 })
        let merged = merge(into: loses, applying: changes, primaryKey: \.id) { _, _ in true }
        #expect(Set(merged) == Set(wins))
        #expect(merged.map(\.id) == loses.map(\.id).filter { winning[$0] != nil } + expected.add.map(\.id))
        #expect(Set(merge(into: loses, applying: whole)) == Set(wins))
        #expect(changes?.inverted() == (try diff(wins: loses, loses: wins, primaryKey: \.id)))
        if let changes { #expect(try changes.applied(exactlyTo: loses, primaryKey: \.id) == merged) }
    }
}

/// Fails with the message if the condition does not hold.
///
/// In loops of millions it is a good deal faster than the `#expect` macro, and ends the test at the first failure.
private func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { try #require(Bool(false), "\(message())") }
}
