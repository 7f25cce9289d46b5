extension Array<Record> {
    /// Sorts records that have the same place in an ordered relationship by their keys.
    ///
    /// Two devices can give one place to two new records, and a remote can store records without a place. With this order,
    /// all devices list them alike.
    ///
    /// - Parameters:
    ///   - place: The slot of the place, by which the records are sorted already.
    ///   - range: The positions of the records of one relationship; nil for all.
    /// - Complexity: O(*n*) for *n* records with different places; O(*n* log *n*) else
    package mutating func sortSharedPlaces(_ place: String, in range: Range<Int>? = nil) {
        let range = range ?? indices
        var start = range.lowerBound
        for end in range.dropFirst() where self[end][place] != self[start][place] {
            sortByKey(start..<end)
            start = end
        }
        sortByKey(start..<range.upperBound)
    }

    private mutating func sortByKey(_ range: Range<Int>) {
        if range.count > 1 { self[range].sort { Value.areInIncreasingOrder($0.key, $1.key) } }
    }
}
