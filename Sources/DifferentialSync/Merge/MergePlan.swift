/// What a merge will do to a collection, settled before anything is changed.
///
/// The elements of a diff stand in a ``KeyTable`` by key; the collection is scanned against it once. So a callback that
/// throws leaves the collection as it was, and elements that no change touches are neither copied nor moved.
@usableFromInline
struct MergePlan<Element: Equatable> {
    @usableFromInline let diff: Diff<Element>

    /// An entry for each element of the diff: those to delete, then those to add, then those to replace.
    @usableFromInline var entries: [Entry]

    /// Where the entries begin that are appended if they meet nothing, and where those that are not.
    @usableFromInline let addStart: Int
    @usableFromInline let replaceStart: Int

    /// What happens to elements of the collection, by ascending position.
    @usableFromInline var edits: [Edit] = []

    /// The entries to append.
    @usableFromInline var appended: [Int] = []

    /// The merged collection, where a copy is made.
    @usableFromInline var result: [Element] = []

    /// Tells elements that differ from those that only hold a NaN.
    @usableFromInline var sameness = SamenessCheck<Element>()

    /// What is known of an element of the diff.
    @usableFromInline
    @frozen
    struct Entry {
        /// The next entry with the same key, or 0.
        @usableFromInline var successor = 0

        /// Whether the entry is done with: it has met its match, or there is none to look for.
        @usableFromInline var isMet = false

        /// Whether the element has found its place.
        @usableFromInline var isPlaced = false

        @inlinable
        init() {}
    }

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

    /// A plan for a diff, by key or by whole elements.
    ///
    /// By whole elements there are no replacements: what comes in is added.
    @inlinable
    init(_ diff: Diff<Element>, byKey: Bool) {
        self.diff = diff
        entries = Array(repeating: Entry(), count: diff.delete.count + diff.add.count + diff.replace.count)
        addStart = diff.delete.count
        replaceStart = byKey ? diff.delete.count + diff.add.count : entries.count
    }

    /// The element of an entry.
    @inlinable
    @inline(__always)
    func value(of entry: Int) -> Element {
        if entry < addStart { return diff.delete[entry] }
        let position = entry &- addStart
        return position < diff.add.count ? diff.add[position] : diff.replace[position &- diff.add.count]
    }
}

extension MergePlan {
    /// Settles what happens to each element, asking about each pair with one key and different values.
    ///
    /// - Parameter copies: Whether to put the merged collection together on the way, in `result`: while the elements are
    ///   at hand, that costs little more than a copy.
    @inlinable
    @inline(__always)
    mutating func scan<Key: Hashable, Failure: Error>(
        _ elements: UnsafeBufferPointer<Element>, key: (Element) -> Key, copies: Bool,
        shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) {
        setReplacedAside(key: key)
        if copies { result.reserveCapacity(elements.count + replaceStart - addStart) }
        let filter = KeyFilter(count: entries.count)
        var table = entryTable(hasher: KeyHasher(for: Key.self), filter: filter, key: key)
        if !table.isSound { table = entryTable(hasher: table.hasher.standard(), filter: filter, key: key) }
        var found: [(position: Int, entry: Int)] = []
        var sameKeys = SamenessCheck<Key>()
        var start = 0
        while start < elements.count {
            let block = start..<Swift.min(start &+ BitSetBlocks.length, elements.count)
            find(block, of: elements, in: &table, filter: filter, key: key, &found, &sameKeys)
            if !table.isSound {
                table = entryTable(hasher: table.hasher.standard(), filter: filter, key: key)
                continue
            }
            let firstEdit = edits.count
            for (position, entry) in found {
                try meet(elements[position], at: position, from: entry, shouldReplace: shouldReplace)
            }
            if copies { copy(block, of: elements, firstEdit: firstEdit) }
            start = block.upperBound
        }
        try appendRest(shouldReplace: shouldReplace)
        if copies { for entry in appended { result.append(value(of: entry)) } }
    }

    /// Sets the old values of what is replaced aside: it is the new value that an element meets.
    @inlinable
    @inline(__always)
    mutating func setReplacedAside<Key: Hashable>(key: (Element) -> Key) {
        for index in diff.pairs.indices {
            let old = diff.pairs[index].old
            if areSame(key(diff.delete[old]), key(diff.replace[index])) { entries[old].isMet = true }
        }
    }

    /// A table of the entries by key, those with one key chained behind the first; their hashes go into the filter too.
    @inlinable
    @inline(__always)
    mutating func entryTable<Key: Hashable>(
        hasher: KeyHasher, filter: borrowing KeyFilter, key: (Element) -> Key
    ) -> KeyTable {
        var table = KeyTable(count: entries.count, hasher: hasher)
        var last = [Int](entries.indices)
        var sameKeys = SamenessCheck<Key>()
        for entry in entries.indices where entry >= addStart || !entries[entry].isMet {
            entries[entry].successor = 0
            let hash = table.hasher.hash(key(value(of: entry)))
            filter.insert(hash: hash)
            let first = table.insert(entry, hash: hash) {
                sameKeys.areSame(key(value(of: $0)), key(value(of: entry)))
            }
            if let first {
                entries[last[first]].successor = entry
                last[first] = entry
            }
        }
        return table
    }

    /// Finds the elements of a block whose key an entry has, each with the first such entry.
    ///
    /// The hashes come first, in a loop that does nothing else and writes only to the stack: there the optimizer reads
    /// the keys where they stand, without retaining them. Then the filter tells, without a branch, which of them are
    /// worth a look into the table.
    @inlinable
    @inline(__always)
    func find<Key: Hashable>(
        _ block: Range<Int>, of elements: UnsafeBufferPointer<Element>, in table: inout KeyTable,
        filter: borrowing KeyFilter, key: (Element) -> Key, _ found: inout [(position: Int, entry: Int)],
        _ sameKeys: inout SamenessCheck<Key>
    ) {
        found.removeAll(keepingCapacity: true)
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: BitSetBlocks.length) { hashes in
            table.prepare(forLookUps: block.count)
            for index in 0..<block.count { hashes[index] = table.hasher.hash(key(elements[block.lowerBound &+ index])) }
            guard table.isSound else { return }
            var candidates: UInt64 = 0
            for index in 0..<block.count where filter.mayContain(hash: hashes[index]) {
                candidates |= 1 &<< UInt64(truncatingIfNeeded: index)
            }
            while candidates != 0 {
                let index = candidates.trailingZeroBitCount
                candidates &= candidates &- 1
                let position = block.lowerBound &+ index
                let entry = table.find(hash: hashes[index]) {
                    sameKeys.areSame(key(value(of: $0)), key(elements[position]))
                }
                if let entry { found.append((position, entry)) }
            }
        }
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
                isDeleted = isDeleted || sameness.areSame(value(of: entry), element)
            } else {
                comesIn = true
                entries[entry].isMet = true
                let (old, new) = (isReplaced ? value(of: current) : element, value(of: entry))
                if !sameness.areSame(old, new), try shouldReplace(old, new) {
                    isReplaced = true
                    current = entry
                }
            }
            entry = entries[entry].successor
        } while entry != 0
        if isReplaced {
            // Where an element with the same key has been replaced by this entry before, once is enough.
            edits.append(Edit(position: position, entry: entries[current].isPlaced ? nil : current))
            entries[current].isPlaced = true
        } else if isDeleted && !comesIn {
            edits.append(Edit(position: position, entry: nil))
        }
    }

    /// Settles what is appended: the additions whose key no element of the collection has.
    @inlinable
    mutating func appendRest<Failure: Error>(
        shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) {
        for addition in addStart..<replaceStart where !entries[addition].isMet {
            var current = addition
            var entry = entries[addition].successor
            while entry != 0 {
                entries[entry].isMet = true
                let (old, new) = (value(of: current), value(of: entry))
                if !sameness.areSame(old, new), try shouldReplace(old, new) { current = entry }
                entry = entries[entry].successor
            }
            appended.append(current)
        }
    }
}

extension MergePlan {
    /// Adds a block of the collection to the result, as it is after the edits from the given one on.
    @inlinable
    mutating func copy(_ block: Range<Int>, of elements: UnsafeBufferPointer<Element>, firstEdit: Int) {
        var start = block.lowerBound
        for edit in edits[firstEdit...] {
            result.append(contentsOf: UnsafeBufferPointer(rebasing: elements[start..<edit.position]))
            if let entry = edit.entry { result.append(value(of: entry)) }
            start = edit.position + 1
        }
        result.append(contentsOf: UnsafeBufferPointer(rebasing: elements[start..<block.upperBound]))
    }

    /// Merges in place. O(*d*), and O(*n*) moves of elements where one is removed
    @inlinable
    func apply(to elements: inout [Element]) {
        for edit in edits {
            if let entry = edit.entry { elements[edit.position] = value(of: entry) }
        }
        let removals = edits.filter { $0.entry == nil }.map(\.position)
        if var end = removals.first {
            // Each stretch between two removals moves up behind the one before it.
            for (removal, next) in zip(removals, removals.dropFirst() + [elements.count]) {
                for position in removal + 1..<next {
                    elements.swapAt(end, position)
                    end += 1
                }
            }
            elements.removeSubrange(end...)
        }
        for entry in appended { elements.append(value(of: entry)) }
    }
}
