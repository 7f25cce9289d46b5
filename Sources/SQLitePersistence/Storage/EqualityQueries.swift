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
    }

    /// How many are kept; there are as many as an app has relationships, about.
    private static let limit = 256

    /// The SQL of a query, if one like it has been added.
    func find(_ query: Query) -> (shape: Shape, sql: QuerySQL)? {
        guard let (form, value) = Self.parts(of: query), var found = known[form], found.sql.replaceParameter(by: value)
        else { return nil }
        return found
    }

    /// Keeps the SQL of a query, if it is like that of others.
    mutating func add(_ query: Query, _ shape: Shape, _ sql: QuerySQL) {
        guard let (form, value) = Self.parts(of: query), known.count < Self.limit else { return }
        var copy = sql
        if copy.replaceParameter(by: value) { known[form] = (shape, sql) }
    }

    private static func parts(of query: Query) -> (Form, Value)? {
        guard case .comparison(let path, .equal, let value)? = query.filter, query.limit == nil, query.offset == 0
        else { return nil }
        return (Form(entity: query.entity, path: path, sort: query.sort), value)
    }
}
