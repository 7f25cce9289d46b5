/// What is remembered of a payload's objects, in the payload's order.
///
/// An entry is a few words: the token of the object's record, the digest of its bytes, its length and where its key
/// begins, and the tokens of the records and relationships that it specifies.
struct PayloadEntries {
    private var words: [UInt64] = []
    /// Where each entry begins in `words`.
    private var starts: [Int] = []

    /// Longer objects are never expected, so that a damaged entry cannot cause much reading.
    static let lengthLimit = 1 << 20

    /// How many words precede the tokens of an entry.
    private static let headerCount = 4

    /// How many entries there are.
    var count: Int { starts.count }

    /// The token of an entry's record.
    @inline(__always)
    func token(of entry: Int) -> UInt64 { words[starts[entry]] }

    /// The digest of the object's bytes.
    @inline(__always)
    func digest(of entry: Int) -> UInt64 { words[starts[entry] + 1] }

    /// How many bytes the object has, and how many precede its key; nil if that is unknown.
    @inline(__always)
    func extent(of entry: Int) -> (length: Int, keyOffset: Int)? {
        let word = words[starts[entry] + 2]
        let (length, keyOffset) = (Int(word >> 32), Int(word & 0xFFFF_FFFF))
        return length <= Self.lengthLimit && keyOffset > 0 && keyOffset < length ? (length, keyOffset) : nil
    }

    /// The tokens of the records and relationships that the object specifies.
    @inline(__always)
    func coverage(of entry: Int) -> ArraySlice<UInt64> {
        let start = starts[entry]
        let count = Int(words[start + 3])
        // Most objects specify their own record alone, which needs no words.
        return count == 0 ? words[start...start] : words[start + Self.headerCount..<start + Self.headerCount + count]
    }

    /// How many words the entries have.
    var wordCount: Int { words.count }

    /// Makes room for a number of entries, and for their words. O(`wordCount`)
    mutating func reserve(_ count: Int, wordCount: Int) {
        starts.reserveCapacity(count)
        words.reserveCapacity(max(wordCount, count * Self.headerCount))
    }

    /// Appends an entry. O(`coverage.count`), amortized
    mutating func append(
        token: UInt64, digest: UInt64, length: Int, keyOffset: Int, coverage: ArraySlice<UInt64>
    ) {
        let isOwnAlone = coverage.isEmpty || coverage.count == 1 && coverage.first == token
        starts.append(words.count)
        words.append(token)
        words.append(digest)
        words.append(length <= Self.lengthLimit ? UInt64(length) << 32 | UInt64(keyOffset) : 0)
        words.append(isOwnAlone ? 0 : UInt64(coverage.count))
        if !isOwnAlone { words.append(contentsOf: coverage) }
    }

    /// Appends an entry of others. O(size of the entry), amortized
    mutating func append(_ entry: Int, of others: PayloadEntries) {
        starts.append(words.count)
        words.append(contentsOf: others.content(of: entry..<entry + 1))
    }
}

extension PayloadEntries {
    /// Groups of consecutive entries that are stored together.
    ///
    /// The tokens decide where a group ends, so that an inserted or deleted object changes one group.
    var groups: [Range<Int>] {
        var groups: [Range<Int>] = []
        var start = 0
        for entry in 0..<count {
            let size = entry + 1 - start
            if size >= 16 && token(of: entry) & 63 == 0 || size == 256 {
                groups.append(start..<entry + 1)
                start = entry + 1
            }
        }
        if start < count { groups.append(start..<count) }
        return groups
    }

    /// The words of consecutive entries.
    func content(of entries: Range<Int>) -> ArraySlice<UInt64> {
        let end = entries.upperBound < count ? starts[entries.upperBound] : words.count
        return words[starts[entries.lowerBound]..<end]
    }

    /// Appends the words of stored entries; false if they are not whole entries. O(`content.count`)
    mutating func append(stored content: [UInt64]) -> Bool {
        var start = words.count
        words += content
        while start < words.count {
            guard start + Self.headerCount <= words.count, let count = Int(exactly: words[start + 3]),
                count <= words.count - start - Self.headerCount
            else { return false }
            starts.append(start)
            start += Self.headerCount + count
        }
        return true
    }
}
