/// At which places of a table a value stands.
struct PlaceIndex: Equatable, Sendable {
    /// The place of a value that stands at one; most do, where most values are different.
    private var single: [Value: Int] = [:]

    /// The places of a value that stands at several.
    private var several: [Value: Set<Int>] = [:]
}

extension PlaceIndex {
    /// How often a value stands. O(1)
    func count(of value: Value) -> Int {
        single[value] == nil ? several[value]?.count ?? 0 : 1
    }

    /// The places of a value, in no order.
    ///
    /// - Complexity: O(number of places)
    func places(of value: Value) -> [Int] {
        single[value].map { [$0] } ?? several[value].map(Array.init) ?? []
    }

    /// Notes a place; null is not noted. O(1)
    mutating func insert(_ place: Int, at value: Value) {
        if value.isNull { return }
        if let other = single.removeValue(forKey: value) {
            several[value] = [other, place]
        } else if several[value]?.insert(place) == nil {
            single[value] = place
        }
    }

    /// Forgets a place. O(1)
    mutating func remove(_ place: Int, at value: Value) {
        if value.isNull || single.removeValue(forKey: value) != nil { return }
        several[value]?.remove(place)
        if several[value]?.count == 1 { single[value] = several.removeValue(forKey: value)?.first }
    }
}
