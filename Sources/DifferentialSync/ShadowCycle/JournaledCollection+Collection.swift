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
    public var startIndex: Index { Index(slot: occupied.first(from: 0) ?? slots.count) }

    /// The position after the last element. O(1)
    @inlinable
    public var endIndex: Index { Index(slot: slots.count) }

    /// The position after the given one. O(1)
    @inlinable
    public func index(after index: Index) -> Index {
        precondition(index.slot < slots.count, "there is no position after the end")
        let next = index.slot + 1
        if next < slots.count && slots[next] != nil { return Index(slot: next) }
        return Index(slot: occupied.first(from: next) ?? slots.count)
    }

    /// The position before the given one. O(1)
    @inlinable
    public func index(before index: Index) -> Index {
        guard let slot = occupied.last(before: index.slot) else {
            preconditionFailure("there is no position before the start")
        }
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
