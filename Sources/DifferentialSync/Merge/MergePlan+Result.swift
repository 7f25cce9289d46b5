/// The elements of a diff by the numbers of their entries in a ``MergePlan``.
@usableFromInline
struct EntryValues<Element> {
    // because: the buffers are those of the arrays of one diff, and are used only while `Diff.withEntryValues` runs.
    /// The elements that the diff deletes.
    @usableFromInline let delete: UnsafeBufferPointer<Element>
    /// The elements that it adds.
    @usableFromInline let add: UnsafeBufferPointer<Element>
    /// The elements that it puts into the places of others.
    @usableFromInline let replace: UnsafeBufferPointer<Element>

    @inlinable
    init(
        delete: UnsafeBufferPointer<Element>, add: UnsafeBufferPointer<Element>, replace: UnsafeBufferPointer<Element>
    ) {
        self.delete = delete
        self.add = add
        self.replace = replace
    }

    /// Returns a pointer to the element of an entry.
    @inlinable
    @inline(__always)
    func pointer(to entry: Int) -> UnsafePointer<Element> {
        if entry < delete.count { return delete.baseAddress.unsafelyUnwrapped + entry }
        let position = entry &- delete.count
        if position < add.count { return add.baseAddress.unsafelyUnwrapped + position }
        return replace.baseAddress.unsafelyUnwrapped + (position &- add.count)
    }
}

extension Diff {
    /// Calls `body` with the elements by the numbers of their entries.
    @inlinable
    @inline(__always)
    func withEntryValues<Result, Failure: Error>(
        _ body: (EntryValues<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try delete.withUnsafeBufferPointer { delete throws(Failure) in
            try add.withUnsafeBufferPointer { add throws(Failure) in
                try replace.withUnsafeBufferPointer { replace throws(Failure) in
                    try body(EntryValues(delete: delete, add: add, replace: replace))
                }
            }
        }
    }
}

extension MergePlan {
    /// Returns the merged collection.
    @inlinable
    @inline(__always)
    static func merged<Key: Hashable, Failure: Error>(
        _ elements: UnsafeBufferPointer<Element>, applying diff: Diff<Element>, byKey: Bool, key: (Element) -> Key,
        shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) -> [Element] {
        var plan = MergePlan(diff, byKey: byKey)
        var failure: Failure?
        let capacity = elements.count + plan.replaceStart - plan.addStart
        let result = [Element](unsafeUninitializedCapacity: capacity) { buffer, count in
            diff.withEntryValues { values in
                do throws(Failure) {
                    try plan.scan(
                        elements, values, key: key, target: buffer.baseAddress, shouldReplace: shouldReplace)
                } catch {
                    failure = error
                }
            }
            count = plan.copiedCount
        }
        if let failure { throw failure }
        return result
    }

    /// Copies a block of the collection and applies the edits from the given one on.
    @inlinable
    mutating func copy(
        _ block: Range<Int>, of elements: UnsafeBufferPointer<Element>, _ values: EntryValues<Element>, firstEdit: Int,
        to target: UnsafeMutablePointer<Element>
    ) {
        var position = block.lowerBound
        var next = target + copiedCount
        for index in firstEdit..<edits.count {
            let edit = edits[index]
            while position < edit.position {
                next.initialize(to: elements[position])
                next += 1
                position &+= 1
            }
            position &+= 1
            if let entry = edit.entry {
                next.initialize(to: values.pointer(to: entry).pointee)
                next += 1
            }
        }
        while position < block.upperBound {
            next.initialize(to: elements[position])
            next += 1
            position &+= 1
        }
        copiedCount = next - target
    }

    /// Copies one element to the end of the merged collection.
    @inlinable
    mutating func append(_ element: UnsafePointer<Element>, to target: UnsafeMutablePointer<Element>) {
        (target + copiedCount).initialize(to: element.pointee)
        copiedCount &+= 1
    }

    /// Merges in place. O(*d*), and O(*n*) moves of elements where one is removed
    @inlinable
    func apply(to elements: inout [Element]) {
        diff.withEntryValues { values in
            for edit in edits {
                if let entry = edit.entry { elements[edit.position] = values.pointer(to: entry).pointee }
            }
            let removals = edits.filter { $0.entry == nil }.map(\.position)
            if var end = removals.first {
                // The elements between two removals move up to those before them.
                for (removal, next) in zip(removals, removals.dropFirst() + [elements.count]) {
                    for position in removal + 1..<next {
                        elements.swapAt(end, position)
                        end += 1
                    }
                }
                elements.removeSubrange(end...)
            }
            for entry in appended { elements.append(values.pointer(to: entry).pointee) }
        }
    }
}
