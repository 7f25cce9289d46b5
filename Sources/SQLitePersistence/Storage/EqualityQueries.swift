import SyncPersistence

/// The SQL of queries with a single equality condition, such as the records that reference one record.
///
/// A transaction repeats such a query many times with different values, so the SQL is reused for each value.
struct EqualityQueries {
    /// The shape and the SQL of each form.
    private var known: [Form: (shape: Shape, sql: QuerySQL)] = [:]

    /// A query without the value it compares with.
    private struct Form: Hashable {
        /// The entity of the query.
        let entity: String
        /// The path that is compared.
        let path: String
        /// The sort keys, in their order, which the SQL contains.
        let sort: [Query.SortKey]
        /// The limit; nil for none.
        let limit: Int?
    }

    /// The maximum number of entries.
    ///
    /// An app has about one for each relationship.
    private static let limit = 256

    /// Returns the SQL of a query; nil if no query of the same form was added.
    ///
    /// - Complexity: O(1)
    func find(_ query: Query) -> (shape: Shape, sql: QuerySQL)? {
        guard let (form, value) = Self.parts(of: query), let (shape, sql) = known[form] else { return nil }
        return sql.comparing(with: value).map { (shape, $0) }
    }

    /// Keeps the SQL of a query if the query has a single equality condition.
    mutating func add(_ query: Query, _ shape: Shape, _ sql: QuerySQL) {
        guard let (form, value) = Self.parts(of: query), sql.comparesOnly(with: value), known.count < Self.limit else {
            return
        }
        known[form] = (shape, sql)
    }

    /// Returns the form and the value of a query; nil if it has other conditions or an offset.
    private static func parts(of query: Query) -> (Form, Value)? {
        guard case .comparison(let path, .equal, let value)? = query.filter, query.offset == 0 else { return nil }
        return (Form(entity: query.entity, path: path, sort: query.sort, limit: query.limit), value)
    }
}
