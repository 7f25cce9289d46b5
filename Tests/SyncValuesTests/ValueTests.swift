import Foundation
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

    @Test func bytesAreHashedToTheirEnd() {
        let values = (0..<1_000).map { number in
            var bytes = Data(repeating: 7, count: 98)
            bytes.append(contentsOf: [UInt8(number / 256), UInt8(number % 256)])
            return Value.bytes(bytes)
        }
        #expect(Set(values.map(\.hashValue)).count > 990)
        let slice = Data([0, 1, 2]).dropFirst()
        #expect(Value.bytes(slice).hashValue == Value.bytes(Data([1, 2])).hashValue)
    }

    @Test func valueOccupiesAtMostThreeWords() {
        #expect(MemoryLayout<Value>.stride == 24)
    }
}
