import DifferentialSyncTesting
import TestSupport
import Testing

@testable import DifferentialSync

struct KeyFilterTests {
    @Test(arguments: [0, 1, 100, 10_000])
    func itKnowsWhatWasEnteredAndSeldomTakesAnythingElseForIt(count: Int) {
        let seed = SeededGenerator.testSeed(1)
        var generator = SeededGenerator(seed: seed)
        let filter = KeyFilter(count: count)
        let entered = (0..<count).map { _ in generator.next() }
        for hash in entered { filter.insert(hash: hash) }
        let areAllThere = entered.allSatisfy { filter.mayContain(hash: $0) }
        #expect(areAllThere, "seed \(seed)")

        let others = (0..<10_000).map { _ in generator.next() }
        let mistaken = others.count { filter.mayContain(hash: $0) }
        #expect(mistaken < 10_000 / 10, "seed \(seed): \(mistaken) of 10,000 taken for entered ones")
    }

    @Test func theSmallestAndTheLargestHashHaveAPlace() {
        for count in 0...5 {
            let filter = KeyFilter(count: count)
            for hash in [UInt64.min, .max] {
                let isThereBefore = filter.mayContain(hash: hash)
                filter.insert(hash: hash)
                let isThereAfter = filter.mayContain(hash: hash)
                #expect(!isThereBefore && isThereAfter)
            }
        }
    }
}
