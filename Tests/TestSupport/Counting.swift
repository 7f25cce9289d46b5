/// Counts what an algorithm does, so that tests can assert complexity without a clock.
///
/// Not for use by several threads at once: each test makes its own.
public final class Counter: Sendable {
    // because: a counter belongs to one test, which runs what it counts on one thread.
    /// How often two elements were compared.
    nonisolated(unsafe) public var comparisons = 0
    // because: a counter belongs to one test, which runs what it counts on one thread.
    /// How often the key of an element was read.
    nonisolated(unsafe) public var keys = 0
    // because: a counter belongs to one test, which runs what it counts on one thread.
    /// How often a key was hashed.
    nonisolated(unsafe) public var hashes = 0

    /// A counter that stands at zero.
    public init() {}

    /// All that was counted.
    public var total: Int { comparisons + keys + hashes }
}

/// An element whose comparisons are counted.
public struct CountedElement<Key: Hashable>: Equatable {
    /// The key, not counted.
    public let key: Key
    /// The rest of the element.
    public var value: Int
    /// Where comparisons are counted.
    public let counter: Counter

    /// An element of the given key and value.
    public init(_ key: Key, _ value: Int, _ counter: Counter) {
        self.key = key
        self.value = value
        self.counter = counter
    }

    /// Whether key and value are equal; counted.
    public static func == (left: CountedElement, right: CountedElement) -> Bool {
        left.counter.comparisons += 1
        return left.value == right.value && left.key == right.key
    }

    /// The key, counted.
    public var countedKey: Key {
        counter.keys += 1
        return key
    }
}

/// A key of no type that the library knows, whose hashes are counted.
public struct CountedKey: Hashable, Sendable {
    /// What tells the key from others.
    public let id: Int
    /// Where hashes are counted.
    public let counter: Counter

    /// A key of the given number.
    public init(_ id: Int, _ counter: Counter) {
        self.id = id
        self.counter = counter
    }

    /// Whether the numbers are equal; not counted.
    public static func == (left: CountedKey, right: CountedKey) -> Bool { left.id == right.id }

    /// Hashes the number; counted.
    public func hash(into hasher: inout Hasher) {
        counter.hashes += 1
        hasher.combine(id)
    }
}
