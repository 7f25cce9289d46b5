package import DifferentialSyncTesting

/// A record as an app has them: a key, a payload of 40 bytes and a revision.
package protocol BenchmarkRecord: Hashable, Sendable {
    associatedtype ID: Hashable & Comparable & Sendable

    /// The primary key.
    var id: ID { get }

    /// How often the record was edited.
    var revision: Int { get }

    /// What the kind of key is called in the tables.
    static var keyName: String { get }

    /// A new record with a random key and payload.
    static func random(using generator: inout SeededGenerator) -> Self

    /// An equal record that shares no memory with this one, as one that has just been decoded.
    func copied() -> Self

    /// The record after an edit, sharing no memory with this one.
    func edited() -> Self
}

/// A record whose key is the text of a UUID.
package struct TextRecord: BenchmarkRecord {
    package let id: String
    package var payload: String
    package var revision: Int

    package static var keyName: String { "UUID strings" }

    package init(id: String, payload: String, revision: Int) {
        self.id = id
        self.payload = payload
        self.revision = revision
    }

    package static func random(using generator: inout SeededGenerator) -> TextRecord {
        TextRecord(
            id: .random(groups: [8, 4, 4, 4, 12], using: &generator), payload: .random(groups: [40], using: &generator),
            revision: 0)
    }

    package func copied() -> TextRecord {
        TextRecord(id: id.copied(), payload: payload.copied(), revision: revision)
    }

    package func edited() -> TextRecord {
        TextRecord(id: id.copied(), payload: payload.copied(), revision: revision + 1)
    }
}

/// A record whose key is an integer.
package struct IntegerRecord: BenchmarkRecord {
    package let id: Int
    package var payload: String
    package var revision: Int

    package static var keyName: String { "integers" }

    package init(id: Int, payload: String, revision: Int) {
        self.id = id
        self.payload = payload
        self.revision = revision
    }

    package static func random(using generator: inout SeededGenerator) -> IntegerRecord {
        IntegerRecord(
            id: Int(bitPattern: UInt(generator.next())), payload: .random(groups: [40], using: &generator), revision: 0)
    }

    package func copied() -> IntegerRecord {
        IntegerRecord(id: id, payload: payload.copied(), revision: revision)
    }

    package func edited() -> IntegerRecord {
        IntegerRecord(id: id, payload: payload.copied(), revision: revision + 1)
    }
}

extension String {
    /// Random hexadecimal digits in groups of the given lengths, written straight into the string's memory.
    static func random(groups: [Int], using generator: inout SeededGenerator) -> String {
        let length = groups.reduce(groups.count - 1, +)
        return String(unsafeUninitializedCapacity: length) { buffer in
            var position = 0
            var word: UInt64 = 0
            var digits = 0
            for (index, group) in groups.enumerated() {
                if index > 0 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                for _ in 0..<group {
                    if digits == 0 {
                        word = generator.next()
                        digits = 16
                    }
                    let digit = UInt8(word & 15)
                    buffer[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                    word >>= 4
                    digits -= 1
                    position += 1
                }
            }
            return length
        }
    }

    /// An equal string in memory of its own.
    func copied() -> String {
        var source = self
        return source.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { buffer in
                _ = buffer.initialize(from: bytes)
                return bytes.count
            }
        }
    }
}
