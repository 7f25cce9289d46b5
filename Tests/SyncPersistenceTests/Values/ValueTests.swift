import SyncPersistence
import Testing

@Suite("Values")
struct ValueTests {
    @Test("text is equal by its scalars, not by canonical equivalence")
    func scalars() {
        #expect(Value.string("\u{E9}") != .string("e\u{301}"))
        #expect(Value.string("\u{E9}") == .string("\u{E9}"))
    }

    @Test("the order of an object's members does not count")
    func objects() {
        let one: Value = ["a": 1, "b": 2]
        let other: Value = ["b": 2, "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": 3])
    }

    @Test("a value takes no more room than three words")
    func size() {
        #expect(MemoryLayout<Value>.stride == 24)
    }
}
