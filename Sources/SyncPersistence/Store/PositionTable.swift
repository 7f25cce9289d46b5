/// An open-addressing table from keys to positions.
///
/// It has the positions and half of the digests, and the keys are where the positions point.
///
/// A transaction looks up each stored record in it, with one memory access where a dictionary of keys needs several.
struct PositionTable {
    /// The upper half of a digest and below it the position, counted from 1; 0 for an empty slot.
    private var slots: [UInt64] = []
    /// The number of keys in the table.
    private var count = 0

    /// Makes room for a number of keys.
    ///
    /// O(`count`)
    mutating func reserve(_ count: Int) {
        if PositionTable.isFull(count, of: slots.count) { resize(for: count) }
    }

    /// Returns the position with a digest that the body confirms; nil if there is none.
    ///
    /// The body is called with positions of keys whose digests begin alike.
    ///
    /// O(1)
    @inline(__always)
    func find(_ digest: UInt64, where isMatch: (Int) -> Bool) -> Int? {
        slots.isEmpty ? nil : look(digest, isMatch).position
    }

    /// Returns the position as ``find(_:where:)`` does; if there is none, inserts the given one and returns nil.
    ///
    /// O(1), amortized
    @inline(__always)
    mutating func find(_ digest: UInt64, orInsert position: Int, where isMatch: (Int) -> Bool) -> Int? {
        if PositionTable.isFull(count + 1, of: slots.count) { resize(for: 2 * count) }
        let found = look(digest, isMatch)
        if let position = found.position { return position }
        precondition(position < UInt32.max, "a transaction touches at most \(UInt32.max) records")
        slots[found.slot] = digest & 0xFFFF_FFFF_0000_0000 | UInt64(position + 1)
        count += 1
        return nil
    }

    /// Returns the position with a digest, or the empty slot where it belongs.
    ///
    /// The table is probed linearly.
    @inline(__always)
    private func look(_ digest: UInt64, _ isMatch: (Int) -> Bool) -> (slot: Int, position: Int?) {
        slots.withUnsafeBufferPointer { slots in
            let mask = slots.count - 1
            var slot = Int(truncatingIfNeeded: digest >> 32) & mask
            while slots[slot] != 0 {
                if slots[slot] >> 32 == digest >> 32 {
                    let position = Int(slots[slot] & 0xFFFF_FFFF) - 1
                    if isMatch(position) { return (slot, position) }
                }
                slot = (slot + 1) & mask
            }
            return (slot, nil)
        }
    }

    /// Whether a number of keys fills more than four fifths of the slots.
    private static func isFull(_ count: Int, of capacity: Int) -> Bool { count * 5 > capacity * 4 }

    /// Makes the table large enough for a number of keys, in powers of two.
    private mutating func resize(for count: Int) {
        var capacity = 16
        while PositionTable.isFull(count, of: capacity) { capacity *= 2 }
        let old = slots
        slots = Array(repeating: 0, count: capacity)
        for content in old where content != 0 {
            var slot = Int(truncatingIfNeeded: content >> 32) & (capacity - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
            slots[slot] = content
        }
    }
}

/// A key with its digest, which is computed once.
package struct DigestedKey {
    /// The key.
    let key: Value
    /// The digest of the key.
    package let digest: UInt64

    /// Digests a key.
    package init(_ key: Value) {
        self.key = key
        digest = key.digest(seed: DigestedKey.seed)
    }

    /// A seed that is unknown outside of the process, so that chosen keys cannot collide.
    package static let seed: UInt64 = {
        var hasher = Hasher()
        hasher.combine(0)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }()
}
