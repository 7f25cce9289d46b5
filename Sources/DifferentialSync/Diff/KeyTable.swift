/// An open-addressing hash table from keys to the numbers of the entries that have them.
///
/// The table holds no keys. A slot holds 32 bits of the key's hash and the entry's number, and the caller compares the
/// keys. That takes 16 bytes for each entry. A `Dictionary` of indices also stores the keys. The size is fixed at
/// creation, so the table never rehashes.
@usableFromInline
struct KeyTable: ~Copyable {
    /// The hasher that made the hashes in the table.
    @usableFromInline var hasher: KeyHasher

    /// `tag << 32 | entry + 1`, or 0 for a free slot.
    // because: the buffer is owned by this noncopyable value alone, initialized in init and freed in deinit; every
    // index into it is below `capacity`.
    @usableFromInline let slots: UnsafeMutablePointer<UInt64>
    /// The number of slots, more than twice that of entries, so that each search ends at a free slot.
    @usableFromInline let capacity: Int

    /// The number of slots read beyond the first one of each insertion and look-up.
    @usableFromInline private(set) var collisions = 0

    /// The number of collisions after which the standard hash replaces the fast one.
    ///
    /// It grows with each entry and each look-up, so only keys that were chosen to collide exceed it.
    @usableFromInline private(set) var collisionBudget: Int

    /// Creates a table for at most `count` entries, which fill no more than half the slots. O(`count`)
    @inlinable
    init(count: Int, hasher: KeyHasher) {
        precondition(count < UInt32.max, "a diff or merge takes at most \(UInt32.max - 1) elements; these are \(count)")
        self.hasher = hasher
        self.capacity = 2 &* count &+ 8
        self.collisionBudget = 8 &* count &+ 1024
        self.slots = .allocate(capacity: capacity)
        self.slots.initialize(repeating: 0, count: capacity)
    }

    @inlinable
    deinit { slots.deallocate() }

    /// Whether the table can be used.
    ///
    /// If not, the caller builds it again with the standard hasher.
    @inlinable
    var isSound: Bool {
        !hasher.isFast || (!hasher.sawUnhashable && collisions <= collisionBudget)
    }
}

extension KeyTable {
    /// Raises the collision budget for `count` look-ups.
    @inlinable
    @inline(__always)
    mutating func prepare(forLookUps count: Int) {
        collisionBudget &+= 8 &* count
    }

    /// The slot where the search for a hash begins.
    @inlinable
    @inline(__always)
    func home(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
    }

    /// Inserts an entry unless the table has one with the same key.
    ///
    /// - Parameters:
    ///   - entry: The number of the entry.
    ///   - hash: The hash of its key.
    ///   - hasSameKey: Whether the entry with the given number has the same key.
    /// - Returns: The existing entry with the key, or nil if the new one was inserted.
    @inlinable
    @inline(__always)
    mutating func insert(_ entry: Int, hash: UInt64, hasSameKey: (Int) -> Bool) -> Int? {
        let tag = hash &<< 32
        var slot = home(of: hash)
        while slots[slot] != 0 {
            if slots[slot] & KeyTable.tagMask == tag {
                let other = KeyTable.entry(in: slots[slot])
                if hasSameKey(other) { return other }
            }
            slot = next(slot)
            // The table stays incomplete, and `isSound` is false.
            if hasher.isFast && collisions > collisionBudget { return nil }
        }
        slots[slot] = tag | UInt64(truncatingIfNeeded: entry &+ 1)
        return nil
    }

    /// Returns the entry with the hash for which `hasSameKey` is true, or nil if there is none.
    @inlinable
    @inline(__always)
    mutating func find(hash: UInt64, hasSameKey: (Int) -> Bool) -> Int? {
        var slot = firstCandidate(hash: hash)
        while let entry = entry(at: slot) {
            if hasSameKey(entry) { return entry }
            slot = nextCandidate(after: slot, hash: hash)
        }
        return nil
    }

    /// The first slot whose tag is that of the hash, or the free one that ends the search.
    @inlinable
    @inline(__always)
    mutating func firstCandidate(hash: UInt64) -> Int {
        candidate(from: home(of: hash), hash: hash)
    }

    /// The next slot whose tag is that of the hash, or the free one that ends the search.
    @inlinable
    @inline(__always)
    mutating func nextCandidate(after slot: Int, hash: UInt64) -> Int {
        candidate(from: next(slot), hash: hash)
    }

    /// Returns the first slot, from a given one on, whose tag is that of the hash, or the free one that ends the search.
    @inlinable
    @inline(__always)
    mutating func candidate(from slot: Int, hash: UInt64) -> Int {
        let tag = hash &<< 32
        var slot = slot
        while slots[slot] != 0 && slots[slot] & KeyTable.tagMask != tag { slot = next(slot) }
        return slot
    }

    /// The entry in a slot, or nil if it is free.
    @inlinable
    @inline(__always)
    func entry(at slot: Int) -> Int? {
        slots[slot] == 0 ? nil : KeyTable.entry(in: slots[slot])
    }

    /// Returns the next slot, and counts a collision.
    @inlinable
    @inline(__always)
    mutating func next(_ slot: Int) -> Int {
        collisions &+= 1
        return slot &+ 1 == capacity ? 0 : slot &+ 1
    }

    /// The bits of a slot that are a part of the hash.
    @inlinable
    @inline(__always)
    static var tagMask: UInt64 { 0xFFFF_FFFF_0000_0000 }

    /// Returns the entry in a slot; -1 for an empty one.
    @inlinable
    @inline(__always)
    static func entry(in slot: UInt64) -> Int {
        Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) &- 1
    }
}
