import SyncPersistence

/// Elements in groups.
///
/// The elements of a group are consecutive.
struct Groups<Element> {
    /// The elements of all groups, one group after the other.
    private(set) var elements: [Element] = []
    /// The range of each group in `elements`.
    private(set) var ranges: [Range<Int>] = []

    /// Creates an empty list of groups.
    init() {}

    /// Groups elements by the group number of each.
    ///
    /// The elements of a group keep their order.
    ///
    /// - Complexity: O(number of elements + number of groups); no element is moved if the groups are already
    ///   consecutive
    init(_ elements: [Element], in groups: [Int], count: Int) {
        ranges = Array(repeating: 0..<0, count: count)
        for (position, group) in groups.enumerated() {
            let range = ranges[group]
            guard range.isEmpty || range.upperBound == position else {
                self = Groups(sorting: elements, by: groups, count: count)
                return
            }
            ranges[group] = (range.isEmpty ? position : range.lowerBound)..<position + 1
        }
        self.elements = elements
    }

    /// Sorts elements by the group number of each.
    private init(sorting elements: [Element], by groups: [Int], count: Int) {
        var counts = Array(repeating: 0, count: count)
        for group in groups { counts[group] += 1 }
        for count in counts {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + count)
        }
        var order = Array(repeating: 0, count: elements.count)
        var next = ranges.map(\.lowerBound)
        for (position, group) in groups.enumerated() {
            order[next[group]] = position
            next[group] += 1
        }
        self.elements = order.map { elements[$0] }
    }

    /// Appends a group, which may be empty, after all others.
    mutating func append(_ group: some Sequence<Element>) {
        let start = elements.count
        elements.append(contentsOf: group)
        ranges.append(start..<elements.count)
    }

    /// Returns the same groups of transformed elements.
    func map<Other>(_ transform: (Element) throws -> Other) rethrows -> Groups<Other> {
        var other = Groups<Other>()
        (other.elements, other.ranges) = (try elements.map(transform), ranges)
        return other
    }
}

extension Groups<Record> {
    /// Sorts the records of each group that have one place by their keys.
    ///
    /// - Parameter place: The slot of the place, by which each group is sorted already.
    mutating func sortSharedPlaces(_ place: String) {
        for range in ranges { elements.sortSharedPlaces(place, in: range) }
    }
}
