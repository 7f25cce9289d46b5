import SyncPersistence

/// The SQL of a query, and the values of its parameters.
///
/// The table of the query's entity is `t0`. Each step of a path joins another table: `t1`, `t2` and so on. For
/// `Query("Note", where: Field("list.name") == "Home", limit: 10)` it is about:
///
/// ```sql
/// SELECT t0."sync.row", t0."id", t0."list" FROM "notes"."Note" AS t0
/// WHERE EXISTS (SELECT 1 FROM "notes"."List" AS t1 WHERE t1."id" = t0."list" AND (t1."name" = $1))
/// ORDER BY t0."sync.row" LIMIT $2 OFFSET $3
/// ```
struct QuerySQL {
    /// The SQL of the statement, without its limit.
    private(set) var text = ""

    let layout: Layout
    /// The values of the parameters.
    var parameters = Parameters()
    /// The number of table aliases in use.
    private var tableCount = 1

    /// How many rows are omitted at the beginning.
    private let offset: Int
    /// How many rows are read at most; nil for all.
    private let limit: Int?

    /// What a query reads.
    enum Kind {
        /// The records in their order.
        case records
        /// The keys in the order of the records.
        case keys
        /// The digests and keys in the order of the records.
        case digests
        /// The number of the records.
        case count
        /// The records that match the part of the filter that SQL expresses, in the order of their rows.
        case candidates
    }

    /// Creates the SQL that reads what a query selects.
    init(_ query: BoundQuery, _ kind: Kind, in layout: Layout) throws {
        self.layout = layout
        let isLimited = kind == .records || kind == .count
        (offset, limit) = isLimited ? (query.offset, query.limit) : (0, nil)
        let table = layout.table(of: query.shape)
        let key = table.keyColumns.map { table.columns[$0].selection("t0") }
        let selection =
            switch kind {
            case .records, .candidates:
                ([quoted("sync.row")] + (table.hasEntity ? [quoted("sync.entity")] : [])).map { "t0.\($0)" }
                    + table.columns.map { $0.selection("t0") }
            case .keys: key
            case .digests: ["t0.\(quoted("sync.digest"))"] + key
            case .count: [limit == nil && offset == 0 ? "count(*)" : "1"]
            }
        text = "SELECT \(selection.joined(separator: ", ")) FROM \(table.name) AS t0"
        let conditions = try conditions(query, table, isPart: kind == .candidates)
        if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
        if kind == .count {
            guard limit != nil || offset > 0 else { return }
            text += " LIMIT \(limit.map { "\($0)" } ?? "ALL") OFFSET \(offset)"
            text = "SELECT count(*) FROM (\(text)) AS c"
        } else {
            // Appended one after the other: both add to the parameters of this value.
            let order = try order(query, isSorted: kind == .records)
            text += order
        }
    }

    /// Whether the statement is short enough to keep.
    var isShort: Bool { text.utf8.count < 10_000 }
}

extension QuerySQL {
    /// The number of rows in a chunk: 1,000, or the limit of the query if that is between 1,000 and 10,000.
    var chunkSize: Int { limit.map { $0 <= 10_000 ? max($0, 1_000) : 1_000 } ?? 1_000 }

    /// Returns the statement that reads the first rows.
    func firstChunk(_ size: Int) throws -> (text: String, parameters: Parameters) {
        try limited(to: min(limit ?? size, size), offset: offset)
    }

    /// Returns the statement that reads the rows after the first ones.
    func remainder(after size: Int) throws -> (text: String, parameters: Parameters) {
        try limited(to: limit.map { max($0 - size, 0) }, offset: offset.addingReportingOverflow(size).partialValue)
    }

    /// Whether there may be rows after a number of rows that were read.
    ///
    /// - Parameter isFirst: Whether the rows are the first ones.
    func mayHaveMore(after count: Int, isFirst: Bool, chunkSize: Int) -> Bool {
        count == chunkSize && !(isFirst && limit ?? .max <= chunkSize)
    }

    /// Returns the statement with a limit and an offset as parameters, which change from call to call.
    private func limited(to limit: Int?, offset: Int) throws -> (text: String, parameters: Parameters) {
        var parameters = parameters
        try parameters.append(limit.map { .integer(Int64($0)) } ?? .null, as: .integer)
        parameters.append(Int64(max(offset, 0)))
        return (text + " LIMIT $\(parameters.count - 1) OFFSET $\(parameters.count)", parameters)
    }
}

extension QuerySQL {
    /// Adds a parameter, and returns its name.
    mutating func parameter(_ value: Value, _ type: AttributeType) throws -> String {
        try parameters.append(value, as: type)
        return "$\(parameters.count)"
    }

    /// Returns the conditions of a query.
    ///
    /// - Parameter isPart: Whether to leave out the conditions that SQL does not express.
    private mutating func conditions(_ query: BoundQuery, _ table: Table, isPart: Bool) throws -> [String] {
        var conditions: [String] = table.namespace.isShared ? ["TRUE\(table.isOfAccount("t0"))"] : []
        if let entities = try entityCondition(query.shape, table, "t0") { conditions.append(entities) }
        for conjunct in query.filter?.conjuncts ?? [] where !isPart || conjunct.isTranslatable {
            try conditions.append(condition(conjunct, "t0"))
        }
        return conditions
    }

    /// Returns the ORDER BY clause.
    ///
    /// Its last term is the row number, so the order is total.
    private mutating func order(_ query: BoundQuery, isSorted: Bool) throws -> String {
        var terms: [String] = []
        for key in isSorted ? query.sort : [] {
            try terms.append(scalar(key.path, "t0") + (key.isDescending ? " DESC NULLS LAST" : " ASC NULLS FIRST"))
        }
        let row = "t0.\(quoted("sync.row"))"
        // As an expression, it keeps PostgreSQL from reading all records in their order.
        terms.append(terms.isEmpty && query.isFoundByIndex ? "\(row) + 0" : row)
        return " ORDER BY " + terms.joined(separator: ", ")
    }

    /// Returns the condition that a row is of an entity or one that inherits from it; nil if the table has no other
    /// rows.
    private mutating func entityCondition(_ shape: Shape, _ table: Table, _ alias: String) throws -> String? {
        guard table.hasEntity, shape.name != shape.root else { return nil }
        let names = layout.schema.hierarchy(of: shape).filter { $0.inherits(shape.name) }
        try parameters.append(names.map { .string($0.name) }, ofType: .string)
        return "\(alias).\(quoted("sync.entity")) = ANY($\(parameters.count)::text[])"
    }
}

extension QuerySQL {
    /// The columns at the end of a path.
    struct EndColumns {
        let columns: [Column]
        /// The alias of their table.
        let alias: String

        /// The expressions of the columns.
        var names: [String] { columns.map { "\(alias).\($0.name)" } }
    }

    /// Returns a condition on the columns at the end of a path.
    ///
    /// The condition is false if a step of the path finds no record.
    mutating func atEnd(
        _ path: BoundPath, _ alias: String, _ condition: (inout QuerySQL, EndColumns) throws -> String
    ) throws -> String {
        if path.steps.isEmpty { return try condition(&self, endColumns(path, alias)) }
        let (source, last) = try join(path, alias)
        return try "EXISTS (SELECT 1 \(source) AND (\(condition(&self, endColumns(path, last)))))"
    }

    /// Returns the expression of a sort key: a column, or a subquery for a path with steps.
    private mutating func scalar(_ path: BoundPath, _ alias: String) throws -> String {
        if path.steps.isEmpty { return endColumns(path, alias).names[0] }
        let (source, last) = try join(path, alias)
        return "(SELECT \(endColumns(path, last).names[0]) \(source) LIMIT 1)"
    }

    /// Returns the columns at the end of a path; `alias` is the table of the last step.
    func endColumns(_ path: BoundPath, _ alias: String) -> EndColumns {
        switch path.end {
        case .slot(let slot): columns(of: slot, alias)
        case .key(let shape): keyColumns(of: shape, alias)
        }
    }

    /// Returns the columns of a slot.
    private func columns(of slot: BoundSlot, _ alias: String) -> EndColumns {
        let table = layout.table(of: slot.shape)
        let place = table.places(of: slot.shape.name)?.slots[slot.position]
        return EndColumns(columns: place.map { Array(table.columns[$0.columns]) } ?? [], alias: alias)
    }

    /// Returns the key columns of a shape's table.
    private func keyColumns(of shape: Shape, _ alias: String) -> EndColumns {
        let table = layout.table(of: shape)
        return EndColumns(columns: table.keyColumns.map { table.columns[$0] }, alias: alias)
    }

    /// Returns the FROM and WHERE clauses that join the tables of a path's steps, and the alias of the last table.
    private mutating func join(_ path: BoundPath, _ start: String) throws -> (source: String, last: String) {
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
            conditions.append(TableSQL.areEqual(far.columns, far.alias, near.names) + table.isOfAccount(next))
            if let entities = try entityCondition(step.destination, table, next) { conditions.append(entities) }
            alias = next
            shape = step.destination
        }
        return ("FROM \(tables.joined(separator: ", ")) WHERE \(conditions.joined(separator: " AND "))", alias)
    }
}
