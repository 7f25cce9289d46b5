/// A fixed-size set of the numbers 0..<count, a bit each.
@usableFromInline
struct BitSet: ~Copyable {
    // because: the buffer is owned by this noncopyable value alone, initialized in init and freed in deinit; members are
    // below `count` by contract, so every index into it is below `wordCount`.
    @usableFromInline let words: UnsafeMutablePointer<UInt64>
    @usableFromInline let wordCount: Int

    /// An empty set with room for the numbers 0..<`count`. O(`count` / 64)
    @inlinable
    init(count: Int) {
        wordCount = (count &+ 63) / 64
        words = .allocate(capacity: wordCount)
        words.initialize(repeating: 0, count: wordCount)
    }

    /// The set of all the numbers 0..<`count`. O(`count` / 64)
    @inlinable
    init(full count: Int) {
        self.init(count: count)
        words.update(repeating: ~0, count: wordCount)
        if count & 63 != 0 { words[wordCount &- 1] = 1 &<< UInt64(truncatingIfNeeded: count & 63) &- 1 }
    }

    /// The same members again. O(`count` / 64)
    @inlinable
    init(copying set: borrowing BitSet) {
        self.init(count: set.wordCount &* 64)
        formUnion(set)
    }

    /// The members of one set that are not in another of the same size. O(`count` / 64)
    @inlinable
    init(_ set: borrowing BitSet, without other: borrowing BitSet) {
        self.init(count: set.wordCount &* 64)
        for word in 0..<wordCount { words[word] = set.words[word] & ~other.words[word] }
    }

    @inlinable
    deinit { words.deallocate() }
}

extension BitSet {
    /// Makes the members of another set of the same size members of this one. O(`count` / 64)
    @inlinable
    func formUnion(_ other: borrowing BitSet) {
        for word in 0..<wordCount { words[word] |= other.words[word] }
    }

    /// Whether the number is a member.
    @inlinable
    @inline(__always)
    func contains(_ member: Int) -> Bool {
        words[member &>> 6] &>> UInt64(truncatingIfNeeded: member & 63) & 1 != 0
    }

    /// Makes the number a member.
    @inlinable
    @inline(__always)
    func insert(_ member: Int) {
        words[member &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: member & 63)
    }

    /// Makes every number of the range a member. O(length of the range)
    @inlinable
    func insert(_ range: Range<Int>) {
        for member in range { insert(member) }
    }

    /// Removes all members. O(`count` / 64)
    @inlinable
    func removeAll() {
        words.update(repeating: 0, count: wordCount)
    }

    /// Whether there are no members. O(`count` / 64)
    @inlinable
    var isEmpty: Bool {
        for word in 0..<wordCount where words[word] != 0 { return false }
        return true
    }

    /// How many members there are. O(`count` / 64)
    @inlinable
    var memberCount: Int {
        var count = 0
        for word in 0..<wordCount { count &+= words[word].nonzeroBitCount }
        return count
    }
}

/// Hands out the members of a ``BitSet`` in ascending order, in blocks.
@usableFromInline
struct BitSetBlocks {
    // because: the pointer is only read, and only while the borrowed set's owner keeps it alive: each use stands in a
    // method of the value that owns the set.
    @usableFromInline let words: UnsafeMutablePointer<UInt64>
    @usableFromInline let wordCount: Int
    @usableFromInline var index = 0
    @usableFromInline var word: UInt64

    /// The length of a block: enough independent look-ups for their cache misses to overlap.
    @inlinable
    static var length: Int { 64 }

    /// Blocks of the members of a set, which has to outlive them unchanged.
    @inlinable
    init(of set: borrowing BitSet) {
        words = set.words
        wordCount = set.wordCount
        word = set.wordCount > 0 ? set.words[0] : 0
    }

    /// Writes the next members, up to a block of them, and returns how many they are; 0 at the end.
    @inlinable
    mutating func next(into block: UnsafeMutableBufferPointer<UInt32>) -> Int {
        var count = 0
        while count < BitSetBlocks.length {
            while word == 0 {
                index &+= 1
                guard index < wordCount else { return count }
                word = words[index]
            }
            block[count] = UInt32(truncatingIfNeeded: index &<< 6 &+ word.trailingZeroBitCount)
            word &= word &- 1
            count &+= 1
        }
        return count
    }
}
