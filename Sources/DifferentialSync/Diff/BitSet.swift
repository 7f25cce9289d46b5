/// A fixed-size set of the numbers 0..<count, with one bit for each.
@usableFromInline
struct BitSet: ~Copyable {
    // because: the buffer is owned by this noncopyable value alone, initialized in init and freed in deinit; members
    // are below `count` by contract, so every index into it is below `wordCount`.
    /// The bits, 64 in a word.
    @usableFromInline let words: UnsafeMutablePointer<UInt64>
    /// The number of words.
    @usableFromInline let wordCount: Int

    /// Creates an empty set with room for the numbers 0..<`count`. O(`count` / 64)
    @inlinable
    init(count: Int) {
        wordCount = (count &+ 63) / 64
        words = .allocate(capacity: wordCount)
        words.initialize(repeating: 0, count: wordCount)
    }

    /// Creates the set of all numbers 0..<`count`. O(`count` / 64)
    @inlinable
    init(full count: Int) {
        self.init(count: count)
        words.update(repeating: ~0, count: wordCount)
        if count & 63 != 0 { words[wordCount &- 1] = 1 &<< UInt64(truncatingIfNeeded: count & 63) &- 1 }
    }

    /// Copies a set. O(`count` / 64)
    @inlinable
    init(copying set: borrowing BitSet) {
        self.init(count: set.wordCount &* 64)
        formUnion(set)
    }

    /// Creates the set of the members of one set that are not in another of the same size. O(`count` / 64)
    @inlinable
    init(_ set: borrowing BitSet, without other: borrowing BitSet) {
        self.init(count: set.wordCount &* 64)
        for word in 0..<wordCount { words[word] = set.words[word] & ~other.words[word] }
    }

    @inlinable
    deinit { words.deallocate() }
}

extension BitSet {
    /// Inserts the members of another set of the same size. O(`count` / 64)
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

    /// Inserts a number.
    @inlinable
    @inline(__always)
    func insert(_ member: Int) {
        words[member &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: member & 63)
    }

    /// Inserts every number of the range. O(length of the range)
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

    /// The number of members. O(`count` / 64)
    @inlinable
    var memberCount: Int {
        var count = 0
        for word in 0..<wordCount { count &+= words[word].nonzeroBitCount }
        return count
    }
}

/// The members of a ``BitSet`` in ascending order, in blocks.
@usableFromInline
struct BitSetBlocks {
    // because: the pointer is only read, and only in methods of the value that owns the borrowed set.
    /// The words of the set, which owns them.
    @usableFromInline let words: UnsafeMutablePointer<UInt64>
    /// The number of words.
    @usableFromInline let wordCount: Int
    /// The index of the current word.
    @usableFromInline var index = 0
    /// The bits of the current word that are still to be visited.
    @usableFromInline var word: UInt64

    /// The length of a block: enough independent look-ups that their cache misses overlap.
    @inlinable
    static var length: Int { 64 }

    /// Creates blocks of the members of a set.
    ///
    /// The set must outlive them unchanged.
    @inlinable
    init(of set: borrowing BitSet) {
        words = set.words
        wordCount = set.wordCount
        word = set.wordCount > 0 ? set.words[0] : 0
    }

    /// Writes the next members, at most a block, and returns their number; 0 at the end.
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
