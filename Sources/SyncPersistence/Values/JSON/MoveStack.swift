/// A stack from whose top whole arrays are taken, without a reference count going up or down.
struct MoveStack<Element>: ~Copyable {
    // because: nothing else points to this memory, which is allocated and freed here, and of which the first `count`
    // elements are initialized; there is none before the first element comes.
    private var base: UnsafeMutablePointer<Element>?
    private var capacity = 0
    private(set) var count = 0

    /// An empty stack.
    init() {}

    deinit {
        base?.deinitialize(count: count)
        base?.deallocate()
    }

    /// Puts an element on top. O(1) on average
    @inline(__always)
    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        (base.unsafelyUnwrapped + count).initialize(to: element)
        count &+= 1
    }

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

    /// The element at a position from the bottom. O(1)
    func element(at position: Int) -> Element {
        precondition(position < count, "a stack of \(count) elements has none at \(position)")
        return base.unsafelyUnwrapped[position]
    }

    /// Takes the elements away that came after the first ones of the given count. O(their count)
    mutating func pop(downTo rest: Int) -> [Element] {
        precondition(rest <= count, "a stack of \(count) elements cannot be cut down to \(rest)")
        guard let base, rest < count else { return [] }
        defer { count = rest }
        // An array that is mapped is made by code for its elements; one of uninitialized capacity is not.
        return (rest..<count).map { (base + $0).move() }
    }

    /// Drops the elements that came after the first ones of the given count, if they are the given ones; returns
    /// whether they are. O(their count)
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
