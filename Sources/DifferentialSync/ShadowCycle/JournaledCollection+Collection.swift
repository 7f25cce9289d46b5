extension JournaledCollection: BidirectionalCollection {
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

        /// Whether one position stands before the other.
        @inlinable
        public static func < (left: Index, right: Index) -> Bool { left.slot < right.slot }
    }

    /// The position of the first element. O(number of removals since the gaps were last closed)
    @inlinable
    public var startIndex: Index { index(after: Index(slot: -1)) }

    /// The position after the last element. O(1)
    @inlinable
    public var endIndex: Index { Index(slot: slots.count) }

    /// The position after the given one. O(1) amortized over the collection
    @inlinable
    public func index(after index: Index) -> Index {
        var slot = index.slot + 1
        while slot < slots.count && slots[slot] == nil { slot += 1 }
        return Index(slot: slot)
    }

    /// The position before the given one. O(1) amortized over the collection
    @inlinable
    public func index(before index: Index) -> Index {
        var slot = index.slot - 1
        while slots[slot] == nil { slot -= 1 }
        return Index(slot: slot)
    }

    /// The element at the position. O(1)
    @inlinable
    public subscript(position: Index) -> Element {
        guard let element = slots[position.slot] else {
            preconditionFailure("no element stands at this position any more; positions end with the next change")
        }
        return element
    }
}
