import SyncPersistence

/// The SQL of queries for the records that have one value in one place, such as those that name a record: a transaction asks
/// for many, which differ in that value alone.
struct EqualityQueries {
    private var known: [Form: (shape: Shape, sql: QuerySQL)] = [:]

    /// All of such a query but the value.
    private struct Form: Hashable {
        let entity: String
        let path: String
        let sort: [Query.SortKey]
        let limit: Int?
    }

    /// How many are kept; there are as many as an app has relationships, about.
    private static let limit = 256

    /// The SQL of a query, if one like it has been added.
    func find(_ query: Query) -> (shape: Shape, sql: QuerySQL)? {
        guard let (form, value) = Self.parts(of: query), let (shape, sql) = known[form] else { return nil }
        return sql.comparing(with: value).map { (shape, $0) }
    }

    /// Keeps the SQL of a query, if it is like that of others.
    mutating func add(_ query: Query, _ shape: Shape, _ sql: QuerySQL) {
        guard let (form, value) = Self.parts(of: query), sql.comparesOnly(with: value), known.count < Self.limit else {
            return
        }
        known[form] = (shape, sql)
    }

    private static func parts(of query: Query) -> (Form, Value)? {
        guard case .comparison(let path, .equal, let value)? = query.filter, query.offset == 0 else { return nil }
        return (Form(entity: query.entity, path: path, sort: query.sort, limit: query.limit), value)
    }
}
