import SyncPersistence

extension QuerySQL {
    /// Returns a condition that is true if the filter matches, and false or NULL otherwise.
    ///
    /// SQL expresses the filter; see `BoundFilter.isTranslatable`. Values are parameters, and never part of the text. For
    /// `Field("age") > 3 && Field("city").isNull` of a table with the alias `t0`, it is:
    ///
    /// ```sql
    /// ("t0"."age" > $1 AND ("t0"."city" IS NULL))
    /// ```
    ///
    /// A condition on a path joins the tables of its steps in a subquery, so a record is found once, however many records
    /// its path reaches.
    mutating func condition(_ filter: BoundFilter, _ alias: String) throws -> String {
        switch filter {
        case .constant(let result): return result ? "TRUE" : "FALSE"
        case .and(let filters): return try joined(filters, by: " AND ", alias) ?? "TRUE"
        case .or(let filters): return try joined(filters, by: " OR ", alias) ?? "FALSE"
        case .not(let filter): return try "((\(condition(filter, alias))) IS NOT TRUE)"
        case .isNull(let path):
            if path.steps.isEmpty {
                return "(" + endColumns(path, alias).names.map { "\($0) IS NULL" }.joined(separator: " OR ") + ")"
            }
            // The value is also null if a step of the path finds no record.
            return try "(("
                + atEnd(path, alias) { _, end in
                    end.names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
                } + ") IS NOT TRUE)"
        case .comparison(let path, let comparison, let value):
            return try atEnd(path, alias) { sql, end in try sql.compare(end, comparison, value) }
        case .membership(let path, let values):
            return try atEnd(path, alias) { sql, end in try sql.contain(end, values) }
        case .text(let path, let pattern):
            return try atEnd(path, alias) { sql, end in
                let (name, text) = (end.names[0], try sql.parameter(.string(pattern.text), .string))
                return switch pattern.match {
                case .hasPrefix: "starts_with(\(name), \(text))"
                case .hasSuffix: "right(\(name), length(\(text))) = \(text)"
                case .contains: "strpos(\(name), \(text)) > 0"
                }
            }
        }
    }

    /// Returns the conditions of several filters, joined by an operator; nil if there are none.
    private mutating func joined(_ filters: [BoundFilter], by separator: String, _ alias: String) throws -> String? {
        if filters.isEmpty { return nil }
        return try "(" + filters.map { try condition($0, alias) }.joined(separator: separator) + ")"
    }

    /// Returns the comparison of columns with a value; several columns compare part by part.
    ///
    /// Several columns belong to a key of several parts, which has no order. So only equality and its opposite are possible.
    private mutating func compare(_ end: EndColumns, _ comparison: Filter.Comparison, _ value: Value) throws -> String {
        if end.columns.count == 1 {
            let parameter = try parameter(value, end.columns[0].type)
            if comparison == .equal { return "(\(TableSQL.areEqual(end.columns, end.alias, [parameter])))" }
            return "\(end.names[0]) \(comparison.sqlOperator) \(parameter)"
        }
        guard case .array(let parts) = value, parts.count == end.columns.count else { return "FALSE" }
        let values = try zip(end.columns, parts).map { try parameter($1, $0.type) }
        let equal = TableSQL.areEqual(end.columns, end.alias, values)
        return comparison == .equal ? "(\(equal))" : "(NOT (\(equal)))"
    }

    /// Returns the condition that a set contains the value of columns.
    private mutating func contain(_ end: EndColumns, _ values: Set<Value>) throws -> String {
        let first = parameters.count + 1
        if let column = end.columns.first, end.columns.count == 1 {
            try parameters.append(values, ofType: column.type)
            let array = "$\(first)::\(column.type.arrayName)" + (column.type == .decimal ? "::numeric[]" : "")
            return "(\(TableSQL.isContained(column, end.names[0], in: array)))"
        }
        for (part, column) in end.columns.enumerated() {
            let parts = values.map { value in
                if case .array(let parts) = value, parts.indices.contains(part) { parts[part] } else { Value.null }
            }
            try parameters.append(parts, ofType: column.type)
        }
        let types = end.columns.map(\.type)
        let elements = types.enumerated().map { TableSQL.element($0, $1) }
        return "EXISTS (SELECT 1 FROM \(TableSQL.unnested(types, from: first)) "
            + "WHERE \(TableSQL.areEqual(end.columns, end.alias, elements)))"
    }
}
