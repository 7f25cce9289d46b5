/// The edits of a collection by a merge, planned before anything changes.
///
/// The elements of a diff are entries of a ``KeyTable`` by key. The collection is scanned against it once. So a
/// callback that throws leaves the collection as it was, and elements that no change touches are neither copied nor
/// moved.
@usableFromInline
struct MergePlan<Element: Equatable> {
    /// The diff that is merged.
    @usableFromInline let diff: Diff<Element>

    /// An entry for each element of the diff: first `delete`, then `add`, then `replace`.
    @usableFromInline var entries: [Entry]

    /// The first entry of `add`, and the first of `replace`.
    ///
    /// Only entries between the two are appended if no element has their key.
    @usableFromInline let addStart: Int
    @usableFromInline let replaceStart: Int

    /// The edits of elements of the collection, by ascending position.
    @usableFromInline var edits: [Edit] = []

    /// The entries to append.
    @usableFromInline var appended: [Int] = []

    /// The number of elements of the merged collection that have been copied.
    @usableFromInline var copiedCount = 0

    /// Compares elements, so that a NaN in them is equal to itself.
    @usableFromInline var sameness = SamenessCheck<Element>()

    /// The state of an element of the diff.
    @usableFromInline
    @frozen
    struct Entry {
        /// The next entry with the same key, or 0.
        @usableFromInline var successor = 0

        /// Whether an element has the entry's key, or the entry needs none.
        @usableFromInline var isMatched = false

        /// Whether the element has been placed.
        @usableFromInline var isPlaced = false

        @inlinable
        init() {}
    }

    /// The edit of one element of the collection.
    @usableFromInline
    @frozen
    struct Edit {
        @usableFromInline let position: Int

        /// The entry that takes the element's place, or nil if the element is deleted.
        @usableFromInline let entry: Int?

        @inlinable
        init(position: Int, entry: Int?) {
            self.position = position
            self.entry = entry
        }
    }

    /// Plans to apply a diff, by key or by whole elements.
    ///
    /// By whole elements there are no replacements: all new elements are added.
    @inlinable
    init(_ diff: Diff<Element>, byKey: Bool) {
        self.diff = diff
        entries = Array(repeating: Entry(), count: diff.delete.count + diff.add.count + diff.replace.count)
        addStart = diff.delete.count
        replaceStart = byKey ? diff.delete.count + diff.add.count : entries.count
    }
}

extension MergePlan {
    /// Plans the edit of each element, and calls `shouldReplace` for each pair with one key and different values.
    ///
    /// - Parameters:
    ///   - elements: The collection.
    ///   - values: The elements of the diff.
    ///   - key: The key of an element.
    ///   - target: Memory for the merged collection, which is copied there during the scan, while the elements are in
    ///     the cache; nil for none. ``copiedCount`` elements are initialized, also if the callback throws.
    ///   - shouldReplace: Whether the new element takes the place of the old one.
    @inlinable
    @inline(__always)
    mutating func scan<Key: Hashable, Failure: Error>(
        _ elements: UnsafeBufferPointer<Element>, _ values: EntryValues<Element>, key: (Element) -> Key,
        target: UnsafeMutablePointer<Element>? = nil,
        shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) {
        setReplacedAside(values, key: key)
        let filter = KeyFilter(count: entries.count)
        var table = entryTable(values, hasher: KeyHasher(for: Key.self), filter: filter, key: key)
        if !table.isSound { table = entryTable(values, hasher: table.hasher.standard(), filter: filter, key: key) }
        var found: [(position: Int, entry: Int)] = []
        found.reserveCapacity(BitSetBlocks.length)
        var sameKeys = SamenessCheck<Key>()
        // The number of further false positives of the filter after which whole keys are sketched.
        var patience = 256
        var start = 0
        while start < elements.count {
            let block = start..<Swift.min(start &+ BitSetBlocks.length, elements.count)
            find(
                block, of: elements, values, in: &table, filter: filter, key: key, &found, &sameKeys,
                patience: &patience)
            if !table.isSound {
                table = entryTable(values, hasher: table.hasher.standard(), filter: filter, key: key)
                continue
            }
            let firstEdit = edits.count
            for (position, entry) in found {
                try match(
                    elements.baseAddress.unsafelyUnwrapped + position, at: position, from: entry, values,
                    shouldReplace: shouldReplace)
            }
            if let target { copy(block, of: elements, values, firstEdit: firstEdit, to: target) }
            start = block.upperBound
            if patience < 0 && !table.hasher.sketchesWholeKeys {
                table = entryTable(values, hasher: table.hasher.sketchingWholeKeys(), filter: filter, key: key)
            }
        }
        try appendRest(values, shouldReplace: shouldReplace)
        if let target {
            for entry in appended { append(values.pointer(to: entry), to: target) }
        }
    }

    /// Marks the old values of replacements as matched.
    ///
    /// Elements are matched with the new values.
    @inlinable
    @inline(__always)
    mutating func setReplacedAside<Key: Hashable>(_ values: EntryValues<Element>, key: (Element) -> Key) {
        for index in diff.pairs.indices {
            let old = diff.pairs[index].old
            if areSame(key(values.delete[old]), key(values.replace[index])) { entries[old].isMatched = true }
        }
    }

    /// Returns a table of the entries by key, and inserts their sketches into the filter.
    ///
    /// Entries with the same key are chained after the first one.
    @inlinable
    @inline(__always)
    mutating func entryTable<Key: Hashable>(
        _ values: EntryValues<Element>, hasher: KeyHasher, filter: borrowing KeyFilter, key: (Element) -> Key
    ) -> KeyTable {
        var table = KeyTable(count: entries.count, hasher: hasher)
        var last = [Int](entries.indices)
        var sameKeys = SamenessCheck<Key>()
        for entry in entries.indices where entry >= addStart || !entries[entry].isMatched {
            entries[entry].successor = 0
            let hash = table.hasher.hash(key(values.pointer(to: entry).pointee))
            filter.insert(hash: table.hasher.sketch(key(values.pointer(to: entry).pointee)))
            let first = table.insert(entry, hash: hash) {
                sameKeys.areSame(key(values.pointer(to: $0).pointee), key(values.pointer(to: entry).pointee))
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
    /// A first loop makes the sketches, without branches. There the optimizer reads the keys in place, without
    /// retaining them, and cache misses overlap.
    @inlinable
    @inline(__always)
    func find<Key: Hashable>(
        _ block: Range<Int>, of elements: UnsafeBufferPointer<Element>, _ values: EntryValues<Element>,
        in table: inout KeyTable, filter: borrowing KeyFilter, key: (Element) -> Key,
        _ found: inout [(position: Int, entry: Int)], _ sameKeys: inout SamenessCheck<Key>, patience: inout Int
    ) {
        found.removeAll(keepingCapacity: true)
        table.prepare(forLookUps: block.count)
        patience &+= block.count / 4
        var candidates: UInt64 = 0
        for index in 0..<block.count {
            let sketch = table.hasher.sketch(key(elements[block.lowerBound &+ index]))
            candidates |= filter.bit(of: sketch) &<< UInt64(truncatingIfNeeded: index)
        }
        while candidates != 0 && table.isSound {
            let position = block.lowerBound &+ candidates.trailingZeroBitCount
            candidates &= candidates &- 1
            let hash = table.hasher.hash(key(elements[position]))
            let entry = table.find(hash: hash) {
                sameKeys.areSame(key(values.pointer(to: $0).pointee), key(elements[position]))
            }
            if let entry { found.append((position, entry)) } else { patience &-= 1 }
        }
    }

    /// Plans the edit of an element that has the key of a chain of entries.
    @inlinable
    mutating func match<Failure: Error>(
        _ element: UnsafePointer<Element>, at position: Int, from first: Int, _ values: EntryValues<Element>,
        shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) {
        var current: Int?
        var comesIn = false
        var entry = first
        repeat {
            if entry >= addStart {
                comesIn = true
                entries[entry].isMatched = true
                let old = current.map { values.pointer(to: $0) } ?? element
                let new = values.pointer(to: entry)
                if !elementsAreSame(old, new), try shouldReplace(old.pointee, new.pointee) { current = entry }
            }
            entry = entries[entry].successor
        } while entry != 0
        if let current {
            // If this entry has replaced another element with the same key, this element is removed.
            edits.append(Edit(position: position, entry: entries[current].isPlaced ? nil : current))
            entries[current].isPlaced = true
        } else if !comesIn && isDeleted(element, from: first, values) {
            edits.append(Edit(position: position, entry: nil))
        }
    }

    /// Whether one of a chain of entries to delete is the given element.
    @inlinable
    mutating func isDeleted(_ element: UnsafePointer<Element>, from first: Int, _ values: EntryValues<Element>) -> Bool
    {
        var entry = first
        repeat {
            if elementsAreSame(values.pointer(to: entry), element) { return true }
            entry = entries[entry].successor
        } while entry != 0
        return false
    }

    /// Plans to append the additions whose key no element of the collection has.
    @inlinable
    mutating func appendRest<Failure: Error>(
        _ values: EntryValues<Element>, shouldReplace: (Element, Element) throws(Failure) -> Bool
    ) throws(Failure) {
        for addition in addStart..<replaceStart where !entries[addition].isMatched {
            var current = addition
            var entry = entries[addition].successor
            while entry != 0 {
                entries[entry].isMatched = true
                let (old, new) = (values.pointer(to: current), values.pointer(to: entry))
                if !elementsAreSame(old, new), try shouldReplace(old.pointee, new.pointee) { current = entry }
                entry = entries[entry].successor
            }
            appended.append(current)
        }
    }

    /// Whether two elements are the same, compared in place.
    @inlinable
    @inline(__always)
    mutating func elementsAreSame(_ first: UnsafePointer<Element>, _ second: UnsafePointer<Element>) -> Bool {
        if Alignment.areEqual(first, second) { return true }
        // Checked here, so that elements that hold no NaN are not copied for the call.
        if !canHoldNaN(Element.self) || sameness.holding == .nothing { return false }
        return Alignment.areSame(unequal: first, second, &sameness)
    }
}
