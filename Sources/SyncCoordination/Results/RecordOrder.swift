import SyncPersistence

/// The order of a query's records by its sort keys.
///
/// Records with equal values are in the order in which they were first stored, which the records do not show.
struct RecordOrder {
    /// The sort keys, the most significant first: the value of a record, and the direction.
    private let keys: [(value: (Record) -> Value, isDescending: Bool)]

    /// Creates the order of sort keys, which must not lead to other records.
    init(_ keys: [BoundQuery.SortKey]) {
        self.keys = keys.map { ($0.path.value { _, _ in nil }, $0.isDescending) }
    }

    /// Returns how a record compares with another one.
    func compare(_ left: Record, _ right: Record) -> Comparison {
        for key in keys {
            switch key.value(left).order(to: key.value(right)) {
            case .ascending: return key.isDescending ? .after : .before
            case .descending: return key.isDescending ? .before : .after
            case .same: continue
            }
        }
        return .tied
    }

    /// The place of a record in relation to another one.
    enum Comparison {
        /// It comes first.
        case before
        /// The values to sort by are equal.
        case tied
        /// It comes later.
        case after
    }
}
