extension Alignment {
    /// Pairs by key the elements that the walk did not pair.
    ///
    /// - Parameter keysAreUnique: Whether the keys are known to be unique on each side. If not, every key is checked
    ///   once, and ``hasDuplicateKeys`` is the result.
    /// - Complexity: O(*n* + *m*) with `keysAreUnique` false, else O(number of unpaired elements) hashes and O((*n* +
    ///   *m*) / 64).
    @inlinable
    @inline(__always)
    mutating func match<Key: Hashable>(key: (Element) -> Key, keysAreUnique: Bool) {
        partners = [UInt32](repeating: 0, count: unpairedWins.memberCount &+ 1)
        var hasher = KeyHasher(for: Key.self)
        while !matchLoses(key: key, keysAreUnique: keysAreUnique, hasher: hasher) { hasher = hasher.standard() }
        if keysAreUnique || hasDuplicateKeys { return }
        while !checkAdditions(key: key, hasher: hasher) { hasher = hasher.standard() }
    }

    /// Looks the unpaired wins up among the losers.
    ///
    /// Returns false if the hasher cannot be used.
    @inlinable
    @inline(__always)
    mutating func matchLoses<Key: Hashable>(key: (Element) -> Key, keysAreUnique: Bool, hasher: KeyHasher) -> Bool {
        let members = keysAreUnique ? BitSet(copying: unpairedLoses) : BitSet(full: loses.count)
        let count = members.memberCount
        if count == 0 || (keysAreUnique && partners.count == 1) { return true }
        var table = KeyTable(count: count, hasher: hasher)
        hasDuplicateKeys = Alignment.fill(&table, with: loses, members: members, key: key)
        if table.isSound { lookUp(in: &table, key: key) }
        if table.isSound {
            markReplacements()
            return true
        }
        matchedWins.removeAll()
        matchedLoses.removeAll()
        return false
    }

    /// Looks for added wins whose keys are the same, or not equal to themselves.
    ///
    /// Returns false if the hasher cannot be used.
    @inlinable
    @inline(__always)
    mutating func checkAdditions<Key: Hashable>(key: (Element) -> Key, hasher: KeyHasher) -> Bool {
        let additions = BitSet(unpairedWins, without: matchedWins)
        let count = additions.memberCount
        if count == 0 { return true }
        var table = KeyTable(count: count, hasher: hasher)
        hasDuplicateKeys = Alignment.fill(&table, with: wins, members: additions, key: key)
        return table.isSound
    }

    /// Inserts the keys of the member elements into a table.
    ///
    /// Returns true if a key repeats or is not equal to itself.
    @inlinable
    @inline(__always)
    static func fill<Key: Hashable>(
        _ table: inout KeyTable, with elements: UnsafeBufferPointer<Element>, members: borrowing BitSet,
        key: (Element) -> Key
    ) -> Bool {
        var foundDuplicate = false
        var sameness = SamenessCheck<Key>()
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: BitSetBlocks.length) { block in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: BitSetBlocks.length) { hashes in
                var blocks = BitSetBlocks(of: members)
                while true {
                    let count = blocks.next(into: block)
                    if count == 0 { break }
                    for index in 0..<count {
                        let key = key(elements[Int(block[index])])
                        if canHoldNaN(Key.self) && key != key { foundDuplicate = true }
                        hashes[index] = table.hasher.hash(key)
                    }
                    guard table.isSound else { return }
                    for index in 0..<count {
                        let entry = Int(block[index])
                        let other = table.insert(entry, hash: hashes[index]) {
                            sameness.areSame(key(elements[$0]), key(elements[entry]))
                        }
                        if other != nil { foundDuplicate = true }
                    }
                }
            }
        }
        return foundDuplicate
    }

    /// Looks every unpaired win up among the losers, in blocks whose cache misses overlap: all hashes, then all slots,
    /// then the candidate records, then the comparisons.
    @inlinable
    @inline(__always)
    mutating func lookUp<Key: Hashable>(in table: inout KeyTable, key: (Element) -> Key) {
        let length = BitSetBlocks.length
        var rank = 0
        var sameness = SamenessCheck<Key>()
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: length) { block in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: length) { hashes in
                withUnsafeTemporaryAllocation(of: Int.self, capacity: length) { slots in
                    var touched: UInt32 = 0
                    // Stored, so that the optimizer does not remove the reads.
                    defer { partners[partners.count &- 1] = touched }
                    var blocks = BitSetBlocks(of: unpairedWins)
                    while true {
                        let count = blocks.next(into: block)
                        if count == 0 { break }
                        table.prepare(forLookUps: count)
                        if Key.self == String.self {
                            for index in 0..<count { touched &+= table.hasher.touch(key(wins[Int(block[index])])) }
                        }
                        for index in 0..<count { hashes[index] = table.hasher.hash(key(wins[Int(block[index])])) }
                        guard table.isSound else { return }
                        for index in 0..<count { slots[index] = table.firstCandidate(hash: hashes[index]) }
                        for index in 0..<count {
                            if let candidate = table.entry(at: slots[index]) { touched &+= touch(candidate) }
                        }
                        if Key.self == String.self {
                            for index in 0..<count {
                                if let candidate = table.entry(at: slots[index]) {
                                    touched &+= table.hasher.touch(key(loses[candidate]))
                                }
                            }
                        }
                        for index in 0..<count {
                            pair(
                                Int(block[index]), rank: rank &+ index, hash: hashes[index], from: slots[index],
                                in: &table, key: key, &sameness)
                        }
                        rank &+= count
                    }
                }
            }
        }
    }

    /// Reads a byte of a loser, so that it is in the cache when the loser is compared.
    @inlinable
    @inline(__always)
    func touch(_ lose: Int) -> UInt32 {
        // because: a byte of an element's memory is readable whatever its type.
        UInt32(UnsafeRawPointer(loses.baseAddress.unsafelyUnwrapped + lose).load(as: UInt8.self))
    }

    /// Pairs a win with the loser that has its key, if there is one.
    @inlinable
    @inline(__always)
    mutating func pair<Key: Hashable>(
        _ win: Int, rank: Int, hash: UInt64, from firstSlot: Int, in table: inout KeyTable, key: (Element) -> Key,
        _ sameKeys: inout SamenessCheck<Key>
    ) {
        var slot = firstSlot
        while let lose = table.entry(at: slot) {
            let areEqual = elementsAreEqual(win, lose)
            if areEqual || sameKeys.areSame(key(wins[win]), key(loses[lose])) {
                if matchedLoses.contains(lose) || !unpairedLoses.contains(lose) {
                    hasDuplicateKeys = true
                    return
                }
                matchedWins.insert(win)
                matchedLoses.insert(lose)
                if !areEqual && unequalElementsDiffer(win, lose) {
                    partners[rank] = UInt32(truncatingIfNeeded: lose &+ 1)
                }
                return
            }
            slot = table.nextCandidate(after: slot, hash: hash)
        }
    }

    /// Marks the pairs of the table whose elements differ as replacements.
    @inlinable
    func markReplacements() {
        var rank = 0
        for word in 0..<unpairedWins.wordCount {
            var members = unpairedWins.words[word]
            while members != 0 {
                if partners[rank] != 0 {
                    replacedWins.insert(word &<< 6 &+ members.trailingZeroBitCount)
                    replacedLoses.insert(Int(partners[rank]) &- 1)
                }
                members &= members &- 1
                rank &+= 1
            }
        }
    }
}
