import TestSupport
import Testing

struct CountingTests {
    @Test func everythingIsCounted() {
        let counter = Counter()
        let first = CountedElement(1, 0, counter)
        let second = CountedElement(1, 1, counter)
        #expect(first != second)
        #expect(first.countedKey == second.countedKey)
        #expect(counter.comparisons == 1)
        #expect(counter.keys == 2)
        let keys: Set = [CountedKey(1, counter), CountedKey(1, counter)]
        #expect(keys.count == 1)
        #expect(counter.hashes == 2)
        #expect(counter.total == 5)
    }
}
