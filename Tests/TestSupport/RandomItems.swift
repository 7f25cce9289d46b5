public import DifferentialSyncTesting

extension SeededGenerator {
    /// The seed of a test: `DIFFSYNC_SEED` where it is set, else the given one.
    public static func testSeed(_ seed: UInt64) -> UInt64 {
        environmentSeed ?? seed
    }

    /// `count` items with different keys below `keys`, in random order, and values below `values`.
    public mutating func items(_ count: Int, keys: Int, values: Int) -> [Item] {
        var ids = Set<Int>()
        var items: [Item] = []
        while items.count < Swift.min(count, keys) {
            let id = Int.random(in: 0..<keys, using: &self)
            if ids.insert(id).inserted { items.append(Item(id, Int.random(in: 0..<values, using: &self))) }
        }
        return items
    }

    /// The items after random edits: each is removed or changed with the given probability, about as many are
    /// inserted with new keys from `firstNewKey` on, and the order stays.
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
