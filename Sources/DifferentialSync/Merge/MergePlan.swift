/// What a merge will do to a collection, settled before anything is changed.
///
/// The elements of a diff stand in a ``KeyTable`` by key; the collection is scanned against it once. So a callback that
/// throws leaves the collection as it was, and elements that no change touches are neither copied nor moved.
@usableFromInline
struct MergePlan<Element> {
    /// The elements of the diff: those to delete, then those to add, then those to replace.
    @usableFromInline let entries: [Element]
    @usableFromInline let addStart: Int
    @usableFromInline let replaceStart: Int

    /// For each entry the next one with its key, or 0.
    @usableFromInline var successors: [Int] = []

    /// Whether an entry that comes in has been dealt with, and whether it has found its place.
    @usableFromInline var isMet: [Bool]
    @usableFromInline var isPlaced: [Bool]

    /// What happens to elements of the collection, by ascending position.
    @usableFromInline var edits: [Edit] = []

    /// The entries to append.
    @usableFromInline var appended: [Int] = []

    /// What happens to one element of the collection.
    @usableFromInline
    @frozen
    struct Edit {
        @usableFromInline let position: Int
        /// The entry that takes the element's place, or nil if the element goes.
        @usableFromInline let entry: Int?

        @inlinable
        init(position: Int, entry: Int?) {
            self.position = position
            self.entry = entry
        }
    }

    @inlinable
    init(delete: [Element], add: [Element], replace: [Element]) {
        entries = delete + add + replace
        addStart = delete.count
        replaceStart = delete.count + add.count
        isMet = [Bool](repeating: false, count: entries.count)
        isPlaced = [Bool](repeating: false, count: entries.count)
    }
}

extension MergePlan where Element: Equatable {
    /// Settles what happens to each element, asking about each pair with one key and different values.
    @inlinable
    @inline(__always)
    mutating func scan<Key: Hashable, Failure: Error>(
        _ elements: UnsafeBufferPointer<Element>, key: (Element) -> Key,
        shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) {
        var table = entryTable(hasher: KeyHasher(for: Key.self), key: key)
        if !table.isSound { table = entryTable(hasher: table.hasher.standard(), key: key) }
        for position in 0..<elements.count {
            let elementKey = key(elements[position])
            var hash = table.hasher.hash(elementKey)
            if !table.isSound {
                table = entryTable(hasher: table.hasher.standard(), key: key)
                hash = table.hasher.hash(elementKey)
            }
            if let entry = table.find(hash: hash, hasSameKey: { key(entries[$0]) == elementKey }) {
                try meet(elements[position], at: position, from: entry, shouldReplace: shouldReplace)
            }
        }
        try appendRest(shouldReplace: shouldReplace)
    }

    /// A table of the entries by key, those with one key chained behind the first.
    @inlinable
    @inline(__always)
    mutating func entryTable<Key: Hashable>(hasher: KeyHasher, key: (Element) -> Key) -> KeyTable {
        var table = KeyTable(count: entries.count, hasher: hasher)
        successors = [Int](repeating: 0, count: entries.count)
        var last = [Int](entries.indices)
        for entry in entries.indices {
            let hash = table.hasher.hash(key(entries[entry]))
            let first = table.insert(entry, hash: hash) { key(entries[$0]) == key(entries[entry]) }
            if let first {
                successors[last[first]] = entry
                last[first] = entry
            }
        }
        return table
    }

    /// Settles what happens to an element whose key is that of the chain of entries from the given one on.
    @inlinable
    mutating func meet<Failure: Error>(
        _ element: Element, at position: Int, from first: Int,
        shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) {
        var isDeleted = false
        var isReplaced = false
        var comesIn = false
        var current = first
        var entry = first
        repeat {
            if entry < addStart {
                isDeleted = isDeleted || entries[entry] == element
            } else {
                comesIn = true
                isMet[entry] = true
                let old = isReplaced ? entries[current] : element
                if old != entries[entry], try shouldReplace(old, entries[entry]) {
                    isReplaced = true
                    current = entry
                }
            }
            entry = successors[entry]
        } while entry != 0
        if isReplaced {
            // Where an element with the same key has been replaced by this entry before, once is enough.
            edits.append(Edit(position: position, entry: isPlaced[current] ? nil : current))
            isPlaced[current] = true
        } else if isDeleted && !comesIn {
            edits.append(Edit(position: position, entry: nil))
        }
    }

    /// Settles what is appended: the additions whose key no element of the collection has.
    @inlinable
    mutating func appendRest<Failure: Error>(
        shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) {
        for addition in addStart..<replaceStart where !isMet[addition] {
            var current = addition
            var entry = successors[addition]
            while entry != 0 {
                isMet[entry] = true
                if entries[current] != entries[entry], try shouldReplace(entries[current], entries[entry]) {
                    current = entry
                }
                entry = successors[entry]
            }
            appended.append(current)
        }
    }
}

extension MergePlan {
    /// The collection after the merge. O(*n* + *d*)
    @inlinable
    func applied(to elements: UnsafeBufferPointer<Element>) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(elements.count + appended.count)
        var start = 0
        for edit in edits {
            result.append(contentsOf: UnsafeBufferPointer(rebasing: elements[start..<edit.position]))
            if let entry = edit.entry { result.append(entries[entry]) }
            start = edit.position + 1
        }
        result.append(contentsOf: UnsafeBufferPointer(rebasing: elements[start...]))
        for entry in appended { result.append(entries[entry]) }
        return result
    }

    /// Merges in place. O(*d*), and O(*n*) moves of elements where one is removed
    @inlinable
    func apply(to elements: inout [Element]) {
        var end = elements.count
        var next = edits.count
        for index in edits.indices {
            guard let entry = edits[index].entry else {
                next = Swift.min(next, index)
                continue
            }
            elements[edits[index].position] = entries[entry]
        }
        if next < edits.count {
            end = edits[next].position
            for position in end..<elements.count {
                if next < edits.count && edits[next].position == position {
                    let goes = edits[next].entry == nil
                    next += 1
                    if goes { continue }
                }
                elements.swapAt(end, position)
                end += 1
            }
            elements.removeSubrange(end...)
        }
        for entry in appended { elements.append(entries[entry]) }
    }
}
