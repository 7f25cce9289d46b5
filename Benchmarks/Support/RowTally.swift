import Foundation
package import SyncPersistence

/// How many rows of which tables there are, and what is in them: the same for stores that hold the same, in any order.
package struct RowTally: CustomStringConvertible {
    private var counts: [String: Int] = [:]
    private var checksum = 0

    package init() {}

    package var description: String {
        counts.sorted { $0.key < $1.key }.map { "\(grouped($0.value)) rows of \($0.key), " }.joined()
            + "a checksum of \(checksum)"
    }

    /// Adds a row; what SQLite keeps as a number may be one or not.
    package mutating func add(_ values: [Value], to table: String) {
        counts[table, default: 0] += 1
        var hasher = Hasher()
        hasher.combine(table)
        for value in values {
            switch value {
            case .date(let date): hasher.combine(Value.double(date.timeIntervalSinceReferenceDate))
            case .bool(let flag): hasher.combine(Value.integer(flag ? 1 : 0))
            default: hasher.combine(value)
            }
        }
        checksum &+= hasher.finalize()
    }
}

extension EntityStore {
    /// What it holds.
    package var tally: RowTally {
        var tally = RowTally()
        for record in records() { tally.add(record.values, to: record.entity) }
        return tally
    }
}
