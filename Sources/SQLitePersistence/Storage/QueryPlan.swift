import SyncPersistence

/// A resolved query, and its SQL as far as that was needed.
///
/// An app runs its queries again and again, such as after each commit. A plan keeps what does not depend on the stored
/// records. Which index finds the records is decided for each run.
final class QueryPlan {
    let query: BoundQuery

    /// The indexes that can find the records, with their conditions.
    let choices: [IndexedConditions]

    let layout: Layout

    /// Whether ``QueryPlans`` has kept it.
    fileprivate var isKept = false

    /// The SQL that counts the matches of each choice.
    private var counts: [Int: QuerySQL] = [:]

    /// The SQL that reads the records, by the column of the leading index; -1 for none.
    private var selections: [Int: QuerySQL] = [:]

    /// Resolves a query.
    ///
    /// - Throws: `PersistenceError` if the query does not fit the schema.
    init(_ query: Query, in layout: Layout) throws {
        self.query = try BoundQuery(query, in: layout.schema)
        self.layout = layout
        choices = IndexedConditions.all(of: self.query, in: layout.table(of: self.query.shape))
    }

    /// Returns the SQL that counts the matches of a choice up to a limit, which is its last parameter.
    func count(ofChoice choice: Int) -> QuerySQL {
        if let known = counts[choice] { return known }
        let sql = QuerySQL(countOf: choices[choice], of: query, in: layout)
        counts[choice] = sql
        return sql
    }

    /// Returns the SQL that reads the records.
    func selection(ledBy lead: IndexedConditions?) -> QuerySQL {
        let column = lead?.column ?? -1
        if let known = selections[column] { return known }
        let sql = QuerySQL(query, ledBy: lead, in: layout)
        selections[column] = sql
        return sql
    }
}

/// The plans of the latest queries.
struct QueryPlans {
    private var plans: [Query: QueryPlan] = [:]

    /// How many plans are kept; with one more, all are made anew.
    private static let limit = 64

    /// Returns the plan of a query; nil if none is kept.
    func find(_ query: Query) -> QueryPlan? { plans[query] }

    /// Keeps the plan of a query whose SQL is the given one, unless it has many values: such a query is rarely repeated.
    mutating func add(_ query: Query, _ plan: QueryPlan, _ sql: QuerySQL) {
        guard !plan.isKept, sql.isShort, !sql.hasMembers else { return }
        if plans.count == Self.limit { plans = [:] }
        plan.isKept = true
        plans[query] = plan
    }
}
