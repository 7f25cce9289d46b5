/// A ``Query`` that is resolved and checked against a schema: it can no longer fail.
///
/// For the authors of adapters.
package struct BoundQuery: Hashable, Sendable {
    /// The shape of the entity; records of those that inherit it are meant too.
    package let shape: Shape

    /// The condition, or nil for all records.
    package let filter: BoundFilter?

    /// What to sort by: nulls first, or last where greater values come first; at last by the order in which the records
    /// were first stored.
    package let sort: [SortKey]

    /// How many records to leave out at the beginning.
    package let offset: Int

    /// How many records at most, or nil for all.
    package let limit: Int?

    /// A path to sort by.
    package struct SortKey: Hashable, Sendable {
        /// The path, whose end has an order.
        package let path: BoundPath
        /// Whether greater values come first, and nulls last.
        package let isDescending: Bool
    }

    /// Resolves and checks a query.
    ///
    /// - Throws: ``PersistenceError`` for a name that the schema does not have, a value that an attribute cannot be
    ///   compared with, a sort key without an order, a filter that is nested too deep, and a negative offset or limit.
    package init(_ query: Query, in schema: Schema) throws {
        for (name, number) in [("offset", query.offset), ("limit", query.limit ?? 0)] where number < 0 {
            throw PersistenceError(
                .negativeNumber, "a query of '\(query.entity)' has the \(name) \(number): give 0 or more")
        }
        guard let shape = schema[query.entity] else {
            throw PersistenceError(.unknownName, "the schema has no entity '\(query.entity)'")
        }
        self.shape = shape
        filter = try query.filter.map { try BoundFilter($0, of: shape, in: schema) }
        sort = try query.sort.map { key in
            let path = try BoundPath(key.path, from: shape, in: schema)
            if !path.isOrdered { throw path.wrongType("is \(path.kind), which has no order: sort by another") }
            return SortKey(path: path, isDescending: key.isDescending)
        }
        offset = query.offset
        limit = query.limit
    }
}

extension BoundQuery {
    /// How many records the query means, of as many that match its filter.
    package func count(ofMatching count: Int) -> Int {
        min(max(count - offset, 0), limit ?? .max)
    }

    /// How many records are enough, counted from the first that matches; nil if all are needed.
    package var sufficientCount: Int? {
        guard let limit else { return nil }
        let (sum, isTooLarge) = offset.addingReportingOverflow(limit)
        return isTooLarge ? nil : sum
    }
}

extension PersistenceError.Code {
    /// A query has a negative offset or limit.
    public static let negativeNumber = PersistenceError.Code("negativeNumber")
}
