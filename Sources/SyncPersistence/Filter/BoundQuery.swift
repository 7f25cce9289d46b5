/// A ``Query`` that is resolved and checked against a schema, so that it cannot fail.
///
/// Adapters evaluate it, or translate it to the language of a database.
package struct BoundQuery: Hashable, Sendable {
    /// The shape of the entity.
    ///
    /// Records of entities that inherit it are included.
    package let shape: Shape

    /// The condition, or nil for all records.
    package let filter: BoundFilter?

    /// The paths to sort by.
    ///
    /// Nulls come first, or last in descending order.
    ///
    /// Records with equal values are in the order in which they were first stored.
    package let sort: [SortKey]

    /// How many records are omitted at the beginning.
    package let offset: Int

    /// How many records are selected at most, or nil for all.
    package let limit: Int?

    /// A path to sort by.
    package struct SortKey: Hashable, Sendable {
        /// The path, whose values have an order.
        package let path: BoundPath
        /// Whether greater values come first, and nulls last.
        package let isDescending: Bool
    }

    /// Creates a resolved and checked query.
    ///
    /// - Throws: ``PersistenceError`` for an unknown name, or for a value that an attribute cannot be compared with. It
    ///   also throws for a sort key without an order, an invalid filter, and a negative offset or limit.
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
    /// Returns how many records the query selects if `count` records match its filter.
    func count(ofMatching count: Int) -> Int {
        min(max(count - offset, 0), limit ?? .max)
    }

    /// How many matching records suffice, counted from the first; nil if all are necessary.
    var sufficientCount: Int? {
        guard let limit else { return nil }
        let (sum, isTooLarge) = offset.addingReportingOverflow(limit)
        return isTooLarge ? nil : sum
    }
}

extension PersistenceError.Code {
    /// A query has a negative offset or limit.
    public static let negativeNumber = PersistenceError.Code("negativeNumber")
}
