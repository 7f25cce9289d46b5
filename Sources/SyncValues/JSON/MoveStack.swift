/// A stack whose top elements are moved into arrays without changes of reference counts.
struct MoveStack<Element>: ~Copyable {
    // because: no other pointer to this memory exists. It is allocated and freed here, and its first `count` elements
    // are initialized. The pointer is nil before the first element.
    /// The memory of the elements; nil before the first one.
    private var base: UnsafeMutablePointer<Element>?
    /// The number of elements for which there is memory.
    private var capacity = 0
    /// The number of elements.
    private(set) var count = 0

    /// Creates an empty stack.
    init() {}

    deinit {
        base?.deinitialize(count: count)
        base?.deallocate()
    }

    /// Pushes an element.
    ///
    /// - Complexity: O(1) on average
    @inline(__always)
    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        (base.unsafelyUnwrapped + count).initialize(to: element)
        count &+= 1
    }

    /// Doubles the memory, and moves the elements to it.
    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(16, capacity * 2))
        if let base {
            larger.moveInitialize(from: base, count: count)
            base.deallocate()
        }
        base = larger
        capacity = max(16, capacity * 2)
    }

    /// Returns the element at a position from the bottom.
    ///
    /// - Complexity: O(1)
    func element(at position: Int) -> Element {
        precondition(position < count, "a stack of \(count) elements has none at \(position)")
        return base.unsafelyUnwrapped[position]
    }

    /// Removes the elements above the first `rest` ones, and returns them.
    ///
    /// - Complexity: O(*n*) for *n* removed elements
    mutating func pop(downTo rest: Int) -> [Element] {
        precondition(rest <= count, "a stack of \(count) elements cannot be cut down to \(rest)")
        guard let base, rest < count else { return [] }
        defer { count = rest }
        // The code of `map` is specialized for the elements; that of `Array(unsafeUninitializedCapacity:)` is not.
        return (rest..<count).map { (base + $0).move() }
    }

    /// Drops the elements above the first `rest` ones if they are the given ones, and returns whether they are.
    ///
    /// - Complexity: O(*n*) for *n* dropped elements
    @inline(__always)
    mutating func drop(
        downTo rest: Int, ifSameAs elements: [Element], by areSame: (Element, Element) -> Bool
    ) -> Bool {
        guard let base, count - rest == elements.count else { return false }
        for index in elements.indices where !areSame(base[rest + index], elements[index]) { return false }
        (base + rest).deinitialize(count: count - rest)
        count = rest
        return true
    }
}
