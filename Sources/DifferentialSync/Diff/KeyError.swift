/// An error in the keys of a collection.
///
/// Its description names the collection, the key and the positions:
///
/// ```
/// two different elements of 'wins' have the key 7, at 2 and 5: make the keys unique, or choose which one counts
/// (duplicates: .keepFirst or .keepLast)
/// ```
public struct KeyError: Error {
    /// The kinds of error.
    ///
    /// Later versions may add kinds: a `switch` needs a `default`.
    public enum Code: Hashable, Sendable {
        /// Two different elements of one collection have the same key.
        case duplicate
        /// A record has no value for a part of its key.
        case missing
        /// The collection already has an element with the key of the one to be inserted.
        case taken
        /// No element has the key.
        case unknown
        /// The element that was to replace another one has another key.
        case changed
        /// The key is not equal to itself, such as a NaN. No element can be found by it.
        case notEqualToItself
    }

    /// The kind of error.
    public let code: Code

    /// The name of the argument whose elements have the wrong keys.
    public let collection: String

    /// The key at fault, of the type that the primary key has; nil if a record lacks its key.
    ///
    /// For a key of type `Int`, `error.key as? Int` is the key.
    public let key: (any Hashable & Sendable)?

    /// The name under which a record lacks a part of its key; nil for all other codes.
    public let missingName: String?

    /// The positions of the elements at fault, counted from the collection's start.
    public let positions: [Int]

    /// Creates an error about elements of a collection.
    @usableFromInline
    package init(_ code: Code, in collection: String, key: some Hashable & Sendable, positions: [Int] = []) {
        self.code = code
        self.collection = collection
        self.key = key
        self.missingName = nil
        self.positions = positions
    }

    /// The error for a record that has no value for a part of its key.
    @usableFromInline
    init(missing name: String, in collection: String, positions: [Int]) {
        code = .missing
        self.collection = collection
        key = nil
        missingName = name
        self.positions = positions
    }

    /// Throws if the key is not equal to itself. O(1), and nothing for integers and text
    @inlinable
    @inline(__always)
    package static func check<Key: Hashable & Sendable>(
        _ key: Key, in collection: String, at position: Int? = nil
    ) throws(KeyError) {
        if canHoldNaN(Key.self) && key != key {
            throw KeyError(.notEqualToItself, in: collection, key: key, positions: position.map { [$0] } ?? [])
        }
    }
}

extension KeyError: Hashable {
    /// Whether the errors have the same code, collection, key and positions.
    public static func == (left: KeyError, right: KeyError) -> Bool {
        left.code == right.code && left.collection == right.collection && left.positions == right.positions
            && left.missingName == right.missingName
            && left.key.map { AnyHashable($0) } == right.key.map { AnyHashable($0) }
    }

    /// Hashes the code, the collection, the key and the positions.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(collection)
        hasher.combine(key.map { AnyHashable($0) })
        hasher.combine(missingName)
        hasher.combine(positions)
    }
}

extension KeyError: CustomStringConvertible {
    /// The key as text, or the name of the missing part.
    package var keyText: String { RecordText.printable(missingName ?? key.map { "\($0)" } ?? "") }

    /// The error, its place, and a remedy.
    public var description: String {
        let key = keyText
        let places = positions.map(String.init).joined(separator: " and ")
        switch code {
        case .duplicate where positions.isEmpty:
            return "'\(collection)' has two changes for the key \(key): make one of them"
        case .duplicate:
            let isChoosable = ["wins", "loses", "elements", "records"].contains(collection)
            return "two different elements of '\(collection)' have the key \(key), at \(places): make the keys unique"
                + (isChoosable ? ", or choose which one counts (duplicates: .keepFirst or .keepLast)" : "")
        case .missing where positions.isEmpty:
            return "a record of '\(collection)' has no value for '\(key)', which is part of its key"
        case .missing:
            return "the record at \(places) of '\(collection)' has no value for '\(key)', which is part of its key"
        case .taken:
            return
                "'\(collection)' has an element with the key \(key) already: update it, or insert one with another key"
        case .unknown:
            return "'\(collection)' has no element with the key \(key)"
        case .changed:
            return
                "the new element for the key \(key) in '\(collection)' has another key: keep the key, or delete and insert"
        case .notEqualToItself:
            return (positions.isEmpty ? "an element" : "the element at \(places)")
                + " of '\(collection)' has the key \(key), which is not equal to itself: give it another key"
        }
    }
}

/// The treatment of different elements of one collection with the same key.
public enum DuplicatePolicy: Hashable, Sendable {
    /// Throws a ``KeyError`` with the key and both positions.
    case refuse
    /// The first one counts. Those after it are left out.
    case keepFirst
    /// The last one counts. Those before it are left out.
    case keepLast
}
