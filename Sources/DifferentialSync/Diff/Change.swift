/// One change of a ``Diff``.
public enum Change<Element> {
    /// The element is new.
    case add(Element)
    /// The element was deleted.
    case delete(Element)
    /// The new element replaces the old one, which has the same key.
    case replace(old: Element, new: Element)
}

extension Change: Sendable where Element: Sendable {}
extension Change: Equatable where Element: Equatable {}
extension Change: Hashable where Element: Hashable {}

extension Change {
    /// Creates the change from one state of an element to another.
    ///
    /// Nil means that the element is absent.
    ///
    /// - Parameters:
    ///   - old: The element before the change, or nil if it is new.
    ///   - new: The element after the change, or nil if it is deleted.
    /// - Returns: The change, or nil if both states are nil.
    @inlinable
    public init?(from old: Element?, to new: Element?) {
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): self = .add(new)
        case (let old?, nil): self = .delete(old)
        case (let old?, let new?): self = .replace(old: old, new: new)
        }
    }

    /// The element before the change, or nil if it is new.
    @inlinable
    public var old: Element? {
        switch self {
        case .add: nil
        case .delete(let old), .replace(let old, _): old
        }
    }

    /// The element after the change, or nil if it was deleted.
    @inlinable
    public var new: Element? {
        switch self {
        case .add(let new), .replace(_, let new): new
        case .delete: nil
        }
    }

    /// An element with the key of the change: the new one, or the old one of a deletion.
    @inlinable
    package var element: Element {
        switch self {
        case .add(let element), .delete(let element), .replace(_, let element): element
        }
    }
}
