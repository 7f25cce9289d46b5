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

    /// Takes the elements away that came after the first ones of the given count. O(their count)
    mutating func pop(downTo rest: Int) -> [Element] {
        precondition(rest <= count, "a stack of \(count) elements cannot be cut down to \(rest)")
        guard let base, rest < count else { return [] }
        let popped = count - rest
        count = rest
        return [Element](unsafeUninitializedCapacity: popped) { buffer, initializedCount in
            buffer.baseAddress.unsafelyUnwrapped.moveInitialize(from: base + rest, count: popped)
            initializedCount = popped
        }
    }

    /// The topmost element. O(1)
    var top: Element {
        @inline(__always) get {
            precondition(count > 0, "an empty stack has no topmost element")
            return base.unsafelyUnwrapped[count - 1]
        }
        @inline(__always) _modify {
            precondition(count > 0, "an empty stack has no topmost element")
            yield &base.unsafelyUnwrapped[count - 1]
        }
    }
}
