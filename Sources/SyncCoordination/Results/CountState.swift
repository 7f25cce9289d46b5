import SyncPersistence

/// The number of a query's records.
struct CountState: ObservedState {
    private let query: Query
    /// Finds the records that enter or leave the result; nil before the first reading.
    private var dependencies: QueryDependencies?
    /// The number at the last reading.
    private var count = 0

    /// The number after the commit that was received last; nil if it is unknown.
    private var prepared: Int?

    /// Creates the state before the first reading.
    init(_ query: Query) {
        self.query = query
    }

    /// Counts the records that a commit adds and removes.
    ///
    /// - Returns: Whether the number may have changed.
    mutating func receive(_ commit: Commit) -> Bool {
        prepared = nil
        guard let transitions = dependencies?.transitions(in: commit) else { return true }
        let change = transitions.reduce(0) { $0 + ($1.new == nil ? 0 : 1) - ($1.old == nil ? 0 : 1) }
        if change == 0 { return false }
        // With an offset or a limit, the number of all matching records is unknown.
        if query.limit == nil, query.offset == 0 { prepared = count + change }
        return true
    }

    /// Returns the number if it has changed; nil otherwise.
    ///
    /// - Complexity: O(1) after a commit that was counted; otherwise a query
    mutating func update(in transaction: ReadTransaction, isPrepared: Bool) throws -> Int? {
        let former = dependencies == nil ? nil : count
        if isPrepared, let prepared {
            count = prepared
        } else {
            dependencies = try QueryDependencies(query, in: transaction.schema)
            count = try transaction.count(query)
        }
        prepared = nil
        return count == former ? nil : count
    }
}
