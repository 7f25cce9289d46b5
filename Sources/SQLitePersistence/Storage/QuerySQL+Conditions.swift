import SyncPersistence

extension QuerySQL {
    /// Returns a condition that is true if the filter matches, and false or NULL otherwise.
    mutating func condition(_ filter: BoundFilter, _ alias: String) -> String {
        switch filter {
        case .constant(let result): return result ? "1" : "0"
        case .and(let filters):
            return filters.isEmpty ? "1" : QuerySQL.joined(filters.map { condition($0, alias) }[...], by: " AND ")
        case .or(let filters):
            return filters.isEmpty ? "0" : QuerySQL.joined(filters.map { condition($0, alias) }[...], by: " OR ")
        case .not(let filter): return "((\(condition(filter, alias))) IS NOT TRUE)"
        case .isNull(let path):
            if path.steps.isEmpty {
                let columns = endColumns(path, alias).map { "\($0.text) IS NULL" }
                return columns.count == 1 ? columns[0] : "(" + columns.joined(separator: " OR ") + ")"
            }
            // The value is also null if a step of the path finds no record.
            return "(("
                + atEnd(path, alias) { _, columns in
                    columns.map { "\($0.text) IS NOT NULL" }.joined(separator: " AND ")
                } + ") IS NOT TRUE)"
        case .comparison(let path, let comparison, let value):
            return atEnd(path, alias) { sql, columns in sql.compare(columns, comparison, value) }
        case .membership(let path, let values):
            if path.steps.isEmpty, path.types.count > 1, values.count > QuerySQL.maximumAlternatives,
                let condition = contain(path.end, alias, values)
            {
                return condition
            }
            return atEnd(path, alias) { sql, columns in sql.contain(columns, values) }
        case .text(let path, let pattern):
            return atEnd(path, alias) { sql, columns in
                if pattern.match == .hasPrefix && !pattern.ignoresCase {
                    return "(" + sql.begin(columns[0], pattern.text).joined(separator: " AND ") + ")"
                }
                sql.parameters.append(.object(.pattern(pattern)))
                return "sync_matches(?, \(columns[0].text))"
            }
        }
    }

    /// Returns the conditions of a filter, all of which must be true.
    ///
    /// SQLite can use an index for each of them separately.
    mutating func terms(_ filter: BoundFilter, _ alias: String) -> [String] {
        guard case .text(let path, let pattern) = filter, pattern.match == .hasPrefix, !pattern.ignoresCase,
            path.steps.isEmpty
        else { return [condition(filter, alias)] }
        return begin(endColumns(path, alias)[0], pattern.text)
    }

    /// Returns the range of texts that begin with a prefix.
    ///
    /// SQLite compares UTF-8 bytes, whose order is that of Unicode scalars.
    private mutating func begin(_ column: ColumnSQL, _ prefix: String) -> [String] {
        parameters.append(.value(.string(prefix), .string))
        guard let end = prefix.endOfPrefixes else { return ["\(column.text) >= ?"] }
        parameters.append(.value(.string(end), .string))
        return ["\(column.text) >= ?", "\(column.text) < ?"]
    }

    /// Joins conditions in nested halves.
    ///
    /// SQLite counts a chain of n operators as n levels deep, and rejects deep expressions.
    static func joined(_ conditions: ArraySlice<String>, by separator: String) -> String {
        if conditions.count <= 16 { return "(" + conditions.joined(separator: separator) + ")" }
        let half = conditions.count / 2
        return "(" + joined(conditions.prefix(half), by: separator) + separator
            + joined(conditions.dropFirst(half), by: separator) + ")"
    }

    /// Returns the comparison of the columns with a value; several columns compare part by part.
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
            return "\(column.text)\(comparison.isOrdering ? column.collation : "") \(comparison.sqlOperator) ?"
        }
        guard case .array(let parts) = value, parts.count == columns.count else { return "0" }
        if parameters.count + columns.count > QuerySQL.maximumParameters {
            parameters.append(.object(.members([value], columns.map(\.type))))
            let isEqual = "sync_isOneOf(?, \(columns.map(\.text).joined(separator: ", ")))"
            return comparison == .equal ? isEqual : "(NOT \(isEqual))"
        }
        let equal = zip(columns, parts).map { column, part in
            parameters.append(.value(part, column.type))
            return "\(column.text) = ?"
        }.joined(separator: " AND ")
        return comparison == .equal ? "(\(equal))" : "(NOT (\(equal)))"
    }

    /// Returns the condition that a set contains the value of the columns.
    private mutating func contain(_ columns: [ColumnSQL], _ values: Set<Value>) -> String {
        if columns[0].type == .json || parameters.count + values.count * columns.count > QuerySQL.maximumParameters
            || columns.count > 1 && values.count > QuerySQL.maximumAlternatives
        {
            parameters.append(.object(.members(values, columns.map(\.type))))
            return "sync_isOneOf(?, \(columns.map(\.text).joined(separator: ", ")))"
        }
        if columns.count > 1 {
            // Sorted, so that equal queries have the same SQL.
            let sorted = values.sorted(by: Value.areInIncreasingOrder)
            return QuerySQL.joined(sorted.map { compare(columns, .equal, $0) }[...], by: " OR ")
        }
        for value in values { parameters.append(.value(value, columns[0].type)) }
        let places = values.isEmpty ? "" : "?" + String(repeating: ", ?", count: values.count - 1)
        return "\(columns[0].text) IN (\(places))"
    }

    /// Returns a condition that looks up many values of several columns by index; nil if the columns have no index.
    private mutating func contain(_ end: BoundPath.End, _ alias: String, _ values: Set<Value>) -> String? {
        let shape =
            switch end {
            case .slot(let slot): slot.shape
            case .key(let shape): shape
            }
        let table = layout.table(of: shape)
        let columns = table.columns(at: end)
        guard let first = columns.first, table.hasIndex(on: first),
            parameters.count + values.count * columns.count <= QuerySQL.maximumParameters
        else { return nil }
        for case .array(let parts) in values {
            for (part, column) in zip(parts, columns) { parameters.append(.value(part, table.types[column])) }
        }
        let row = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
        let rows = repeatElement(row, count: values.count).joined(separator: ", ")
        let names = columns.indices.map { "c\($0)" }
        let pairs = zip(columns, names).map { "t.\(table.columns[$0].name) = m.\($1)" }
        return
            "\(alias).\(quoted("sync.row")) IN (WITH m(\(names.joined(separator: ", "))) AS (VALUES \(rows)) "
            + "SELECT t.\(quoted("sync.row")) FROM m CROSS JOIN \(table.name) AS t ON \(pairs.joined(separator: " AND ")))"
    }

    /// The maximum number of composite values that are compared one by one.
    private static var maximumAlternatives: Int { 16 }

    /// The maximum number of parameters for members of sets, and for values of several columns.
    ///
    /// Values beyond it are looked up by `sync_isOneOf`. A statement of SQLite has at most 32,766 parameters, and other
    /// conditions need some.
    static var maximumParameters: Int { 16_000 }
}

extension String {
    /// The least text above all texts that begin with this one, in the order of Unicode scalars; nil if there is none.
    fileprivate var endOfPrefixes: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // The surrogates U+D800 to U+DFFF are not scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let next = Unicode.Scalar(next) {
                var text = String.UnicodeScalarView(scalars)
                text.append(next)
                return String(text)
            }
        }
        return nil
    }
}
