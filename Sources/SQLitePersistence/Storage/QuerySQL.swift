import SyncPersistence

/// A query as SQL, and the values to be bound to it.
///
/// `t0` is the table of the query's entity; each step of a path has a table of its own.
struct QuerySQL {
    private(set) var text = ""

    private let layout: Layout
    private var parameters: [Parameter] = []
    /// How many parameters at the end say which of the records are meant.
    private var limitCount = 0
    private var tableCount = 1

    /// What is bound.
    enum Parameter {
        /// A value, to a column of a type.
        case value(Value, AttributeType)
        /// A set or pattern that a function looks up by the number that is bound.
        case object(LookedUp)
    }

    /// What a function compares with.
    enum LookedUp: Sendable {
        case members(Set<Value>, [AttributeType])
        case pattern(TextPattern)
        case json(Value)
    }

    /// The records that a query means.
    init(_ query: BoundQuery, in layout: Layout) {
        self.layout = layout
        let table = layout.table(of: query.shape)
        let selection =
            ([quoted("sync.row")] + (table.hasEntity ? [quoted("sync.entity")] : []) + table.columns.map(\.name))
            .map { "t0.\($0)" }.joined(separator: ", ")
        text = "SELECT \(selection)" + source(query) + order(query) + limit(query)
    }

    /// How many records a query means.
    init(countOf query: BoundQuery, in layout: Layout) {
        self.layout = layout
        text =
            query.limit == nil && query.offset == 0
            ? "SELECT count(*)" + source(query)
            : "SELECT count(*) FROM (SELECT 1" + source(query) + limit(query) + ")"
    }

    /// The keys of the records that a query means.
    init(keysOf query: BoundQuery, in layout: Layout) {
        self.init(columns: [], andKeysOf: query, in: layout)
    }

    /// The digests and keys of the records that a query means.
    init(digestsOf query: BoundQuery, in layout: Layout) {
        self.init(columns: [quoted("sync.digest")], andKeysOf: query, in: layout)
    }

    private init(columns: [String], andKeysOf query: BoundQuery, in layout: Layout) {
        self.layout = layout
        let table = layout.table(of: query.shape)
        let selection = columns + table.keyColumns.map { table.columns[$0].name }
        text = "SELECT " + selection.map { "t0.\($0)" }.joined(separator: ", ") + source(query) + order(query)
    }

    /// Whether a value is all that it compares with, and of a type that keys have: with others, more than the value may differ.
    func comparesOnly(with value: Value) -> Bool {
        guard parameters.count - limitCount == 1, case .value(let own, let type) = parameters[0], own == value else {
            return false
        }
        return [.integer, .string, .uuid].contains(type) && type.admits(value)
    }

    /// The same, but for the one value that it compares with; nil if that is of another type.
    func comparing(with value: Value) -> QuerySQL? {
        guard case .value(_, let type) = parameters[0], type.admits(value) else { return nil }
        var other = self
        other.parameters[0] = .value(value, type)
        return other
    }

    /// Binds the values.
    func bind(to statement: Statement, on connection: Connection) throws {
        for (position, parameter) in parameters.enumerated() {
            switch parameter {
            case .value(let value, let type): try statement.bind(value, as: type, at: position + 1)
            case .object(let object): try statement.bind(connection.lookup.add(object), at: position + 1)
            }
        }
    }
}

extension QuerySQL {
    private mutating func source(_ query: BoundQuery) -> String {
        let table = layout.table(of: query.shape)
        var conditions: [String] = []
        if let entities = entityCondition(query.shape, table, "t0") { conditions.append(entities) }
        if let filter = query.filter { conditions.append(condition(filter, "t0")) }
        return " FROM \(table.name) AS t0"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
    }

    private mutating func order(_ query: BoundQuery) -> String {
        var terms: [String] = []
        for key in query.sort {
            let column = scalar(key.path, "t0")
            terms.append(column + (key.isDescending ? " DESC" : ""))
        }
        terms.append("t0.\(quoted("sync.row"))")
        return " ORDER BY " + terms.joined(separator: ", ")
    }

    private mutating func limit(_ query: BoundQuery) -> String {
        guard query.limit != nil || query.offset > 0 else { return "" }
        parameters.append(.value(.integer(Int64(query.limit ?? -1)), .integer))
        parameters.append(.value(.integer(Int64(query.offset)), .integer))
        limitCount = 2
        return " LIMIT ? OFFSET ?"
    }

    /// That a record is of an entity or one that inherits it, where its table holds others too.
    private mutating func entityCondition(_ shape: Shape, _ table: Table, _ alias: String) -> String? {
        guard table.hasEntity, shape.name != shape.root else { return nil }
        let names = layout.schema.hierarchy(of: shape).filter { $0.inherits(shape.name) }.map(\.name)
        for name in names { parameters.append(.value(.string(name), .string)) }
        return "\(alias).\(quoted("sync.entity")) IN (\(names.map { _ in "?" }.joined(separator: ", ")))"
    }
}

extension QuerySQL {
    /// A condition that is true where the filter holds, and false or null where it does not.
    private mutating func condition(_ filter: BoundFilter, _ alias: String) -> String {
        switch filter {
        case .constant(let result): return result ? "1" : "0"
        case .and(let filters):
            return filters.isEmpty ? "1" : QuerySQL.joined(filters.map { condition($0, alias) }[...], by: " AND ")
        case .or(let filters):
            return filters.isEmpty ? "0" : QuerySQL.joined(filters.map { condition($0, alias) }[...], by: " OR ")
        case .not(let filter): return "((\(condition(filter, alias))) IS NOT TRUE)"
        case .isNull(let path):
            // A step that leads nowhere is null too.
            return "(("
                + atEnd(path, alias) { _, columns in
                    columns.map { "\($0.text) IS NOT NULL" }.joined(separator: " AND ")
                } + ") IS NOT TRUE)"
        case .comparison(let path, let comparison, let value):
            return atEnd(path, alias) { sql, columns in sql.compare(columns, comparison, value) }
        case .membership(let path, let values):
            return atEnd(path, alias) { sql, columns in sql.contain(columns, values) }
        case .text(let path, let pattern):
            return atEnd(path, alias) { sql, columns in
                sql.parameters.append(.object(.pattern(pattern)))
                return "sync_matches(?, \(columns[0].text))"
            }
        }
    }

    /// Conditions that are joined, by halves: SQLite takes a chain for as deep as it is long, and refuses deep ones.
    private static func joined(_ conditions: ArraySlice<String>, by separator: String) -> String {
        if conditions.count <= 16 { return "(" + conditions.joined(separator: separator) + ")" }
        let half = conditions.count / 2
        return "(" + joined(conditions.prefix(half), by: separator) + separator
            + joined(conditions.dropFirst(half), by: separator) + ")"
    }

    private mutating func compare(
        _ columns: [ColumnSQL], _ comparison: Filter.Comparison, _ value: Value
    ) -> String {
        if columns.count == 1 {
            let column = columns[0]
            if column.type == .json {
                parameters.append(.object(.json(value)))
                return comparison == .equal
                    ? "sync_is(?, \(column.text))" : "(NOT sync_is(?, \(column.text)))"
            }
            parameters.append(.value(value, column.type))
            return "\(column.text)\(column.collation) \(comparison.sql) ?"
        }
        guard case .array(let parts) = value, parts.count == columns.count else { return "0" }
        let equal = zip(columns, parts).map { column, part in
            parameters.append(.value(part, column.type))
            return "\(column.text) = ?"
        }.joined(separator: " AND ")
        return comparison == .equal ? "(\(equal))" : "(NOT (\(equal)))"
    }

    private mutating func contain(_ columns: [ColumnSQL], _ values: Set<Value>) -> String {
        let column = columns[0]
        if column.type == .json || values.count > QuerySQL.maximumMembers
            || parameters.count > QuerySQL.maximumParameters
        {
            parameters.append(.object(.members(values, columns.map(\.type))))
            return "sync_isOneOf(?, \(columns.map(\.text).joined(separator: ", ")))"
        }
        if columns.count > 1 {
            // In one order, so that equal queries are the same statement.
            let sorted = values.sorted(by: Value.areInIncreasingOrder)
            return QuerySQL.joined(sorted.map { compare(columns, .equal, $0) }[...], by: " OR ")
        }
        for value in values { parameters.append(.value(value, column.type)) }
        let places = values.isEmpty ? "" : "?" + String(repeating: ", ?", count: values.count - 1)
        return "\(column.text)\(column.collation) IN (\(places))"
    }

    /// Of more than so many, a function finds the member in a table.
    private static var maximumMembers: Int { 200 }

    /// With more than so many before it, the function does so too: a statement of SQLite has at most 32,766.
    private static var maximumParameters: Int { 10_000 }
}

extension QuerySQL {
    /// A column at the end of a path.
    private struct ColumnSQL {
        let text: String
        let type: AttributeType

        var collation: String { type == .decimal ? " COLLATE sync_decimal" : "" }
    }

    /// A condition on the columns at the end of a path; false if a step leads nowhere.
    private mutating func atEnd(
        _ path: BoundPath, _ alias: String, _ condition: (inout QuerySQL, [ColumnSQL]) -> String
    ) -> String {
        if path.steps.isEmpty { return condition(&self, endColumns(path, alias)) }
        let (source, last) = join(path, alias)
        // The conditions of the steps come first, and so do their parameters.
        return "EXISTS (SELECT 1 \(source) AND (\(condition(&self, endColumns(path, last)))))"
    }

    /// What stands at the end of a path, to be sorted by.
    private mutating func scalar(_ path: BoundPath, _ alias: String) -> String {
        if path.steps.isEmpty {
            let column = endColumns(path, alias)[0]
            return column.text + column.collation
        }
        let (source, last) = join(path, alias)
        let column = endColumns(path, last)[0]
        return "(SELECT \(column.text) \(source))\(column.collation)"
    }

    private func endColumns(_ path: BoundPath, _ alias: String) -> [ColumnSQL] {
        switch path.end {
        case .slot(let slot): return columns(of: slot, alias)
        case .key(let shape): return keyColumns(of: shape, alias)
        }
    }

    private func columns(of slot: BoundSlot, _ alias: String) -> [ColumnSQL] {
        let table = layout.table(of: slot.shape)
        guard let place = table.places(of: slot.shape.name)?.slots[slot.position] else { return [] }
        return place.columns.map {
            ColumnSQL(text: "\(alias).\(table.columns[$0].name)", type: table.columns[$0].type)
        }
    }

    /// The tables of a path's steps and what joins them, and the alias of the last.
    private mutating func join(_ path: BoundPath, _ start: String) -> (source: String, last: String) {
        var tables: [String] = []
        var conditions: [String] = []
        var alias = start
        var shape = path.start
        for step in path.steps {
            let table = layout.table(of: step.destination)
            let next = "t\(tableCount)"
            tableCount += 1
            tables.append("\(table.name) AS \(next)")
            let (near, far) =
                step.isInverse
                ? (keyColumns(of: shape, alias), columns(of: step.slot, next))
                : (columns(of: step.slot, alias), keyColumns(of: step.destination, next))
            conditions += zip(near, far).map { "\($1.text) = \($0.text)" }
            if let entities = entityCondition(step.destination, table, next) { conditions.append(entities) }
            alias = next
            shape = step.destination
        }
        return ("FROM \(tables.joined(separator: ", ")) WHERE \(conditions.joined(separator: " AND "))", alias)
    }

    private func keyColumns(of shape: Shape, _ alias: String) -> [ColumnSQL] {
        let table = layout.table(of: shape)
        return table.keyColumns.map {
            ColumnSQL(text: "\(alias).\(table.columns[$0].name)", type: table.columns[$0].type)
        }
    }
}

extension Filter.Comparison {
    fileprivate var sql: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}
