/// A relationship of a shape, and where a store keeps it.
public struct ShapeRelationship: Hashable, Sendable {
    /// The definition by the entity itself, or by the nearest one that it inherits.
    public let definition: Relationship

    /// The topmost entity that declares it.
    public let declaredBy: String

    /// Where it is stored.
    public let storage: Storage

    /// Where a relationship is stored.
    public enum Storage: Hashable, Sendable {
        /// In a slot of the record itself.
        ///
        /// An exclusive reference is the only one to its record. A symmetric one is its own inverse.
        case reference(slot: String, isExclusive: Bool, isSymmetric: Bool)
        /// In a slot of the records at the other end.
        ///
        /// If they have an order, their positions are in another slot.
        case inverse(slot: String, position: String?)
        /// In records of its own, whose shape has the given name.
        case links(String, LinkEnd)
    }

    /// Creates the relationship of a shape.
    init(definition: Relationship, declaredBy: String, storage: Storage) {
        self.definition = definition
        self.declaredBy = declaredBy
        self.storage = storage
    }
}

/// The record of a link from which a relationship starts.
public enum LinkEnd: Hashable, Sendable {
    /// The first record.
    case source
    /// The second record.
    case target
    /// Either record: the relationship is its own inverse.
    case both
}

extension LinkEnd {
    /// The slot with the record at the start of the relationship.
    package var near: String { self == .target ? "target" : "source" }
    /// The slot with the record at its other end.
    package var far: String { self == .target ? "source" : "target" }
    /// The slot with the place in the order, if there is one.
    package var position: String { self == .target ? "inversePosition" : "position" }
}
