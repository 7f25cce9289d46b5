import DifferentialSync
import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

struct DiffInversionTests {
    let changes = Diff<Item>([
        .delete(Item(1)), .replace(old: Item(2, 0), new: Item(2, 1)), .add(Item(3)),
        .replace(old: Item(4, 0), new: Item(4, 1)),
    ])!

    @Test func theInverseTakesBack() {
        let inverse = changes.inverted()
        #expect(inverse.add == [Item(1)])
        #expect(inverse.replace == [Item(2, 0), Item(4, 0)])
        #expect(inverse.delete == [Item(2, 1), Item(3), Item(4, 1)])
        #expect(inverse.inverted() == changes)
    }

    @Test func withoutPairsTheInverseIsByWholeElements() throws {
        let foreign = try decoded(
            Diff<Item>.self, #"{"_add":[],"_delete":[{"id":1,"value":0}],"_replace":[{"id":1,"value":1}]}"#)
        let inverse = foreign.inverted()
        #expect(inverse.add == [Item(1, 0)])
        #expect(inverse.delete == [Item(1, 1)])
        #expect(merge(into: [Item(1, 1)], applying: inverse) == [Item(1, 0)])
    }

    @Test func aDiffOfNoChangesIsNil() {
        #expect(Diff<Item>([]) == nil)
    }

    @Test func aChangeKnowsBothSides() {
        #expect(Change.add(1).old == nil)
        #expect(Change.add(1).new == 1)
        #expect(Change.delete(1).old == 1)
        #expect(Change.delete(1).new == nil)
        #expect(Change.replace(old: 1, new: 2).old == 1)
        #expect(Change.replace(old: 1, new: 2).new == 2)
    }
}

struct DiffCompositionTests {
    @Test func diffsThatDoNotKnowTheirPairsAreComposedByKey() throws {
        let json = #"{"_delete": [{"id": 1, "value": 0}], "_replace": [{"id": 1, "value": 1}]}"#
        let foreign = try JSONDecoder().decode(Diff<Item>.self, from: Data(json.utf8))
        let next = try #require(Diff([Change.replace(old: Item(1, 1), new: Item(1, 2))]))
        let whole = Diff([Change.replace(old: Item(1), new: Item(1, 2))])
        #expect(try foreign.composed(with: next, primaryKey: \.id) == whole)
        let before = try #require(Diff([Change.add(Item(1))]))
        #expect(try before.composed(with: foreign, primaryKey: \.id) == Diff([.add(Item(1, 1))]))
        let unkeyed = try #require(diff(wins: [Item(1, 2)], loses: [Item(1, 1)]))
        #expect(try foreign.composed(with: unkeyed, primaryKey: \.id) == whole)
        #expect(throws: KeyError.self) {
            try next.composed(with: Diff([.add(Item(3)), .add(Item(3, 1))])!, primaryKey: \.id)
        }
    }

    @Test(arguments: [
        ("edit, edit", [Item(1, 0)], [Item(1, 1)], [Item(1, 2)]),
        ("edit, back", [Item(1, 0)], [Item(1, 1)], [Item(1, 0)]),
        ("add, edit", [], [Item(1, 1)], [Item(1, 2)]),
        ("add, delete", [], [Item(1, 1)], []),
        ("delete, add again", [Item(1, 0)], [], [Item(1, 0)]),
        ("delete, add changed", [Item(1, 0)], [], [Item(1, 5)]),
        ("edit, delete", [Item(1, 0)], [Item(1, 1)], []),
        ("others", [Item(1), Item(2)], [Item(2), Item(3)], [Item(3), Item(4)]),
    ])
    func theCompositionGoesTheWholeWay(_ name: String, first: [Item], second: [Item], third: [Item]) throws {
        let one = try #require(try diff(wins: second, loses: first, primaryKey: \.id))
        let two = try #require(try diff(wins: third, loses: second, primaryKey: \.id))
        let both = try one.composed(with: two, primaryKey: \.id)
        let straight = try diff(wins: third, loses: first, primaryKey: \.id)
        #expect(Set(both?.changes ?? []) == Set(straight?.changes ?? []))
        #expect((both == nil) == (straight == nil))
    }

    @Test func everySmallTriple() throws {
        // Every state of three keys with two values each: 27 states, 19,683 triples.
        let states = (0..<27).map { number in
            [number % 3, number / 3 % 3, number / 9].enumerated().compactMap { $1 == 0 ? nil : Item($0, $1) }
        }
        for first in states {
            for second in states where second != first {
                let one = try #require(try diff(wins: second, loses: first, primaryKey: \.id))
                for third in states where third != second {
                    let two = try #require(try diff(wins: third, loses: second, primaryKey: \.id))
                    let straight = try diff(wins: third, loses: first, primaryKey: \.id)
                    let both = try one.composed(with: two, primaryKey: \.id)
                    if Set(both?.changes ?? []) != Set(straight?.changes ?? []) {
                        Issue.record("\(first) to \(second) to \(third): \(both?.changes ?? [])")
                    }
                    let whole = try diff(wins: second, loses: first)?.composed(with: diff(wins: third, loses: second)!)
                    if Set(whole?.changes ?? []) != Set(diff(wins: third, loses: first)?.changes ?? []) {
                        Issue.record("\(first) to \(second) to \(third) by whole elements: \(whole?.changes ?? [])")
                    }
                }
            }
        }
    }

    @Test func compositionIsAssociative() throws {
        let seed = SeededGenerator.testSeed(11)
        print("DiffCompositionTests.compositionIsAssociative: DIFFSYNC_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let states = (0..<4).map { _ in generator.items(8, keys: 12, values: 3) }
            let steps = try zip(states.dropFirst(), states).map { try diff(wins: $0, loses: $1, primaryKey: \.id) }
            guard let one = steps[0], let two = steps[1], let three = steps[2] else { continue }
            let left = try one.composed(with: two, primaryKey: \.id)?.composed(with: three, primaryKey: \.id)
            let right = try two.composed(with: three, primaryKey: \.id).flatMap {
                try one.composed(with: $0, primaryKey: \.id)
            }
            #expect(Set(left?.changes ?? three.changes) == Set(right?.changes ?? one.changes))
        }
    }

    @Test func aDiffThatDoesNotFollowIsRefused() throws {
        let one = try #require(try diff(wins: [Item(1, 1)], loses: [Item(1, 0)], primaryKey: \.id))
        let stranger = try #require(try diff(wins: [Item(1, 9)], loses: [Item(1, 5)], primaryKey: \.id))
        let error = #expect(throws: MismatchError.self) { try one.composed(with: stranger, primaryKey: \.id) }
        #expect(error?.mismatches.map(\.list) == ["next"])
        #expect(error?.mismatches.map(\.reason) == [.differs])
    }
}

struct ExactApplicationTests {
    let base = [Item(1, 0), Item(2, 0), Item(3, 0)]

    @Test func replacementsTakeTheirPlaceAndAdditionsComeLast() throws {
        let changes = try #require(
            try diff(wins: [Item(9), Item(3, 1), Item(1, 0)], loses: base, primaryKey: \.id))
        #expect(try changes.applied(exactlyTo: base, primaryKey: \.id) == [Item(1, 0), Item(3, 1), Item(9)])
        var copy = base
        try changes.apply(exactlyTo: &copy, primaryKey: \.id)
        #expect(copy == [Item(1, 0), Item(3, 1), Item(9)])
        var whole = base
        try changes.apply(exactlyTo: &whole)
        #expect(whole == copy)
    }

    @Test func everyMismatchIsNamedAndNothingChanges() throws {
        let changes = Diff<Item>([
            .delete(Item(1, 7)), .delete(Item(8, 0)), .replace(old: Item(2, 0), new: Item(2, 1)), .add(Item(3, 5)),
        ])!
        var copy = base
        let error = #expect(throws: MismatchError.self) { try changes.apply(exactlyTo: &copy, primaryKey: \.id) }
        #expect(copy == base)
        #expect(error?.mismatches.map(\.reason) == [.differs, .notThere, .alreadyThere])
        #expect(error?.mismatches.map(\.list) == ["delete", "delete", "add"])
        #expect(error?.mismatches.map(\.position) == [0, 1, 0])
        #expect(
            "\(try #require(error))" == """
                the diff does not fit: delete[0] has another value, delete[1] does not exist, add[0] already exists. \
                Nothing was changed; make the diff again from the present collection
                """)
    }

    @Test func manyMismatchesAreCounted() throws {
        let changes = try #require(diff(wins: [Int](), loses: Array(1...10)))
        let error = #expect(throws: MismatchError.self) { try changes.applied(exactlyTo: []) }
        #expect(error?.mismatches.count == 10)
        #expect("\(try #require(error))".contains("delete[2] does not exist, and 7 more. Nothing"))
    }

    @Test func ofEqualElementsOneCountsAndOfDifferentOnesNone() throws {
        let changes = try #require(try diff(wins: [Item(1, 1)], loses: [Item(1, 0)], primaryKey: \.id))
        #expect(try changes.applied(exactlyTo: [Item(1, 0), Item(1, 0)], primaryKey: \.id) == [Item(1, 1)])
        #expect(throws: MismatchError.self) {
            try changes.applied(exactlyTo: [Item(1, 0), Item(1, 5)], primaryKey: \.id)
        }
    }

    @Test func aWholeElementDiffFitsByKeyToo() throws {
        let changes = try #require(diff(wins: [Item(1, 1)], loses: [Item(1, 0)]))
        #expect(try changes.applied(exactlyTo: [Item(1, 0), Item(2)], primaryKey: \.id) == [Item(2), Item(1, 1)])
    }
}

struct CollectionDifferenceTests {
    @Test func theDifferenceMakesWhatTheMergeMakes() {
        let old = ["a", "b", "c", "d"]
        let changes = diff(wins: ["d", "x", "b", "y"], loses: old)!
        let difference = changes.collectionDifference(from: old)
        #expect(old.applying(difference) == merge(into: old, applying: changes))
        #expect(old.applying(difference) == ["b", "d", "x", "y"])
    }

    @Test func aReplacementStaysInItsPlace() throws {
        let old = [Item(1), Item(2), Item(3)]
        let changes = try #require(try diff(wins: [Item(3, 1), Item(2, 1), Item(4)], loses: old, primaryKey: \.id))
        #expect(old.applying(changes.collectionDifference(from: old)) == [Item(2, 1), Item(3, 1), Item(4)])
    }

    @Test func strangersAreLeftOut() {
        let changes = diff(wins: [1, 2], loses: [3, 4])!
        let base = [2, 4, 5]
        #expect(base.applying(changes.collectionDifference(from: base)) == [2, 5, 1])
    }

    @Test func everySmallPair() throws {
        let small = allSequences(of: (1...2).flatMap { [Item($0, 0), Item($0, 1)] }, upTo: 3)
        for wins in small {
            for loses in small {
                guard let changes = diff(wins: wins, loses: loses) else { continue }
                let applied = try #require(loses.applying(changes.collectionDifference(from: loses)))
                #expect(Set(applied) == Set(wins), "\(wins) and \(loses)")
                #expect(Diff(wins.difference(from: loses)) != nil, "\(wins) and \(loses)")
            }
        }
    }

    @Test func aDifferenceGivesADiffWithoutMoves() throws {
        let old = ["a", "b", "c"]
        let new = ["c", "a", "d"]
        let changes = try #require(Diff(new.difference(from: old)))
        #expect(changes == diff(wins: new, loses: old))
        #expect(Diff(["b", "a"].difference(from: ["a", "b"])) == nil)
    }

    @Test func byKeyARemovalAndAnInsertionAreAReplacement() throws {
        let old = [Item(1, 0), Item(2, 0), Item(3, 0)]
        let new = [Item(3, 0), Item(1, 1), Item(4, 0)]
        let changes = try Diff(new.difference(from: old), primaryKey: \.id)
        #expect(changes?.replacements.map(\.new) == [Item(1, 1)])
        #expect(changes?.add == [Item(4, 0)])
        #expect(changes?.deletions == [Item(2, 0)])
        #expect(try Diff(old.reversed().difference(from: old), primaryKey: \.id) == nil)
        #expect(throws: KeyError.self) {
            try Diff([Item(5, 0), Item(5, 1)].difference(from: []), primaryKey: \.id)
        }
    }
}
