/// The elements of a stored collection, and the errors of those that cannot be read.
///
/// It is a collection of the elements that can be read:
///
/// ```swift
/// let stored = try await notes.elements()
/// show(Array(stored))
/// for error in stored.unreadable { report(error) }  // Note 7: no Note can be read from it: …
/// ```
///
/// An element cannot be read if the present type does not decode the JSON of an older or newer version of it. It is
/// kept and synchronized unchanged. A type that decodes it can read it again.
public struct StoredElements<Element: Sendable>: Sendable {
    /// An error for each element that cannot be read, with its key.
    public let unreadable: [PersistenceError]

    private let elements: [Element]

    package init(_ elements: [Element], unreadable: [PersistenceError]) {
        self.elements = elements
        self.unreadable = unreadable
    }
}

extension StoredElements: RandomAccessCollection {
    /// The position of the first element, 0.
    public var startIndex: Int { 0 }

    /// The number of elements that can be read.
    public var endIndex: Int { elements.count }

    /// The element at a position.
    public subscript(position: Int) -> Element { elements[position] }
}

extension StoredElements: Equatable where Element: Equatable {}

extension StoredElements: ExpressibleByArrayLiteral {
    /// Creates stored elements from an array, without errors.
    public init(arrayLiteral elements: Element...) {
        self.init(elements, unreadable: [])
    }
}
