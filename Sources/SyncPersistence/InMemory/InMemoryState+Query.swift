extension InMemoryState {
    /// Hands over the records that a query means, until the body answers false.
    ///
    /// - Parameter examined: Called for each record that is looked at.
    /// - Complexity: O(number of records that are looked at): where an equality or membership is required of the key or
    ///   of an indexed slot, those for which it holds; else all. If it is sorted, O(*m* log *m*) for *m* results.
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

    private func sorted(_ query: BoundQuery, examined: () -> Void) -> [Record] {
        var matches: [(place: Int, values: [Value], record: Record)] = []
        forEachMatch(query, examined: examined) { record in
            let values = query.sort.map { key in key.path.value(of: record) { follow($0, from: $1) } }
            matches.append((matches.count, values, record))
            return true
        }
        matches.sort { left, right in
            switch query.order(left.values, right.values) {
            case .ascending: true
            case .same: left.place < right.place
            case .descending: false
            }
        }
        let rest = matches.dropFirst(query.offset)
        return rest.prefix(query.limit ?? rest.count).map(\.record)
    }

    /// Hands over the records that match, in the order in which they were first stored.
    private func forEachMatch(
        _ query: BoundQuery, examined: () -> Void, _ body: (Record) throws -> Bool
    ) rethrows {
        let table = self[query.shape]
        func isMatch(_ record: Record) -> Bool {
            examined()
            return record.isOf(query.shape)
                && query.filter?.holds(for: record) { follow($0, from: $1) } ?? true
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
