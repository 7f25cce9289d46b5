/// The remembered objects of a payload, in the payload's order.
///
/// An entry consists of a few words: the token of the object's record, the digest of its bytes, its length, and the
/// offset of its key. The tokens of the records and relationships that it specifies follow.
struct PayloadEntries {
    /// The words of all entries.
    private var words: [UInt64] = []
    /// The index of the first word of each entry.
    private var starts: [Int] = []

    /// The length above which objects are never expected, so that a damaged entry cannot cause long reads.
    static let lengthLimit = 1 << 20

    /// The number of words before the tokens of an entry.
    static let headerCount = 4

    /// The number of entries.
    var count: Int { starts.count }

    /// Returns the token of an entry's record.
    @inline(__always)
    func token(of entry: Int) -> UInt64 { words[starts[entry]] }

    /// Returns the digest of the object's bytes.
    @inline(__always)
    func digest(of entry: Int) -> UInt64 { words[starts[entry] + 1] }

    /// Returns the length of the object and the offset of its key, in bytes; nil if they are unknown.
    @inline(__always)
    func extent(of entry: Int) -> (length: Int, keyOffset: Int)? {
        let word = words[starts[entry] + 2]
        let (length, keyOffset) = (Int(word >> 32), Int(word & 0xFFFF_FFFF))
        return length <= Self.lengthLimit && keyOffset > 0 && keyOffset < length ? (length, keyOffset) : nil
    }

    /// Returns the tokens of the records and relationships that the object specifies.
    @inline(__always)
    func coverage(of entry: Int) -> ArraySlice<UInt64> {
        let start = starts[entry]
        let count = Int(words[start + 3])
        // Most objects specify only their own record, which needs no words.
        return count == 0 ? words[start...start] : words[start + Self.headerCount..<start + Self.headerCount + count]
    }

    /// The number of words of all entries.
    var wordCount: Int { words.count }

    /// Reserves memory for a number of entries and their words.
    ///
    /// - Complexity: O(`wordCount`)
    mutating func reserve(_ count: Int, wordCount: Int) {
        starts.reserveCapacity(count)
        words.reserveCapacity(wordCount)
    }

    /// Appends an entry.
    ///
    /// - Complexity: O(`coverage.count`), amortized
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

    /// Appends an entry of another payload.
    ///
    /// - Complexity: O(size of the entry), amortized
    mutating func append(_ entry: Int, of others: PayloadEntries) {
        starts.append(words.count)
        words.append(contentsOf: others.content(of: entry..<entry + 1))
    }
}

extension PayloadEntries {
    /// The groups of consecutive entries that are stored together.
    ///
    /// The tokens determine where a group ends, so that an inserted or deleted object changes only one group.
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

    /// Returns the words of consecutive entries.
    func content(of entries: Range<Int>) -> ArraySlice<UInt64> {
        let end = entries.upperBound < count ? starts[entries.upperBound] : words.count
        return words[starts[entries.lowerBound]..<end]
    }

    /// Appends the words of stored entries; returns false if they are not whole entries.
    ///
    /// - Complexity: O(`content.count`)
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
