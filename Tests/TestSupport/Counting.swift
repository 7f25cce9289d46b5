/// Counters of the operations of an algorithm, by which tests assert complexity without a clock.
///
/// They are not safe for concurrent use: each test makes its own.
public final class Counter: Sendable {
    // because: a counter belongs to one test, which runs what it counts on one thread.
    /// The number of comparisons of two elements.
    nonisolated(unsafe) public var comparisons = 0
    // because: a counter belongs to one test, which runs what it counts on one thread.
    /// The number of keys that were read from elements.
    nonisolated(unsafe) public var keys = 0
    // because: a counter belongs to one test, which runs what it counts on one thread.
    /// The number of keys that were hashed.
    nonisolated(unsafe) public var hashes = 0

    /// Creates counters at zero.
    public init() {}

    /// The sum of all counts.
    public var total: Int { comparisons + keys + hashes }
}

/// An element that counts its comparisons.
public struct CountedElement<Key: Hashable>: Equatable {
    /// The key; reading it here is not counted.
    public let key: Key
    /// The content beside the key.
    public var value: Int
    /// The counters of comparisons and keys.
    public let counter: Counter

    /// Creates an element with a key and a value.
    public init(_ key: Key, _ value: Int, _ counter: Counter) {
        self.key = key
        self.value = value
        self.counter = counter
    }

    /// Whether keys and values are equal.
    ///
    /// Counts a comparison.
    public static func == (left: CountedElement, right: CountedElement) -> Bool {
        left.counter.comparisons += 1
        return left.value == right.value && left.key == right.key
    }

    /// The key; each access is counted.
    public var countedKey: Key {
        counter.keys += 1
        return key
    }
}

/// A key that counts how often it is hashed.
///
/// The library has no special case for its type.
public struct CountedKey: Hashable, Sendable {
    /// The number that identifies the key.
    public let id: Int
    /// The counter of hashes.
    public let counter: Counter

    /// Creates a key with a number.
    public init(_ id: Int, _ counter: Counter) {
        self.id = id
        self.counter = counter
    }

    /// Whether the numbers are equal; not counted.
    public static func == (left: CountedKey, right: CountedKey) -> Bool { left.id == right.id }

    /// Hashes the number.
    ///
    /// Counts a hash.
    public func hash(into hasher: inout Hasher) {
        counter.hashes += 1
        hasher.combine(id)
    }
}
