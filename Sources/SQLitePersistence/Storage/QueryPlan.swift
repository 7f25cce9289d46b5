import SyncPersistence

/// A query resolved against the schema, with its SQL as far as it was needed.
///
/// An app repeats its queries, for example after each commit. A plan keeps what does not depend on the stored records.
/// The index is chosen anew for each run.
final class QueryPlan {
    /// The resolved query.
    let query: BoundQuery

    /// The indexes that can find the records, with the conditions that each covers.
    let choices: [IndexedConditions]

    /// The tables that the query reads.
    let layout: Layout

    /// Whether `QueryPlans` keeps the plan.
    fileprivate var isKept = false

    /// The SQL that counts the matches of each choice, by the position of the choice.
    private var counts: [Int: QuerySQL] = [:]

    /// The SQL that reads the records, by the first column of the chosen index; -1 if SQLite chooses.
    private var selections: [Int: QuerySQL] = [:]

    /// Resolves a query.
    ///
    /// - Throws: `PersistenceError` if the query does not fit the schema.
    init(_ query: Query, in layout: Layout) throws {
        self.query = try BoundQuery(query, in: layout.schema)
        self.layout = layout
        choices = IndexedConditions.all(of: self.query, in: layout.table(of: self.query.shape))
    }

    /// Returns the SQL that counts the matches of a choice up to a limit.
    ///
    /// The limit is its last parameter.
    func count(ofChoice choice: Int) -> QuerySQL {
        if let known = counts[choice] { return known }
        let sql = QuerySQL(countOf: choices[choice], of: query, in: layout)
        counts[choice] = sql
        return sql
    }

    /// Returns the SQL that reads the records.
    ///
    /// - Parameter lead: The conditions whose index SQLite must use; nil leaves the choice to SQLite.
    func selection(ledBy lead: IndexedConditions?) -> QuerySQL {
        let column = lead?.column ?? -1
        if let known = selections[column] { return known }
        let sql = QuerySQL(query, ledBy: lead, in: layout)
        selections[column] = sql
        return sql
    }
}

/// The plans of recent queries.
struct QueryPlans {
    /// The plans so far, by their queries.
    private var plans: [Query: QueryPlan] = [:]

    /// The maximum number of plans.
    ///
    /// Adding one more first discards all others.
    private static let limit = 64

    /// Returns the plan of a query; nil if none is kept.
    func find(_ query: Query) -> QueryPlan? { plans[query] }

    /// Keeps the plan of a query with its SQL.
    ///
    /// Queries with many values are not kept, because they are rarely repeated.
    mutating func add(_ query: Query, _ plan: QueryPlan, _ sql: QuerySQL) {
        guard !plan.isKept, sql.isShort, !sql.hasMembers else { return }
        if plans.count == Self.limit { plans = [:] }
        plan.isKept = true
        plans[query] = plan
    }
}
