/// Elements that leave in the order in which they came.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var start = 0

    /// Puts an element at the end. O(1)
    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the first element. O(1), averaged over many
    mutating func popFirst() -> Element? {
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
