extension Alignment {
    /// Returns the added, deleted and replaced elements, or nil if nothing differs.
    ///
    /// - Complexity: O(*d*) copies of elements and O((*n* + *m*) / 64), where *d* is the size of the result.
    @inlinable
    consuming func diff() -> Diff<Element>? {
        let additions = BitSet(unpairedWins, without: matchedWins)
        let deletions = BitSet(unpairedLoses, without: matchedLoses)
        deletions.formUnion(replacedLoses)
        let add = Alignment.copy(wins, members: additions)
        let delete = Alignment.copy(loses, members: deletions)
        if add.isEmpty && delete.isEmpty { return nil }
        let replace = Alignment.copy(wins, members: replacedWins)
        let pairs = replace.isEmpty ? [] : pairs(count: replace.count, additions: additions, deletions: deletions)
        return Diff(add: add, delete: delete, replace: replace, pairs: pairs)
    }

    /// Returns for each replacement the position of its old element among the deletions, and its own position among all
    /// additions and replacements.
    @inlinable
    func pairs(
        count: Int, additions: borrowing BitSet, deletions: borrowing BitSet
    ) -> [Diff<Element>.Pair] {
        let ranks = deletions.ranks()
        let walkedLoses = BitSet(replacedLoses, without: unpairedLoses)
        var loseWord = -1
        var loseMembers: UInt64 = 0
        var unpairedBefore = 0
        var incomingBefore = 0

        var pairs: [Diff<Element>.Pair] = []
        pairs.reserveCapacity(count)
        for word in 0..<replacedWins.wordCount {
            let unpaired = unpairedWins.words[word]
            let incoming = additions.words[word] | replacedWins.words[word]
            var members = replacedWins.words[word]
            while members != 0 {
                let bit = members & (0 &- members)
                members &= members &- 1
                let lose: Int
                if unpaired & bit != 0 {
                    lose = Int(partners[unpairedBefore &+ (unpaired & (bit &- 1)).nonzeroBitCount]) &- 1
                } else {
                    // The walk's pairs are in the same order on both sides.
                    while loseMembers == 0 {
                        loseWord &+= 1
                        loseMembers = walkedLoses.words[loseWord]
                    }
                    lose = loseWord &<< 6 &+ loseMembers.trailingZeroBitCount
                    loseMembers &= loseMembers &- 1
                }
                let rank = incomingBefore &+ (incoming & (bit &- 1)).nonzeroBitCount
                pairs.append(Diff<Element>.Pair(old: deletions.rank(of: lose, ranks), rank: rank))
            }
            unpairedBefore &+= unpaired.nonzeroBitCount
            incomingBefore &+= incoming.nonzeroBitCount
        }
        return pairs
    }

    /// Returns the member elements, in order.
    @inlinable
    static func copy(_ elements: UnsafeBufferPointer<Element>, members: borrowing BitSet) -> [Element] {
        let count = members.memberCount
        if count == 0 { return [] }
        let words = members.words
        let wordCount = members.wordCount
        return [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
            var next = buffer.baseAddress.unsafelyUnwrapped
            for index in 0..<wordCount {
                var word = words[index]
                while word != 0 {
                    next.initialize(to: elements[index &<< 6 &+ word.trailingZeroBitCount])
                    next += 1
                    word &= word &- 1
                }
            }
            initialized = count
        }
    }
}

extension BitSet {
    /// Returns the number of members before each word. O(`count` / 64)
    @inlinable
    func ranks() -> [UInt32] {
        var ranks: [UInt32] = []
        ranks.reserveCapacity(wordCount)
        var count: UInt32 = 0
        for word in 0..<wordCount {
            ranks.append(count)
            count &+= UInt32(truncatingIfNeeded: words[word].nonzeroBitCount)
        }
        return ranks
    }

    /// Returns the number of members that are smaller than the given one. O(1)
    @inlinable
    @inline(__always)
    func rank(of member: Int, _ ranks: [UInt32]) -> Int {
        let below = 1 &<< UInt64(truncatingIfNeeded: member & 63) &- 1
        return Int(ranks[member &>> 6]) &+ (words[member &>> 6] & below).nonzeroBitCount
    }
}
