/// Sorts records by values, and keeps no more of them than are asked for.
struct SortedRecords {
    private let keys: [BoundQuery.SortKey]
    private let limit: Int?

    /// The records so far; those that were sorted already come first.
    private var records: [Record] = []

    /// The values to sort by: as many for each record as there are keys.
    private var values: [Value] = []

    /// Whether as many as are asked for were sorted already.
    private var isFull = false

    /// No records yet; a limit is at least 1.
    init(_ keys: [BoundQuery.SortKey], limit: Int?) {
        self.keys = keys
        self.limit = limit
    }

    /// Adds a record behind those that are equal by the sort keys.
    ///
    /// - Complexity: amortized O(log(limit)); O(1) if it comes behind the limit of those that were sorted
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

    /// The records in order.
    mutating func finish() -> [Record] {
        sort()
        return records
    }

    /// Sorts, and drops what comes behind the limit.
    private mutating func sort() {
        var places = Array(records.indices)
        places.sort(by: isBefore)
        if let limit { places.removeLast(max(places.count - limit, 0)) }
        values = places.flatMap { values[$0 * keys.count..<($0 + 1) * keys.count] }
        records = places.map { records[$0] }
    }

    /// Whether the record at a place is to come before that at another.
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
