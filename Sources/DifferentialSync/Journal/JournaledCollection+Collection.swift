extension JournaledCollection: RandomAccessCollection {
    /// The number of elements. O(1)
    @inlinable
    public var count: Int { slots.count }

    /// Whether there are no elements. O(1)
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// A position in the collection.
    public struct Index: Comparable, Sendable {
        @usableFromInline let slot: Int

        @inlinable
        init(slot: Int) {
            self.slot = slot
        }

        /// Whether the left position is before the right one.
        @inlinable
        public static func < (left: Index, right: Index) -> Bool { left.slot < right.slot }
    }

    /// The position of the first element. O(1)
    @inlinable
    public var startIndex: Index { Index(slot: slots.occupied.first(from: 0) ?? slots.elements.count) }

    /// The position after the last element. O(1)
    @inlinable
    public var endIndex: Index { Index(slot: slots.elements.count) }

    /// Returns the position after the given one. O(1)
    @inlinable
    public func index(after index: Index) -> Index {
        precondition(index.slot < slots.elements.count, "there is no position after the end")
        let next = index.slot + 1
        if next < slots.elements.count && slots.elements[next] != nil { return Index(slot: next) }
        return Index(slot: slots.occupied.first(from: next) ?? slots.elements.count)
    }

    /// Returns the position before the given one. O(1)
    @inlinable
    public func index(before index: Index) -> Index {
        guard let slot = slots.occupied.last(before: index.slot) else {
            preconditionFailure("there is no position before the start")
        }
        return Index(slot: slot)
    }

    /// Returns the position that is a number of elements away from the given one. O(1)
    @inlinable
    public func index(_ index: Index, offsetBy distance: Int) -> Index {
        let number = slots.occupied.rank(of: index.slot) + distance
        precondition(number >= 0 && number <= count, "there is no position before the start or after the end")
        return Index(slot: slots.occupied.member(number) ?? slots.elements.count)
    }

    /// Returns the number of elements from one position to another, negative if the end is before the start. O(1)
    @inlinable
    public func distance(from start: Index, to end: Index) -> Int {
        slots.occupied.rank(of: end.slot) - slots.occupied.rank(of: start.slot)
    }

    /// The element at the position. O(1)
    @inlinable
    public subscript(position: Index) -> Element {
        guard let element = slots.elements[position.slot] else {
            preconditionFailure("the position is not valid any more: a change of the collection ends all positions")
        }
        return element
    }
}
