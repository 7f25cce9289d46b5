/// An open-addressing table from keys to positions.
///
/// It has the digests, and the keys are where the positions point.
///
/// A transaction looks up each stored record in it, with one memory access where a dictionary of keys needs several.
struct PositionTable {
    /// The upper half of a digest and below it the number of the entry from 1; 0 for an empty slot.
    private var slots: [UInt64] = []
    private var entries: [(digest: UInt64, position: Int)] = []

    /// Makes room for a number of keys.
    ///
    /// O(`count`)
    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        if count * 2 > slots.count { resize(to: count * 2) }
    }

    /// Returns the position with a digest that the body confirms; nil if there is none.
    ///
    /// O(1)
    @inline(__always)
    func find(_ digest: UInt64, where isMeant: (Int) -> Bool) -> Int? {
        slots.isEmpty ? nil : look(digest, isMeant).position
    }

    /// Returns the position as ``find(_:where:)`` does; if there is none, inserts the given one and returns nil.
    ///
    /// O(1), amortized
    @inline(__always)
    mutating func find(_ digest: UInt64, orInsert position: Int, where isMeant: (Int) -> Bool) -> Int? {
        if (entries.count + 1) * 2 > slots.count { resize(to: max(16, slots.count * 2)) }
        let found = look(digest, isMeant)
        if let position = found.position { return position }
        entries.append((digest, position))
        slots[found.slot] = PositionTable.slot(digest, entries.count)
        return nil
    }

    @inline(__always)
    private func look(_ digest: UInt64, _ isMeant: (Int) -> Bool) -> (slot: Int, position: Int?) {
        slots.withUnsafeBufferPointer { slots in
            let mask = slots.count - 1
            var slot = Int(truncatingIfNeeded: digest) & mask
            while slots[slot] != 0 {
                if slots[slot] >> 32 == digest >> 32 {
                    let entry = entries[Int(slots[slot] & 0xFFFF_FFFF) - 1]
                    if entry.digest == digest, isMeant(entry.position) { return (slot, entry.position) }
                }
                slot = (slot + 1) & mask
            }
            return (slot, nil)
        }
    }

    private mutating func resize(to count: Int) {
        var capacity = 16
        while capacity < count { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
        for (number, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.digest) & (capacity - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
            slots[slot] = PositionTable.slot(entry.digest, number + 1)
        }
    }

    private static func slot(_ digest: UInt64, _ number: Int) -> UInt64 {
        precondition(number <= UInt32.max, "a transaction touches at most \(UInt32.max) records")
        return digest & 0xFFFF_FFFF_0000_0000 | UInt64(number)
    }
}

/// A key with its digest, which is computed once.
package struct DigestedKey {
    package let key: Value
    package let digest: UInt64

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
