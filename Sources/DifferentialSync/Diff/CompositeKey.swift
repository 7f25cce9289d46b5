/// A primary key of several parts.
///
/// ```swift
/// let changes = try diff(wins: new, loses: old, primaryKey: { CompositeKey($0.country, $0.code) })
/// ```
public struct CompositeKey<each Part: Hashable> {
    /// The parts, in order.
    @usableFromInline let parts: (repeat each Part)

    /// Creates a key of the given parts.
    @inlinable
    public init(_ part: repeat each Part) {
        parts = (repeat each part)
    }
}

extension CompositeKey: Hashable {
    /// Whether all parts are equal.
    @inlinable
    public static func == (left: CompositeKey, right: CompositeKey) -> Bool {
        for (left, right) in repeat (each left.parts, each right.parts) {
            guard left == right else { return false }
        }
        return true
    }

    /// Hashes all parts.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        for part in repeat each parts { part.hash(into: &hasher) }
    }
}

extension CompositeKey: Sendable where repeat each Part: Sendable {}

extension CompositeKey: CustomStringConvertible {
    /// The parts, separated by slashes.
    public var description: String {
        var texts: [String] = []
        for part in repeat each parts { texts.append("\(part)") }
        return texts.joined(separator: "/")
    }
}

/// The primary key of a dictionary-like record: the values under the names of its parts.
public struct RecordKey<Value: Hashable> {
    /// The values of the parts, in the order of their names.
    public let parts: [Value]

    /// Creates a key of the given parts.
    public init(_ parts: Value...) {
        self.parts = parts
    }

    /// Creates the key of a record that has a value under each name.
    init(_ record: [String: Value], _ names: [String]) {
        parts = names.compactMap { record[$0] }
    }
}

extension RecordKey: Hashable {
    /// Whether all parts are equal; false for a part that is not equal to itself, such as a NaN.
    public static func == (left: RecordKey, right: RecordKey) -> Bool {
        // Not of the arrays: an array is equal to itself whatever it holds.
        left.parts.elementsEqual(right.parts)
    }
}

extension RecordKey: Sendable where Value: Sendable {}

extension RecordKey: CustomStringConvertible {
    /// The parts, separated by slashes.
    public var description: String {
        parts.map { "\($0)" }.joined(separator: "/")
    }
}
