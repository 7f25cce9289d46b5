import DifferentialSyncTesting
import TestSupport
import Testing

@testable import EntitySync

struct TokenTableTests {
    @Test(arguments: 0..<4)
    func tableHoldsWhatADictionaryHolds(round: Int) {
        let seed = environmentSeed ?? UInt64(round)
        var random = SeededGenerator(seed: seed)
        // Few tokens, so that they repeat. Some have equal first bits, and the least and greatest are among them.
        let tokens = (0..<200).map { $0 % 2 == 0 ? random.next() : random.next() >> 40 } + [2, UInt64.max]
        var (table, dictionary) = (TokenTable(), [UInt64: Int]())
        for step in 0..<3_000 {
            let token = tokens.randomElement(using: &random) ?? 0
            let number: Int? = random.next() % 3 == 0 ? nil : step
            table[token] = number
            dictionary[token] = number
            #expect(table.count == dictionary.count, "seed \(seed), step \(step)")
            if step == 1_500 { table.reserve(5_000) }
        }
        for token in tokens { #expect(table[token] == dictionary[token], "seed \(seed)") }
        #expect(Set(table.all) == Set(dictionary.keys), "seed \(seed)")
        #expect(table[1] == nil)
    }

    @Test func tokensWithEqualBitsOrInSequenceAreFoundAtOnce() {
        for shift in [0, 20, 44] as [UInt64] {
            var table = TokenTable()
            for number in 1...20_000 { table[UInt64(number) << shift] = number }
            #expect((1...20_000).allSatisfy { table[UInt64($0) << shift] == $0 } && table.count == 20_000)
        }
    }

    @Test func tokenZeroEqualsTokenOne() {
        var table = TokenTable()
        #expect(table[0] == nil && table.isEmpty)
        table[0] = 7
        #expect(table[0] == 7 && table[1] == 7 && table.count == 1)
        table[1] = nil
        #expect(table[0] == nil && table.isEmpty)
    }
}
