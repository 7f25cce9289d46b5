import SyncPersistence

/// The records of a query, from its offset up to its limit.
struct QueryWindow: Sendable {
    /// The records in order.
    private(set) var records: [Record]

    private let query: Query
    /// Finds the records that enter, change or leave the result.
    private let dependencies: QueryDependencies

    /// Reads the records of a query.
    ///
    /// - Throws: `PersistenceError` as `ReadTransaction.records(_:)`.
    init(_ query: Query, in transaction: ReadTransaction) throws {
        self.query = query
        dependencies = try QueryDependencies(query, in: transaction.schema)
        records = try transaction.records(query)
    }

    /// Consecutive records of the query, as far as the present ones and a commit determine them.
    struct Stretch: Sendable {
        /// The records in order.
        var records: [Record]
        /// How many records of the window precede them.
        let missingCount: Int
        /// Whether other records may follow them.
        let mayContinue: Bool
    }

    /// The effect of a commit on the records.
    enum Effect {
        /// The records are as before.
        case none
        /// The commit determines a stretch of the records.
        case known(Stretch)
        /// The records must be read from the store.
        case unknown
    }
}

extension QueryWindow {
    /// Returns the effect of the commit that directly follows the present state.
    ///
    /// The commit determines a stretch of the records, except where equal sort values leave the order open: it is known to
    /// the store alone.
    ///
    /// - Complexity: O(*m* + *c* log *c*) for *m* records and *c* changes; O(*c*) if no changed record matches the filter
    func effect(of commit: Commit) -> Effect {
        guard let transitions = dependencies.transitions(in: commit) else { return .unknown }
        if transitions.isEmpty || query.limit == 0 { return .none }
        var edit = WindowEdit(records, dependencies.query)
        for transition in transitions where !edit.add(transition) { return .unknown }
        return edit.effect
    }

    /// A stretch with the present records alone.
    var stretch: Stretch { Stretch(records: records, missingCount: 0, mayContinue: false) }

    /// Replaces the records by a stretch, and reads those beside it.
    ///
    /// - Returns: Whether few records beside the stretch determine those that are missing. Otherwise the window is
    ///   unchanged, and must be read.
    /// - Complexity: O(number of records), if an index has the order of the first sort key
    mutating func replace(by stretch: Stretch, in transaction: ReadTransaction) throws -> Bool {
        var new = stretch.records
        if stretch.missingCount > 0 {
            guard let missing = try neighbors(before: new, stretch.missingCount, in: transaction) else { return false }
            new = missing + new
        }
        if let limit = query.limit {
            if new.count < limit, stretch.mayContinue {
                guard let missing = try neighbors(after: new, limit - new.count, in: transaction) else { return false }
                new += missing
            }
            new.removeLast(max(new.count - limit, 0))
        }
        records = new
        return true
    }

    /// Returns the records that directly precede others; nil if more than a few must be read to find them.
    private func neighbors(before records: [Record], _ count: Int, in transaction: ReadTransaction) throws -> [Record]?
    {
        guard let first = records.first, let found = try beside(first, records, count, isBefore: true, in: transaction)
        else { return nil }
        // Records with equal sort values are in the order in which they were stored, in either direction.
        let order = RecordOrder(dependencies.query.sort)
        var groups: [[Record]] = []
        for record in found.records {
            if let last = groups.last?.first, order.compare(last, record) == .tied {
                groups[groups.count - 1].append(record)
            } else {
                groups.append([record])
            }
        }
        if found.mayContinue { groups.removeLast() }
        let ordered = groups.reversed().flatMap { $0 }
        guard let place = ordered.lastIndex(where: { $0.key == first.key }), place >= count else { return nil }
        return Array(ordered[place - count..<place])
    }

    /// Returns the records that directly follow others, up to a number of them; nil if more than a few must be read to
    /// find them.
    private func neighbors(after records: [Record], _ count: Int, in transaction: ReadTransaction) throws -> [Record]? {
        guard let last = records.last, let found = try beside(last, records, count, isBefore: false, in: transaction),
            let place = found.records.lastIndex(where: { $0.key == last.key })
        else { return nil }
        let following = found.records[(place + 1)...].prefix(count)
        if following.count == count { return Array(following) }
        // In descending order, records without a value come last, and are not among the found ones.
        return found.mayContinue || query.sort[0].isDescending ? nil : Array(following)
    }

    /// Reads the records from one of the given ones on, by the first sort key alone.
    ///
    /// - Returns: The records in the direction of reading, and whether there may be more; nil if the first sort key does
    ///   not limit them.
    private func beside(
        _ record: Record, _ records: [Record], _ count: Int, isBefore: Bool, in transaction: ReadTransaction
    ) throws -> (records: [Record], mayContinue: Bool)? {
        guard let key = query.sort.first else { return nil }
        let value = record[key.path]
        if value.isNull { return nil }
        let tied = records.reduce(0) { $0 + ($1[key.path] == value ? 1 : 0) }
        let range = Filter.comparison(
            path: key.path, key.isDescending == isBefore ? .greaterOrEqual : .lessOrEqual, value)
        // A few more, for records with equal values.
        let limit = tied + count + 8
        let beside = Query(
            query.entity, where: query.filter.map { .and([$0, range]) } ?? range,
            sort: query.sort.map { Query.SortKey($0.path, isDescending: $0.isDescending != isBefore) }, limit: limit)
        // With one more condition, the filter may have too many; and what is not a number has no range.
        guard (try? BoundQuery(beside, in: transaction.schema)) != nil else { return nil }
        let found = try transaction.records(beside)
        return (found, found.count == limit)
    }
}
