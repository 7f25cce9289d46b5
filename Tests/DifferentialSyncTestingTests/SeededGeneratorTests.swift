import DifferentialSyncTesting
import Testing

struct SeededGeneratorTests {
    @Test func oneSeedGivesOneSequence() {
        var first = SeededGenerator(seed: 7)
        var second = SeededGenerator(seed: 7)
        #expect((0..<10).map { _ in first.next() } == (0..<10).map { _ in second.next() })
    }

    @Test func theNumbersAreThoseOfSplitMix64() {
        // The first numbers of the algorithm's published test sequence for the seed 1234567.
        var generator = SeededGenerator(seed: 1_234_567)
        let numbers = [generator.next(), generator.next()]
        #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973])
    }

    @Test func probabilitiesAreThoseAskedFor() {
        var generator = SeededGenerator(seed: 1)
        func hits(_ probability: Double) -> Int { (0..<10_000).count { _ in generator.happens(probability) } }
        #expect((2_300...2_700).contains(hits(0.25)))
        #expect(hits(0) == 0)
        #expect(hits(1) == 10_000)
    }
}
