/// Records that are sorted by values, no more of them than are requested.
struct SortedRecords {
    /// The keys to sort by, the most significant first.
    private let keys: [BoundQuery.SortKey]
    /// How many records are kept; nil for all.
    private let limit: Int?

    /// The records so far.
    ///
    /// Those that have been sorted come first.
    private var records: [Record] = []

    /// The values to sort by: for each record, as many as there are keys.
    private var values: [Value] = []

    /// Whether as many records as requested have been sorted.
    private var isFull = false

    /// Creates a collection without records.
    ///
    /// The limit must be at least 1.
    init(_ keys: [BoundQuery.SortKey], limit: Int?) {
        self.keys = keys
        self.limit = limit
    }

    /// Adds a record after those with equal values.
    ///
    /// - Complexity: amortized O(log(limit)); O(1) if it comes after the limit of those that have been sorted
    mutating func add(_ record: Record, sortedBy values: some Sequence<Value>) {
        records.append(record)
        self.values += values
        if let limit, isFull, !isBefore(records.count - 1, limit - 1) {
            records.removeLast()
            self.values.removeLast(keys.count)
        } else if let limit, records.count / 2 - 32 > limit {
            sort()
            isFull = true
        }
    }

    /// Returns the records in order.
    mutating func finish() -> [Record] {
        sort()
        return records
    }

    /// Sorts the records, and drops those beyond the limit.
    private mutating func sort() {
        var places = Array(records.indices)
        places.sort(by: isBefore)
        if let limit { places.removeLast(max(places.count - limit, 0)) }
        values = places.flatMap { values[$0 * keys.count..<($0 + 1) * keys.count] }
        records = places.map { records[$0] }
    }

    /// Whether the record at one place comes before the record at another.
    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        for (number, key) in keys.enumerated() {
            switch values[left * keys.count + number].order(to: values[right * keys.count + number]) {
            case .ascending: return !key.isDescending
            case .same: continue
            case .descending: return key.isDescending
            }
        }
        return left < right
    }
}
