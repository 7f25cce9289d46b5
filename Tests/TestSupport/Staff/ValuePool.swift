package import DifferentialSyncTesting
package import SyncPersistence

/// Values of each type to take from at random: so few that two which are taken are often equal, or nearly.
package struct ValuePool {
    private let values: [AttributeType: [Value]]

    /// A pool of these values.
    package init(_ values: [AttributeType: [Value]]) { self.values = values }

    /// The values of a type.
    package subscript(type: AttributeType) -> [Value] { values[type] ?? [] }

    /// A value of a type, or null.
    package func random(_ type: AttributeType, using generator: inout SeededGenerator) -> Value {
        generator.happens(0.2) ? .null : self[type].randomElement(using: &generator) ?? .null
    }
}

extension ValuePool {
    /// This pool with as many random values of each type besides, tricky ones above all.
    package func adding(_ count: Int, seed: UInt64) -> ValuePool {
        var random = RandomValues(seed: seed)
        var values = values
        for type in AttributeType.allCases {
            values[type, default: []] += (0..<count).map { _ in random.value(of: type) }
        }
        return ValuePool(values)
    }

    /// This pool with numbers of every kind among those of each kind.
    package var mixingNumbers: ValuePool {
        var values = values
        let numbers = [.integer, .double, .decimal].flatMap { self[$0] }
        for type in [AttributeType.integer, .double, .decimal] { values[type] = numbers }
        return ValuePool(values)
    }
}
