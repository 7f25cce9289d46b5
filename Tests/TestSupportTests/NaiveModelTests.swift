import DifferentialSync
import TestSupport
import Testing

/// The oracle is checked by hand: if it is wrong, the tests that trust it prove nothing.
struct NaiveModelTests {
    @Test func distinctKeepsTheFirst() {
        #expect(NaiveModel.distinct([2, 1, 2, 3, 1]) == [2, 1, 3])
    }

    @Test func clashesAreDifferentElementsWithOneKey() {
        #expect(NaiveModel.hasClash([Item(1, 0), Item(2, 0), Item(1, 1)], key: \.id))
        #expect(!NaiveModel.hasClash([Item(1, 0), Item(2, 0), Item(1, 0)], key: \.id))
    }

    @Test func diffByWholeElements() {
        let lists = NaiveModel.diff(wins: [1, 2, 4, 4], loses: [3, 2, 5, 3])
        #expect(lists == NaiveModel.Lists(add: [1, 4], delete: [3, 5]))
    }

    @Test func diffByKeyTurnsPairsIntoReplacements() {
        let lists = NaiveModel.diff(
            wins: [Item(1, 1), Item(3)], loses: [Item(1, 0), Item(2)], key: \.id)
        #expect(lists == NaiveModel.Lists(add: [Item(3)], delete: [Item(1, 0), Item(2)], replace: [Item(1, 1)]))
    }

    @Test func mergeByKeyAsksOncePerPair() {
        var asked: [Item] = []
        let lists = NaiveModel.Lists(
            add: [Item(4, 1)], delete: [Item(1, 0), Item(2, 0)], replace: [Item(1, 1), Item(9)])
        let result = NaiveModel.merge(into: [Item(1, 0), Item(2, 0), Item(3)], lists, key: \.id) { old, _ in
            asked.append(old)
            return true
        }
        #expect(result == [Item(1, 1), Item(3), Item(4, 1)])
        #expect(asked == [Item(1, 0)])
    }

    @Test func sequencesAreAllThereOnce() {
        let sequences = allSequences(of: ["a", "b"], upTo: 2)
        #expect(sequences == [[], ["a"], ["b"], ["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]])
    }
}
