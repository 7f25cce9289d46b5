import SyncValues
import Testing

struct ValueTests {
    @Test func stringsCompareByScalarsNotByCanonicalEquivalence() {
        #expect(Value.string("\u{E9}") != .string("e\u{301}"))
        #expect(Value.string("\u{E9}") == .string("\u{E9}"))
    }

    @Test func objectEqualityIgnoresMemberOrder() {
        let one: Value = ["a": 1, "b": 2]
        let other: Value = ["b": 2, "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": 3])
    }

    @Test func valueOccupiesAtMostThreeWords() {
        #expect(MemoryLayout<Value>.stride == 24)
    }
}
