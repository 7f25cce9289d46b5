/// A set of slots that finds the member before or after any slot at once.
///
/// The lowest level has a bit for each slot. Each higher level has a bit for each word below that is not empty, so a
/// search skips 64 slots, 64 · 64 slots, and so on.
@usableFromInline
struct SlotSet: Sendable {
    @usableFromInline var levels: [[UInt64]] = Array(repeating: [], count: SlotSet.levelCount)

    /// The levels that suffice for 64⁶ slots.
    @inlinable
    static var levelCount: Int { 6 }

    /// The empty set.
    @inlinable
    init() {}

    /// The set of the slots 0..<`count`. O(`count` / 64)
    @inlinable
    init(full count: Int) {
        var count = count
        for level in levels.indices {
            let wordCount = (count + 63) >> 6
            levels[level] = Array(repeating: ~0, count: wordCount)
            if count & 63 != 0 { levels[level][wordCount - 1] = 1 &<< UInt64(count & 63) &- 1 }
            count = wordCount
        }
    }

    /// Adds a slot. O(number of levels)
    @inlinable
    mutating func insert(_ slot: Int) {
        var position = slot
        for level in levels.indices {
            let word = position >> 6
            while levels[level].count <= word { levels[level].append(0) }
            let wasEmpty = levels[level][word] == 0
            levels[level][word] |= 1 &<< UInt64(position & 63)
            if !wasEmpty { return }
            position = word
        }
    }

    /// Removes a slot. O(number of levels)
    @inlinable
    mutating func remove(_ slot: Int) {
        var position = slot
        for level in levels.indices {
            let word = position >> 6
            guard word < levels[level].count else { return }
            levels[level][word] &= ~(1 &<< UInt64(position & 63))
            if levels[level][word] != 0 { return }
            position = word
        }
    }

    /// The first member at a slot or after it. O(number of levels)
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

    /// The last member before a slot. O(number of levels)
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

    /// The slot on the lowest level to which a position on a higher one leads, by the bit chosen in each word.
    @inlinable
    func lowest(_ position: Int, _ level: Int, bit: (UInt64) -> Int) -> Int {
        var position = position
        for level in (0..<level).reversed() { position = position << 6 + bit(levels[level][position]) }
        return position
    }
}
