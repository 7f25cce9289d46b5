extension InMemoryState {
    /// Calls a body with the records that a query selects, until the body returns false.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - examined: A function that is called for each record that is examined.
    ///   - body: A function that receives a record, and returns whether to continue.
    /// - Complexity: O(number of examined records), plus sorting as in ``BoundQuery``. If the filter requires an
    ///   equality or membership of the key or of an indexed slot, only the records with these values are examined;
    ///   otherwise all
    func forEach(
        _ query: BoundQuery, examined: () -> Void, _ body: (Record) throws -> Bool
    ) rethrows {
        let rows = self[query.shape].rows
        if let places = self[query.shape].candidates(for: query) {
            try query.select(
                from: places.lazy.compactMap { rows[$0] }, follow: follow, examined: examined, body)
        } else {
            try query.select(from: rows.lazy.compactMap { $0 }, follow: follow, examined: examined, body)
        }
    }

    /// Returns how many records a query selects.
    func count(_ query: BoundQuery, examined: () -> Void) -> Int {
        if query.filter == nil, query.shape.name == query.shape.root {
            return query.count(ofMatching: self[query.shape].count)
        }
        let rows = self[query.shape].rows
        guard let places = self[query.shape].candidates(for: query) else {
            return query.count(from: rows.lazy.compactMap { $0 }, follow: follow, examined: examined)
        }
        return query.count(from: places.lazy.compactMap { rows[$0] }, follow: follow, examined: examined)
    }
}
