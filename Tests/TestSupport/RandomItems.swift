public import DifferentialSyncTesting

extension SeededGenerator {
    /// Returns the seed of a test: the value of `DIFFSYNC_SEED` if it is set, otherwise the given one.
    public static func testSeed(_ seed: UInt64) -> UInt64 {
        environmentSeed ?? seed
    }

    /// Returns up to `count` items in random order.
    ///
    /// Their keys are different and below `keys`; their values are below `values`.
    public mutating func items(_ count: Int, keys: Int, values: Int) -> [Item] {
        var ids = Set<Int>()
        var items: [Item] = []
        while items.count < Swift.min(count, keys) {
            let id = Int.random(in: 0..<keys, using: &self)
            if ids.insert(id).inserted { items.append(Item(id, Int.random(in: 0..<values, using: &self))) }
        }
        return items
    }

    /// Returns the items after random edits, in the same order.
    ///
    /// Each item is removed or changed with the given probability. About as many items are inserted, with new keys from
    /// `firstNewKey` on.
    public mutating func edited(_ items: [Item], probability: Double, firstNewKey: Int) -> [Item] {
        var edited: [Item] = []
        var newKey = firstNewKey
        for item in items {
            if happens(probability) { continue }
            if happens(probability) {
                edited.append(Item(newKey, 0))
                newKey += 1
            }
            edited.append(happens(probability) ? Item(item.id, item.value + 1) : item)
        }
        return edited
    }
}
