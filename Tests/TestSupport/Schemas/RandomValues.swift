import DifferentialSyncTesting
package import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Random values, most of them tricky, reproducible from a seed.
package struct RandomValues {
    private var generator: SeededGenerator

    /// Creates a generator of values from a seed.
    package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Returns a value that a slot admits.
    ///
    /// - Parameter probabilityOfNull: The probability of null, if the slot admits it.
    package mutating func value(for slot: Slot, probabilityOfNull: Double = 0.2) -> Value {
        if slot.isOptional && generator.happens(probabilityOfNull) { return .null }
        let parts = slot.columnTypes.map { value(of: $0) }
        return parts.count == 1 ? parts[0] : .array(parts)
    }

    /// Returns a value of a type, never null.
    package mutating func value(of type: AttributeType) -> Value {
        switch type {
        case .bool: .bool(generator.happens(0.5))
        case .integer: .integer(integer())
        case .double: .double(double(isFinite: false))
        case .decimal: .decimal(decimal())
        case .string: .string(string())
        case .bytes: .bytes(bytes())
        case .date: .date(date())
        case .uuid: .uuid(uuid())
        case .url: .url(url())
        case .json: json(depth: 3)
        }
    }
}

extension RandomValues {
    /// Returns one of the elements.
    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }

    /// Returns one of the three kinds of values with equal probability.
    private mutating func kind() -> Kind { pick([.small, .tricky, .any]) }

    /// The kinds of values: small and ordinary, at the edge of the type, or any.
    private enum Kind { case small, tricky, any }

    private mutating func integer() -> Int64 {
        switch kind() {
        case .small: Int64.random(in: -20...20, using: &generator)
        case .tricky: pick(TrickyValues.integers)
        case .any: Int64(truncatingIfNeeded: generator.next())
        }
    }

    private mutating func double(isFinite: Bool) -> Double {
        switch kind() {
        case .small:
            return Double(Int.random(in: -20...20, using: &generator)) / 4
        case .tricky:
            if !isFinite && generator.happens(0.2) { return pick([.infinity, -.infinity]) }
            return pick(TrickyValues.doubles)
        case .any:
            let value = Double(bitPattern: generator.next())
            return value.isFinite ? value : 1e-7
        }
    }

    private mutating func decimal() -> Decimal {
        switch kind() {
        case .small: Decimal(Int.random(in: -20...20, using: &generator)) / 4
        case .tricky: pick(TrickyValues.decimals)
        case .any:
            Decimal(
                sign: generator.happens(0.5) ? .plus : .minus,
                exponent: Int.random(in: -20...20, using: &generator), significand: Decimal(generator.next()))
        }
    }

    private mutating func string() -> String {
        switch kind() {
        case .small: pick(["", "a", "b", "Ada", "ada", "milk", "Zürich"])
        case .tricky: pick(TrickyValues.strings)
        case .any: String((0..<Int.random(in: 0...12, using: &generator)).map { _ in character() })
        }
    }

    private mutating func character() -> Character {
        let scalars: [ClosedRange<UInt32>] = [0x20...0x7E, 0x20...0x7E, 0...0x24F, 0x300...0x7FF, 0x1F300...0x1F6FF]
        return Unicode.Scalar(UInt32.random(in: pick(scalars), using: &generator)).map { Character($0) } ?? "x"
    }

    private mutating func bytes() -> Data {
        switch kind() {
        case .small: Data()
        case .tricky: pick(TrickyValues.bytes)
        case .any:
            Data((0..<Int.random(in: 0...20, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
        }
    }

    private mutating func date() -> Date {
        switch kind() {
        case .small: Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<1_000_000_000, using: &generator)))
        case .tricky: pick(TrickyValues.dates)
        case .any: Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &generator))
        }
    }

    private mutating func uuid() -> UUID {
        if generator.happens(0.2) { return pick(TrickyValues.uuids) }
        let (high, low) = (generator.next(), generator.next())
        func byte(_ word: UInt64, _ position: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> (8 * position)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4),
                byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }

    private mutating func url() -> URL {
        if generator.happens(0.5) { return pick(TrickyValues.urls) }
        return URL(string: "https://example.com/\(Int.random(in: 0..<1000, using: &generator))") ?? TrickyValues.urls[0]
    }

    /// Returns a JSON value with at most `depth` levels.
    private mutating func json(depth: Int) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: return .bool(generator.happens(0.5))
        case 1: return .integer(integer())
        case 2: return .double(double(isFinite: true))
        case 3: return .string(string())
        // Null is allowed only within a value.
        case 4: return depth == 3 ? .array([.null]) : .null
        case 5: return .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in json(depth: depth - 1) })
        default:
            let members = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                ValueObject.Member(name: string(), value: json(depth: depth - 1))
            }
            return .object(ValueObject(members))
        }
    }
}
