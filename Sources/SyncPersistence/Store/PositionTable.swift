/// Positions by key: an open-addressing table of 8 bytes an entry, with the keys beside it.
///
/// A transaction asks it about each record that it stores, so one look has to do: a dictionary of keys takes several.
struct PositionTable {
    /// The first half of a digest, and the position of the entry above it, plus 1; 0 where there is none.
    private var slots: [UInt64] = []
    private var entries: [(key: DigestedKey, position: Int)] = []

    /// Makes room for so many keys. O(`count`)
    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        if count * 2 > slots.count { resize(to: count * 2) }
    }

    /// The position of a key, or nil if there is none. O(1)
    subscript(key: DigestedKey) -> Int? {
        slots.isEmpty ? nil : find(key).position
    }

    /// The position of a key; nil if there was none, and it has the given one now. O(1), amortized
    mutating func find(_ key: DigestedKey, orInsert position: Int) -> Int? {
        if (entries.count + 1) * 2 > slots.count { resize(to: max(16, slots.count * 2)) }
        let found = find(key)
        if let position = found.position { return position }
        entries.append((key, position))
        slots[found.slot] = PositionTable.slot(key, entries.count)
        return nil
    }

    private func find(_ key: DigestedKey) -> (slot: Int, position: Int?) {
        slots.withUnsafeBufferPointer { slots in
            let mask = slots.count - 1
            var slot = Int(truncatingIfNeeded: key.digest) & mask
            while slots[slot] != 0 {
                if slots[slot] >> 32 == key.digest >> 32 {
                    let entry = entries[Int(slots[slot] & 0xFFFF_FFFF) - 1]
                    if entry.key == key { return (slot, entry.position) }
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
            var slot = Int(truncatingIfNeeded: entry.key.digest) & (capacity - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
            slots[slot] = PositionTable.slot(entry.key, number + 1)
        }
    }

    private static func slot(_ key: DigestedKey, _ number: Int) -> UInt64 {
        precondition(number <= UInt32.max, "a transaction touches at most \(UInt32.max) records")
        return key.digest & 0xFFFF_FFFF_0000_0000 | UInt64(number)
    }
}

/// A key with its digest, so that it is read once however often it is looked up.
struct DigestedKey: Hashable {
    let key: Value
    let digest: UInt64

    init(_ key: Value) {
        self.key = key
        digest = key.digest(seed: DigestedKey.seed)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    static func == (left: DigestedKey, right: DigestedKey) -> Bool {
        left.digest == right.digest && left.key == right.key
    }

    /// What nobody outside of the process knows, so that nobody chooses keys that collide.
    private static let seed: UInt64 = {
        var hasher = Hasher()
        hasher.combine(0)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }()
}
