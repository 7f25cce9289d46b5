/// The places of a table at which values occur.
struct PlaceIndex: Equatable, Sendable {
    /// The place of each value that occurs once.
    ///
    /// If most values are different, these are most of them.
    private var single: [Value: Int] = [:]

    /// The places of each value that occurs several times.
    private var several: [Value: Set<Int>] = [:]
}

extension PlaceIndex {
    /// Returns how often a value occurs.
    ///
    /// - Complexity: O(1)
    func count(of value: Value) -> Int {
        single[value] == nil ? several[value]?.count ?? 0 : 1
    }

    /// Returns the places of a value, in any order.
    ///
    /// - Complexity: O(number of places)
    func places(of value: Value) -> [Int] {
        single[value].map { [$0] } ?? several[value].map(Array.init) ?? []
    }

    /// Adds a place; null is not indexed.
    ///
    /// - Complexity: O(1)
    mutating func insert(_ place: Int, at value: Value) {
        if value.isNull { return }
        if let other = single.removeValue(forKey: value) {
            several[value] = [other, place]
        } else if several[value]?.insert(place) == nil {
            single[value] = place
        }
    }

    /// Removes a place.
    ///
    /// - Complexity: O(1)
    mutating func remove(_ place: Int, at value: Value) {
        if value.isNull || single.removeValue(forKey: value) != nil { return }
        several[value]?.remove(place)
        if several[value]?.count == 1 { single[value] = several.removeValue(forKey: value)?.first }
    }
}
