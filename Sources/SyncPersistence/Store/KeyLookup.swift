/// Keys of one hierarchy that a transaction is about to look up.
///
/// ``RecordStorage/prefetch(_:)`` receives them, so that a store at the other end of a network reads the records of
/// thousands of keys in a few round trips.
public struct KeyLookup: Hashable, Sendable {
    /// The root of the hierarchy, or a shape without one, such as that of a journal.
    public let hierarchy: Shape

    /// The keys, which may be repeated.
    public let keys: [Value]

    /// Creates the lookup of keys in the hierarchy of a shape.
    public init(_ keys: [Value], in hierarchy: Shape) {
        (self.keys, self.hierarchy) = (keys, hierarchy)
    }
}
