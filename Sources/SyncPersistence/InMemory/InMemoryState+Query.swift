extension InMemoryState {
    /// Hands over the records that a query means, until the body answers false.
    ///
    /// - Parameter examined: Called for each record that is looked at.
    /// - Complexity: O(number of records that are looked at): where an equality or membership is required of the key or
    ///   of an indexed slot, those for which it holds; else all. Sorting is added to it, as ``BoundQuery`` does it.
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

    /// How many records a query means.
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
