extension BoundQuery {
    /// Calls a body with the candidates that the query selects, in its order, until the body returns false.
    ///
    /// - Parameters:
    ///   - candidates: Records of the hierarchy in the order in which they were first stored.
    ///   - follow: A function that returns the record to which a step leads from another, or nil.
    ///   - examined: A function that is called for each candidate that is examined.
    ///   - body: A function that receives a record, and returns whether to continue.
    /// - Complexity: O(number of candidates); if it is sorted, O(*m* log *k*) for *m* matches if at most the first *k*
    ///   are requested
    func select(
        from candidates: some Sequence<Record>, follow: @escaping (BoundPath.Step, Record) -> Record?,
        examined: () -> Void = {}, _ body: (Record) throws -> Bool
    ) rethrows {
        if limit == 0 { return }
        if sort.isEmpty {
            var (leftOut, handedOver) = (0, 0)
            try match(candidates, follow, examined) { record in
                if leftOut < offset {
                    leftOut += 1
                    return true
                }
                handedOver += 1
                return try body(record) && handedOver != limit
            }
        } else {
            var best = SortedRecords(sort, limit: sufficientCount)
            let paths = sort.map { $0.path.value(follow: follow) }
            match(candidates, follow, examined) { record in
                best.add(record, sortedBy: paths.lazy.map { $0(record) })
                return true
            }
            for record in best.finish().dropFirst(offset) {
                if try !body(record) { return }
            }
        }
    }

    /// Returns how many of the candidates the query selects; see ``select(from:follow:examined:_:)``.
    func count(
        from candidates: some Sequence<Record>, follow: @escaping (BoundPath.Step, Record) -> Record?,
        examined: () -> Void
    ) -> Int {
        var count = 0
        match(candidates, follow, examined) { _ in
            count += 1
            return true
        }
        return self.count(ofMatching: count)
    }

    /// Calls a body with the candidates that match the filter.
    private func match(
        _ candidates: some Sequence<Record>, _ follow: @escaping (BoundPath.Step, Record) -> Record?,
        _ examined: () -> Void, _ body: (Record) throws -> Bool
    ) rethrows {
        let predicate = filter?.predicate(follow: follow)
        for record in candidates {
            examined()
            if record.isOf(shape), predicate?(record) ?? true, try !body(record) { return }
        }
    }
}
