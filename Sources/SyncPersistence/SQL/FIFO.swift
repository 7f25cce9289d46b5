/// A first-in, first-out queue.
package struct FIFO<Element> {
    /// The elements from `start` on, after positions that are already emptied.
    private var elements: [Element?] = []
    /// The position of the first element; the elements before it are nil.
    private var start = 0

    /// Creates an empty queue.
    package init() {}

    /// Appends an element at the end.
    ///
    /// - Complexity: O(1) amortized
    package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the first element; nil if the queue is empty.
    ///
    /// - Complexity: O(1) amortized
    package mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            elements[start] = nil
            start += 1
            if start * 2 >= elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}

extension FIFO: Sendable where Element: Sendable {}
