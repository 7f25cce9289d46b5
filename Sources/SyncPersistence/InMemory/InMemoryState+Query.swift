extension InMemoryState {
    /// Hands over the records that a query means, until the body answers false.
    ///
    /// - Parameter examined: Called for each record that is looked at.
    /// - Complexity: O(number of records that are looked at): where an equality or membership is required of the key or
    ///   of an indexed slot, those for which it holds; else all. If it is sorted, O(*m* log *k*) for *m* matches of which
    ///   no more than the first *k* are asked for.
    func forEach(
        _ query: BoundQuery, examined: () -> Void, _ body: (Record) throws -> Bool
    ) rethrows {
        if query.limit == 0 { return }
        if query.sort.isEmpty {
            var (leftOut, handedOver) = (0, 0)
            try forEachMatch(query, examined: examined) { record in
                if leftOut < query.offset {
                    leftOut += 1
                    return true
                }
                handedOver += 1
                return try body(record) && handedOver != query.limit
            }
        } else {
            for record in sorted(query, examined: examined) {
                if try !body(record) { return }
            }
        }
    }

    /// How many records a query means.
    func count(_ query: BoundQuery, examined: () -> Void) -> Int {
        if query.filter == nil, query.shape.name == query.shape.root {
            return query.count(ofMatching: self[query.shape].count)
        }
        var count = 0
        forEachMatch(query, examined: examined) { _ in
            count += 1
            return true
        }
        return query.count(ofMatching: count)
    }

    private func sorted(_ query: BoundQuery, examined: () -> Void) -> ArraySlice<Record> {
        var best = SortedRecords(query.sort, limit: query.sufficientCount)
        let paths = query.sort.map { $0.path.value(follow: follow) }
        forEachMatch(query, examined: examined) { record in
            best.add(record, sortedBy: paths.lazy.map { $0(record) })
            return true
        }
        return best.finish().dropFirst(query.offset)
    }

    /// Hands over the records that match, in the order in which they were first stored.
    private func forEachMatch(
        _ query: BoundQuery, examined: () -> Void, _ body: (Record) throws -> Bool
    ) rethrows {
        let table = self[query.shape]
        let predicate = query.filter?.predicate(follow: follow)
        func isMatch(_ record: Record) -> Bool {
            examined()
            return record.isOf(query.shape) && predicate?(record) ?? true
        }
        if let places = table.candidates(for: query) {
            for place in places {
                if let record = table.rows[place], isMatch(record), try !body(record) { return }
            }
        } else {
            for record in table.rows {
                if let record, isMatch(record), try !body(record) { return }
            }
        }
    }
}
