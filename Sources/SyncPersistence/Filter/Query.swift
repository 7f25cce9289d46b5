/// Which records to read, and in which order.
public struct Query: Hashable, Sendable {
    /// The entity; records of those that inherit it are meant too.
    public var entity: String

    /// The condition, or nil for all records.
    public var filter: Filter?

    /// What to sort by, the most important first.
    ///
    /// Records that are equal by it, and all where it is empty, stand in the order in which they were first stored,
    /// whatever the direction. Null comes first, or last where greater values come first.
    public var sort: [SortKey]

    /// How many records to leave out at the beginning.
    ///
    /// A negative number is an error when the query is evaluated.
    public var offset: Int

    /// How many records at most, or nil for all.
    ///
    /// A negative number is an error when the query is evaluated.
    public var limit: Int?

    /// The value to sort by, and the direction.
    public struct SortKey: Hashable, Sendable {
        /// The name of an attribute or relationship, or a path over relationships to one.
        public var path: String
        /// Whether greater values come first.
        public var isDescending: Bool

        /// A sort key.
        public init(_ path: String, isDescending: Bool = false) {
            self.path = path
            self.isDescending = isDescending
        }
    }

    /// A query.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - filter: The condition, or nil for all records.
    ///   - sort: What to sort by, the most important first.
    ///   - offset: How many records to leave out at the beginning; not negative.
    ///   - limit: How many records at most, or nil for all; not negative.
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
