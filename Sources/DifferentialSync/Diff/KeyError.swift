/// Why the keys of a collection do not tell its elements apart.
///
/// The message names the collection, the key and the positions:
///
/// ```
/// two different elements of 'wins' have the key 7, at 2 and 5: make the keys unique, or choose which one counts
/// (duplicates: .keepFirst or .keepLast)
/// ```
public struct KeyError: Error, Hashable {
    /// What is wrong with the keys.
    public enum Code: Hashable, Sendable {
        /// Two different elements of one collection have the same key.
        case duplicate
        /// A record has no value for a part of its key.
        case missing
        /// An element with the key of the one to be inserted is there already.
        case taken
        /// No element has the key.
        case unknown
        /// An element that was to take another's place has another key.
        case changed
        /// The key is not equal to itself, such as a NaN: no element can be found by it.
        case notEqualToItself
    }

    /// What is wrong with the keys.
    public let code: Code

    /// The collection in which it was found, by the name of the argument it came in.
    public let collection: String

    /// The key, as text; for a missing one, the name under which it was looked for.
    public let key: String

    /// The positions of the elements in question, counted from the collection's start.
    public let positions: [Int]

    @usableFromInline
    package init(_ code: Code, in collection: String, key: String, positions: [Int]) {
        self.code = code
        self.collection = collection
        self.key = key
        self.positions = positions
    }

    /// Throws for a key that is not equal to itself. O(1), and nothing for integers and text
    @inlinable
    @inline(__always)
    package static func check<Key: Equatable>(
        _ key: Key, in collection: String, at position: Int? = nil
    ) throws(KeyError) {
        if canHoldNaN(Key.self) && key != key {
            throw KeyError(
                .notEqualToItself, in: collection, key: "\(key)", positions: position.map { [$0] } ?? [])
        }
    }
}

extension KeyError: CustomStringConvertible {
    /// What is wrong, where, and what to do about it.
    public var description: String {
        let key = RecordText.printable(key)
        let places = positions.map(String.init).joined(separator: " and ")
        switch code {
        case .duplicate where positions.isEmpty:
            return "'\(collection)' has two changes for the key \(key): make one of them"
        case .duplicate:
            let isChoosable = ["wins", "loses"].contains(collection)
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
                "the element that was to take the place of the one with the key \(key) in '\(collection)' has another key"
        case .notEqualToItself:
            return (positions.isEmpty ? "an element" : "the element at \(places)")
                + " of '\(collection)' has the key \(key), which is not equal to itself: give it another key"
        }
    }
}

/// What to do where two different elements of one collection have the same key.
public enum DuplicatePolicy: Hashable, Sendable {
    /// Throw a ``KeyError`` that names the key and both positions.
    case refuse
    /// The first one counts; those after it are left out.
    case keepFirst
    /// The last one counts; those before it are left out.
    case keepLast
}
