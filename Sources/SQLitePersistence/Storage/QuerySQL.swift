import SyncPersistence

/// The SQL of a query, and the values of its parameters.
///
/// The table of the query's entity is `t0`. Each step of a path joins another table: `t1`, `t2` and so on.
struct QuerySQL {
    /// The SQL of the statement.
    private(set) var text = ""

    /// The tables that the query reads.
    let layout: Layout
    /// The values of the parameters, in the order of the text.
    var parameters: [Parameter] = []
    /// The number of trailing parameters that are the limit and offset.
    private var limitCount = 0
    /// The numbers of the parameters that are names of entities.
    private var entityNumbers: [String: Int] = [:]
    /// The number of table aliases in use.
    private var tableCount = 1

    /// The conditions whose index finds the records; nil leaves the choice to SQLite.
    private let lead: IndexedConditions?

    /// Whether columns of `t0` are written as `+column`, so that SQLite uses no index for them.
    private(set) var hidesIndexes = false

    /// The value of a parameter.
    enum Parameter {
        /// A value, bound as a column's type.
        case value(Value, AttributeType)
        /// An operand of an SQL function, bound as its number in the lookup table.
        case object(LookedUp)
    }

    /// An operand of an SQL function.
    enum LookedUp: Sendable {
        /// The values of a membership condition, with the types of the path.
        case members(Set<Value>, [AttributeType])
        /// A pattern that text must match.
        case pattern(TextPattern)
        /// JSON that must be equal.
        case json(Value)
    }

    /// Creates the SQL that reads the records of a query.
    init(_ query: BoundQuery, ledBy lead: IndexedConditions? = nil, in layout: Layout) {
        self.layout = layout
        self.lead = lead
        let table = layout.table(of: query.shape)
        let selection =
            ([quoted("sync.row")] + (table.hasEntity ? [quoted("sync.entity")] : []) + table.columns.map(\.name))
            .map { "t0.\($0)" }.joined(separator: ", ")
        text = "SELECT \(selection)" + source(query, inOrderOfRows: true) + order(query) + limit(query)
    }

    /// Creates the SQL that counts the records of a query.
    init(countOf query: BoundQuery, ledBy lead: IndexedConditions? = nil, in layout: Layout) {
        self.layout = layout
        self.lead = lead
        text =
            query.limit == nil && query.offset == 0
            ? "SELECT count(*)" + source(query)
            : "SELECT count(*) FROM (SELECT 1" + source(query) + limit(query) + ")"
    }

    /// Creates the SQL that counts the entries of an index that match conditions of a query.
    ///
    /// The count ends at a limit, which is bound after the parameters.
    init(countOf conditions: IndexedConditions, of query: BoundQuery, in layout: Layout) {
        self.layout = layout
        lead = nil
        let terms = conjuncts(of: query, where: conditions.positions.contains).flatMap { self.terms($0, "t0") }
        text =
            "SELECT count(*) FROM (SELECT 1 FROM \(layout.table(of: query.shape).name) AS t0 WHERE "
            + QuerySQL.joined(terms[...], by: " AND ") + " LIMIT ?)"
    }

    /// Creates the SQL that reads the keys of a query's records, after some columns.
    init(keysOf query: BoundQuery, after columns: [String] = [], ledBy lead: IndexedConditions?, in layout: Layout) {
        self.layout = layout
        self.lead = lead
        let table = layout.table(of: query.shape)
        let selection = columns + table.keyColumns.map { table.columns[$0].name }
        text =
            "SELECT " + selection.map { "t0.\($0)" }.joined(separator: ", ") + source(query, inOrderOfRows: true)
            + order(query)
    }

    /// Whether the statement is short enough to keep.
    ///
    /// Long ones are rarely repeated.
    var isShort: Bool { parameters.count <= 256 }

    /// Whether a parameter is a set of values for `sync_isOneOf`.
    var hasMembers: Bool {
        parameters.contains { if case .object(.members) = $0 { true } else { false } }
    }

    /// Whether the value is the only parameter before the limit, and has a type that keys can have.
    ///
    /// With other types, more of the statement may differ.
    func comparesOnly(with value: Value) -> Bool {
        guard parameters.count - limitCount == 1, case .value(let own, let type) = parameters[0], own == value else {
            return false
        }
        return [.integer, .string, .uuid].contains(type) && type.admits(value)
    }

    /// Returns the same SQL for another value of its first parameter; nil if the value has another type.
    func comparing(with value: Value) -> QuerySQL? {
        guard case .value(_, let type) = parameters[0], type.admits(value) else { return nil }
        var other = self
        other.parameters[0] = .value(value, type)
        return other
    }

    /// Binds the values of the parameters.
    func bind(to statement: Statement, on connection: Connection) throws {
        for (position, parameter) in parameters.enumerated() {
            switch parameter {
            case .value(let value, let type): try statement.bind(value, as: type, at: position + 1)
            case .object(let object): try statement.bind(connection.cache.operands.add(object), at: position + 1)
            }
        }
    }
}

extension QuerySQL {
    /// Returns the FROM and WHERE clauses.
    ///
    /// - Parameter inOrderOfRows: Whether unsorted records are read in the order of their rows. SQLite then sorts the
    ///   row numbers from the index before it reads the records.
    private mutating func source(_ query: BoundQuery, inOrderOfRows: Bool = false) -> String {
        let table = layout.table(of: query.shape)
        var conditions: [String] = []
        if let entities = entityCondition(query.shape, table, "t0") { conditions.append(entities) }
        if let lead {
            // A very low likelihood makes SQLite choose this index, whatever its statistics are.
            let findsRows = inOrderOfRows && query.sort.isEmpty
            let leading = conjuncts(of: query, where: lead.positions.contains)
                .flatMap { terms($0, findsRows ? "lead" : "t0") }
            let condition = QuerySQL.joined(leading.map { "likelihood(\($0), 0.000001)" }[...], by: " AND ")
            let row = quoted("sync.row")
            conditions.append(
                findsRows
                    ? "t0.\(row) IN (SELECT lead.\(row) FROM \(table.name) AS lead WHERE \(condition))" : condition)
            hidesIndexes = true
            defer { hidesIndexes = false }
            let others = conjuncts(of: query) { !lead.positions.contains($0) }.map { self.condition($0, "t0") }
            if !others.isEmpty { conditions.append(QuerySQL.joined(others[...], by: " AND ")) }
        } else if let filter = query.filter {
            conditions.append(condition(filter, "t0"))
        }
        return " FROM \(table.name) AS t0"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
    }

    /// Returns the parts of the filter's outermost `and` at some positions.
    private func conjuncts(of query: BoundQuery, where isIncluded: (Int) -> Bool) -> [BoundFilter] {
        (query.filter?.conjuncts ?? []).enumerated().filter { isIncluded($0.offset) }.map(\.element)
    }

    /// Returns the ORDER BY clause.
    ///
    /// Its last term is the row number, so the order is total.
    private mutating func order(_ query: BoundQuery) -> String {
        var terms: [String] = []
        for key in query.sort {
            hidesIndexes = terms.isEmpty && isSortedAfterwards(query)
            let column = scalar(key.path, "t0")
            hidesIndexes = false
            terms.append(column + (key.isDescending ? " DESC" : ""))
        }
        terms.append("t0.\(quoted("sync.row"))")
        return " ORDER BY " + terms.joined(separator: ", ")
    }

    /// Whether SQLite sorts the matching records.
    ///
    /// Walking the index of the sort key would read all records one by one.
    private func isSortedAfterwards(_ query: BoundQuery) -> Bool {
        guard query.filter != nil, query.limit == nil else { return false }
        let table = layout.table(of: query.shape)
        return !IndexedConditions.all(of: query, in: table).contains { $0.isSortKey(of: query, in: table) }
    }

    /// Returns the LIMIT clause; empty if the query has neither limit nor offset.
    private mutating func limit(_ query: BoundQuery) -> String {
        guard query.limit != nil || query.offset > 0 else { return "" }
        parameters.append(.value(.integer(Int64(query.limit ?? -1)), .integer))
        parameters.append(.value(.integer(Int64(query.offset)), .integer))
        limitCount = 2
        return " LIMIT ? OFFSET ?"
    }

    /// Returns the condition that a row is of an entity or one that inherits from it; nil if the table has no other
    /// rows.
    private mutating func entityCondition(_ shape: Shape, _ table: Table, _ alias: String) -> String? {
        guard table.hasEntity, shape.name != shape.root else { return nil }
        let names = layout.schema.hierarchy(of: shape).filter { $0.inherits(shape.name) }.map(\.name)
        let places = names.map { "?\(entityNumber($0))" }
        return "\(alias).\(quoted("sync.entity")) IN (\(places.joined(separator: ", ")))"
    }

    /// Returns the number of the parameter with an entity's name.
    ///
    /// All conditions share it, because a statement has a limited number of parameters.
    private mutating func entityNumber(_ name: String) -> Int {
        if let number = entityNumbers[name] { return number }
        parameters.append(.value(.string(name), .string))
        entityNumbers[name] = parameters.count
        return parameters.count
    }
}

extension QuerySQL {
    /// The SQL of a column at the end of a path.
    struct ColumnSQL {
        /// The expression.
        let text: String
        /// The type of its values.
        let type: AttributeType

        /// The collation for ordering comparisons; empty for SQLite's own order.
        var collation: String { type == .decimal ? " COLLATE sync_decimal" : "" }
    }

    /// Returns a condition on the columns at the end of a path.
    ///
    /// The condition is false if a step of the path finds no record.
    mutating func atEnd(
        _ path: BoundPath, _ alias: String, _ condition: (inout QuerySQL, [ColumnSQL]) -> String
    ) -> String {
        if path.steps.isEmpty { return condition(&self, endColumns(path, alias)) }
        let (source, last) = join(path, alias)
        // The conditions of the steps come first in the text, so their parameters must be added first.
        return "EXISTS (SELECT 1 \(source) AND (\(condition(&self, endColumns(path, last)))))"
    }

    /// Returns the expression of a sort key: a column, or a subquery for a path with steps.
    private mutating func scalar(_ path: BoundPath, _ alias: String) -> String {
        if path.steps.isEmpty {
            let column = endColumns(path, alias)[0]
            return column.text + column.collation
        }
        let (source, last) = join(path, alias)
        let column = endColumns(path, last)[0]
        return "(SELECT \(column.text) \(source))\(column.collation)"
    }

    /// Returns the columns at the end of a path; `alias` is the table of the last step.
    func endColumns(_ path: BoundPath, _ alias: String) -> [ColumnSQL] {
        let columns =
            switch path.end {
            case .slot(let slot): columns(of: slot, alias)
            case .key(let shape): keyColumns(of: shape, alias)
            }
        guard hidesIndexes, path.steps.isEmpty else { return columns }
        return columns.map { ColumnSQL(text: "+\($0.text)", type: $0.type) }
    }

    /// Returns the columns of a slot.
    private func columns(of slot: BoundSlot, _ alias: String) -> [ColumnSQL] {
        let table = layout.table(of: slot.shape)
        guard let place = table.places(of: slot.shape.name)?.slots[slot.position] else { return [] }
        return place.columns.map {
            ColumnSQL(text: "\(alias).\(table.columns[$0].name)", type: table.columns[$0].type)
        }
    }

    /// Returns the FROM and WHERE clauses that join the tables of a path's steps, and the alias of the last table.
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

    /// Returns the key columns of a shape's table.
    private func keyColumns(of shape: Shape, _ alias: String) -> [ColumnSQL] {
        let table = layout.table(of: shape)
        return table.keyColumns.map {
            ColumnSQL(text: "\(alias).\(table.columns[$0].name)", type: table.columns[$0].type)
        }
    }
}
