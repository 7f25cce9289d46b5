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

    /// The position of the first element. O(1)
    @inlinable
    public var startIndex: Index { Index(slot: firstSlot) }

    /// The position after the last element. O(1)
    @inlinable
    public var endIndex: Index { Index(slot: slots.count) }

    /// The position after the given one. O(1) amortized over the collection
    @inlinable
    public func index(after index: Index) -> Index {
        precondition(index.slot < slots.count, "there is no position after the end")
        return Index(slot: occupiedSlot(from: index.slot + 1))
    }

    /// The position before the given one. O(1) amortized over the collection
    @inlinable
    public func index(before index: Index) -> Index {
        precondition(index.slot > firstSlot, "there is no position before the start")
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
