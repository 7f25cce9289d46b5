/// The records to read, and their order.
public struct Query: Hashable, Sendable {
    /// The name of the entity.
    ///
    /// Records of entities that inherit it are included.
    public var entity: String

    /// The condition, or nil for all records.
    public var filter: Filter?

    /// The values to sort by, the most important first.
    ///
    /// Records with equal values are in the order in which they were first stored, in either direction. So are all
    /// records if there are no sort keys. Nulls come first, or last in descending order.
    public var sort: [SortKey]

    /// How many records are omitted at the beginning.
    ///
    /// A negative number is an error when the query is evaluated.
    public var offset: Int

    /// How many records are read at most, or nil for all.
    ///
    /// A negative number is an error when the query is evaluated.
    public var limit: Int?

    /// The value to sort by, and the direction.
    public struct SortKey: Hashable, Sendable {
        /// The name of an attribute or relationship, or a path through relationships to one.
        public var path: String
        /// Whether greater values come first.
        public var isDescending: Bool

        /// Creates a sort key.
        ///
        /// - Parameters:
        ///   - path: The name of an attribute, or a path that ends at one. JSON has no order, so a JSON attribute is
        ///     refused.
        ///   - isDescending: Whether greater values come first, and nulls last.
        public init(_ path: String, isDescending: Bool = false) {
            self.path = path
            self.isDescending = isDescending
        }
    }

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - filter: The condition, or nil for all records.
    ///   - sort: The values to sort by, the most important first.
    ///   - offset: How many records are omitted at the beginning; not negative.
    ///   - limit: How many records are read at most, or nil for all; not negative.
    public init(
        _ entity: String, where filter: Filter? = nil, sort: [SortKey] = [], offset: Int = 0, limit: Int? = nil
    ) {
        self.entity = entity
        self.filter = filter
        self.sort = sort
        self.offset = offset
        self.limit = limit
    }
}
