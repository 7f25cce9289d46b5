package import DifferentialSyncTesting
package import SyncPersistence

/// A few values of each type, from which random ones are chosen.
///
/// There are so few that two choices are often equal.
package struct ValuePool {
    private let values: [AttributeType: [Value]]

    /// Creates a pool from values of each type.
    package init(_ values: [AttributeType: [Value]]) { self.values = values }

    /// The values of a type.
    package subscript(type: AttributeType) -> [Value] { values[type] ?? [] }

    /// Returns a value of a type; null with a probability of 0.2.
    package func random(_ type: AttributeType, using generator: inout SeededGenerator) -> Value {
        generator.happens(0.2) ? .null : self[type].randomElement(using: &generator) ?? .null
    }
}

extension ValuePool {
    /// Returns this pool with `count` more random values of each type, most of them tricky.
    package func adding(_ count: Int, seed: UInt64) -> ValuePool {
        var random = RandomValues(seed: seed)
        var values = values
        for type in AttributeType.allCases {
            values[type, default: []] += (0..<count).map { _ in random.value(of: type) }
        }
        return ValuePool(values)
    }

    /// This pool, with the numbers of every numeric type among the values of each numeric type.
    package var mixingNumbers: ValuePool {
        var values = values
        let numbers = [.integer, .double, .decimal].flatMap { self[$0] }
        for type in [AttributeType.integer, .double, .decimal] { values[type] = numbers }
        return ValuePool(values)
    }
}
