import SyncPersistence

/// A query, and the values of records on which its results depend.
struct QueryDependencies: Sendable {
    /// The query with its names resolved in the schema, by which records are tested and ordered.
    let query: BoundQuery

    /// The values of related records that determine filter and order.
    private let related: SlotDependencies

    /// Finds the dependencies of a query.
    ///
    /// - Throws: `PersistenceError` for a query that does not match the schema.
    init(_ query: Query, in schema: Schema) throws {
        self.query = try BoundQuery(query, in: schema)
        var related = SlotDependencies()
        for path in (self.query.filter?.paths ?? []) + self.query.sort.map(\.path) { related.insert(path) }
        self.related = related
    }
}

extension QueryDependencies {
    /// A changed record, as far as it matches the filter of a query.
    struct Transition {
        /// The record before the commit; nil if it did not match.
        let old: Record?
        /// The record after the commit; nil if it does not match.
        let new: Record?
        /// Whether the record is stored after all others.
        let isInserted: Bool
    }

    /// Returns the records that a commit changes among those that match the filter; nil if only the store can tell.
    ///
    /// - Complexity: O(number of changes)
    func transitions(in commit: Commit) -> [Transition]? {
        let own = commit.changes.filter { change in
            change.new?.shape.inherits(query.shape.name) == true || change.old?.shape.inherits(query.shape.name) == true
        }
        if !related.isEmpty {
            return own.isEmpty && !related.areChanged(by: commit) ? [] : nil
        }
        if own.isEmpty { return [] }
        if commit.hasReinsertions { return nil }
        let isMatch = query.filter?.predicate { _, _ in nil }
        func matching(_ record: Record?) -> Record? {
            guard let record, record.shape.inherits(query.shape.name), isMatch?(record) ?? true else { return nil }
            return record
        }
        return own.compactMap { change in
            let (old, new) = (matching(change.old), matching(change.new))
            return old == nil && new == nil
                ? nil : Transition(old: old, new: new, isInserted: change.old == nil)
        }
    }
}
