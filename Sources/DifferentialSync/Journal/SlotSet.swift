/// A set of slots with fast searches: the member before or after a slot, the number of members before a slot, and the
/// member with a number.
///
/// The lowest level has a bit for each slot. Each higher level has a bit for each word below that is not empty, so a
/// search skips 64 slots, 64 · 64 slots, and so on. A higher level also has the number of members under each of its
/// words.
@usableFromInline
struct SlotSet: Sendable {
    /// The bits of the slots, and above them levels in which a bit stands for a word below that is not 0.
    @usableFromInline var levels: [[UInt64]] = Array(repeating: [], count: SlotSet.levelCount)

    /// The number of members under each word of each level.
    ///
    /// Empty for the lowest level, whose words are counted when read.
    @usableFromInline var counts: [[Int]] = Array(repeating: [], count: SlotSet.levelCount)

    /// The number of levels, enough for 64⁶ slots.
    @inlinable
    static var levelCount: Int { 6 }

    /// Creates an empty set.
    @inlinable
    init() {}

    /// Creates the set of the slots 0..<`count`. O(`count` / 64)
    @inlinable
    init(full count: Int) {
        let members = count
        var count = count
        for level in levels.indices {
            let wordCount = (count + 63) >> 6
            levels[level] = Array(repeating: ~0, count: wordCount)
            if count & 63 != 0 { levels[level][wordCount - 1] = 1 &<< UInt64(count & 63) &- 1 }
            if level > 0 {
                let width = 1 << (6 * (level + 1))
                counts[level] = (0..<wordCount).map { Swift.min(width, members - $0 * width) }
            }
            count = wordCount
        }
    }

    /// Adds a slot. O(number of levels)
    @inlinable
    mutating func insert(_ slot: Int) {
        if contains(slot) { return }
        var position = slot
        for level in levels.indices {
            let word = position >> 6
            while levels[level].count <= word {
                levels[level].append(0)
                if level > 0 { counts[level].append(0) }
            }
            levels[level][word] |= 1 &<< UInt64(position & 63)
            if level > 0 { counts[level][word] += 1 }
            position = word
        }
    }

    /// Removes a slot. O(number of levels)
    @inlinable
    mutating func remove(_ slot: Int) {
        if !contains(slot) { return }
        var position = slot
        var isEmpty = true
        for level in levels.indices {
            let word = position >> 6
            if isEmpty { levels[level][word] &= ~(1 &<< UInt64(position & 63)) }
            if level > 0 { counts[level][word] -= 1 }
            isEmpty = isEmpty && levels[level][word] == 0
            position = word
        }
    }

    /// Whether a slot is a member. O(1)
    @inlinable
    func contains(_ slot: Int) -> Bool {
        slot >> 6 < levels[0].count && levels[0][slot >> 6] & (1 &<< UInt64(slot & 63)) != 0
    }

    /// Returns the first member at a slot or after it. O(number of levels)
    @inlinable
    func first(from slot: Int) -> Int? {
        var position = slot
        for level in levels.indices {
            let word = position >> 6
            if word < levels[level].count {
                let bits = levels[level][word] & (~0 &<< UInt64(position & 63))
                if bits != 0 {
                    return lowest(word << 6 + bits.trailingZeroBitCount, level) { $0.trailingZeroBitCount }
                }
            }
            position = word + 1
        }
        return nil
    }

    /// Returns the last member before a slot. O(number of levels)
    @inlinable
    func last(before slot: Int) -> Int? {
        var position = slot
        for level in levels.indices {
            let word = position >> 6
            if word < levels[level].count {
                let bits = levels[level][word] & (1 &<< UInt64(position & 63) &- 1)
                if bits != 0 {
                    return lowest(word << 6 + 63 - bits.leadingZeroBitCount, level) { 63 - $0.leadingZeroBitCount }
                }
            }
            position = word
        }
        return nil
    }

    /// Returns the slot below a position on a higher level.
    ///
    /// `bit` chooses a bit in each word on the way.
    @inlinable
    func lowest(_ position: Int, _ level: Int, bit: (UInt64) -> Int) -> Int {
        var position = position
        for level in (0..<level).reversed() { position = position << 6 + bit(levels[level][position]) }
        return position
    }

    /// Returns the number of members under a word of a level.
    @inlinable
    func memberCount(under word: Int, on level: Int) -> Int {
        level == 0 ? levels[0][word].nonzeroBitCount : counts[level][word]
    }

    /// Returns the number of members before a slot. O(number of levels)
    @inlinable
    func rank(of slot: Int) -> Int {
        var position = slot >> 6
        var rank = 0
        if position < levels[0].count {
            rank = (levels[0][position] & (1 &<< UInt64(slot & 63) &- 1)).nonzeroBitCount
        }
        for level in 0..<SlotSet.levelCount - 1 {
            let start = position & ~63
            for word in start..<Swift.max(start, Swift.min(position, levels[level].count)) {
                rank += memberCount(under: word, on: level)
            }
            position >>= 6
        }
        return rank
    }

    /// Returns the member with a number, counted from 0, or nil if the set has fewer members. O(number of levels)
    @inlinable
    func member(_ number: Int) -> Int? {
        var number = number
        var position = 0
        for level in (0..<SlotSet.levelCount).reversed() {
            // On the highest level there is one word at most.
            while position < levels[level].count && number >= memberCount(under: position, on: level) {
                if level == SlotSet.levelCount - 1 { return nil }
                number -= memberCount(under: position, on: level)
                position += 1
            }
            if position >= levels[level].count { return nil }
            if level > 0 { position <<= 6 }
        }
        var word = levels[0][position]
        for _ in 0..<number { word &= word &- 1 }
        return position << 6 + word.trailingZeroBitCount
    }
}
