import SyncPersistence

/// Conditions of a query that the same index of the query's own table covers.
struct IndexedConditions {
    /// The position in the table of the first column of the index.
    let column: Int

    /// The positions of the conditions in the filter's outermost `and`.
    private(set) var positions: Set<Int> = []

    /// Whether all conditions are ranges.
    ///
    /// SQLite's planner assumes that a range matches a quarter of the table.
    private(set) var isRange = true

    /// Whether at most one record matches.
    private(set) var isUnique = false

    /// Creates the conditions of a column, so far none.
    fileprivate init(column: Int) { self.column = column }

    /// Adds a condition that the index covers.
    fileprivate mutating func add(_ position: Int, isRange: Bool, isUnique: Bool) {
        positions.insert(position)
        self.isRange = self.isRange && isRange
        self.isUnique = self.isUnique || isUnique
    }
}

extension IndexedConditions {
    /// Returns the indexes that can find the records of a query, with the conditions that each index covers.
    ///
    /// - Complexity: O(number of conditions)
    static func all(of query: BoundQuery, in table: Table) -> [IndexedConditions] {
        // The key index of a journal has only the entries of deleted records.
        if table.isJournal { return [] }
        var found: [IndexedConditions] = []
        for (position, conjunct) in (query.filter?.conjuncts ?? []).enumerated() {
            guard let (path, isRange) = conjunct.indexable, path.steps.isEmpty else { continue }
            let columns = table.columns(at: path.end)
            guard let first = columns.first, table.hasIndex(on: first) else { continue }
            if table.types[first] == .json || isRange && table.types[first] == .decimal { continue }
            let isEquality = if case .comparison(_, .equal, _) = conjunct { true } else { false }
            let index = found.firstIndex { $0.column == first } ?? found.endIndex
            if index == found.endIndex { found.append(IndexedConditions(column: first)) }
            found[index].add(position, isRange: isRange, isUnique: isEquality && columns == table.keyColumns)
        }
        return found
    }

    /// Whether the index is in the order of the query's first sort key.
    func isSortKey(of query: BoundQuery, in table: Table) -> Bool {
        guard let path = query.sort.first?.path, path.steps.isEmpty else { return false }
        return table.columns(at: path.end).first == column
    }
}

extension BoundFilter {
    /// The path whose index can find the matching records, and whether the condition is a range; nil if no index can.
    fileprivate var indexable: (path: BoundPath, isRange: Bool)? {
        switch self {
        case .comparison(_, .notEqual, _): nil
        case .comparison(let path, let comparison, _): (path, comparison != .equal)
        case .membership(let path, let values): values.count > QuerySQL.maximumParameters ? nil : (path, false)
        case .isNull(let path): path.types.count == 1 ? (path, false) : nil
        case .text(let path, let pattern): pattern.match == .hasPrefix && !pattern.ignoresCase ? (path, true) : nil
        case .constant, .and, .or, .not: nil
        }
    }
}

extension Table {
    /// Returns the positions of the columns at the end of a path within this table.
    func columns(at end: BoundPath.End) -> [Int] {
        switch end {
        case .slot(let slot): places(of: slot.shape.name).map { Array($0.slots[slot.position].columns) } ?? []
        case .key: keyColumns
        }
    }

    /// Whether an index begins with a column.
    func hasIndex(on column: Int) -> Bool {
        if keyColumns.first == column && !isJournal { return true }
        let slot = columns[column].slot
        return slot.isIndexed && columns.firstIndex { $0.slot.id == slot.id } == column
    }
}

extension Connection {
    /// Returns the conditions whose index finds the fewest records of a query; nil leaves the choice to SQLite.
    ///
    /// Without statistics, SQLite assumes that all indexes are equally selective. With statistics, it knows only
    /// averages. This function counts the matching entries of each index up to a limit. It raises the limit until one
    /// index stays below it, so the choice costs less than reading the records.
    ///
    /// - Complexity: O(number of records that match the most selective conditions), at most about 150,000 steps for
    ///   each index
    func mostSelective(_ plan: QueryPlan) throws -> IndexedConditions? {
        let (choices, query) = (plan.choices, plan.query)
        guard choices.count > 1 || choices.contains(where: \.isRange), !choices.contains(where: \.isUnique) else {
            return nil
        }
        // That index returns the first records in the query's order.
        let table = plan.layout.table(of: query.shape)
        if query.limit != nil, choices.count == 1, choices[0].isSortKey(of: query, in: table) { return nil }
        // A single index needs no comparison, so its first limit is 1,024.
        for limit in [64, 1_024, 16_384, 131_072] where limit > 64 || choices.count > 1 {
            // Above 16,384 matches, reading the whole table is as fast as the index of a range.
            var best: (choice: IndexedConditions, count: Int)?
            for (position, choice) in choices.enumerated() where limit <= 16_384 || !choice.isRange {
                let sql = plan.count(ofChoice: position)
                let count = try withStatement(sql.text, isKept: sql.isShort) { statement in
                    try sql.bind(to: statement, on: self)
                    try statement.bind(Int64(best?.count ?? limit), at: sql.parameters.count + 1)
                    _ = try statement.step()
                    return Int(statement.int64(at: 0))
                }
                if count < best?.count ?? limit { best = (choice, count) }
            }
            if let best { return best.choice }
        }
        return nil
    }
}
