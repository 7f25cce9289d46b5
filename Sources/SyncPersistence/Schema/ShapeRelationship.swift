/// A relationship of a shape, and where a store keeps it.
public struct ShapeRelationship: Hashable, Sendable {
    /// The relationship as it was defined, by the entity itself or the nearest that it inherits.
    public let definition: Relationship

    /// The topmost entity that declares it.
    public let declaredBy: String

    /// Where it is kept.
    public let storage: Storage

    /// Where a relationship is kept.
    public enum Storage: Hashable, Sendable {
        /// In a slot of the record itself. One that is exclusive is the only one that names its record; one that is
        /// symmetric is its own inverse.
        case reference(slot: String, isExclusive: Bool, isSymmetric: Bool)
        /// In a slot of the records at the other end, and where they have an order, their place in another.
        case inverse(slot: String, position: String?)
        /// In records of their own, of the shape with the given name.
        case links(String, LinkEnd)
    }

    package init(definition: Relationship, declaredBy: String, storage: Storage) {
        self.definition = definition
        self.declaredBy = declaredBy
        self.storage = storage
    }
}

/// Which of a link's two records a relationship starts from.
public enum LinkEnd: Hashable, Sendable {
    /// The first.
    case source
    /// The second.
    case target
    /// Either: the relationship is its own inverse.
    case both
}
