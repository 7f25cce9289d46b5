/// What the records of one entity look like: the entity with all that it inherits, and a slot for each value.
///
/// Records of one entity share a shape, so a record is no more than its shape and an array of values.
public final class Shape: Sendable {
    /// The name of the entity.
    public let name: String

    /// The name of the topmost entity that this one inherits, or its own.
    ///
    /// The records of all entities that inherit one root have their keys in common.
    public let root: String

    /// The names of the entities that this one inherits, from itself up to the root.
    public let lineage: [String]

    /// Whether no record has this shape itself.
    public let isAbstract: Bool

    /// The slots of a record: the attributes, then the to-one relationships that are stored with it.
    public let slots: [Slot]

    /// The positions of the primary key's parts among the slots.
    public let keySlots: [Int]

    /// All relationships, inherited ones first.
    public let relationships: [ShapeRelationship]

    /// The relationships of other entities without an inverse that lead here, and what is to become of them.
    package let incoming: [IncomingReference]

    /// What the library itself keeps in records of this shape, or nil for a record of the user's.
    package let role: Role?

    /// Whether a slot names another record.
    let hasReferences: Bool

    private let slotsByName: [String: Int]

    package init(
        name: String, lineage: [String], isAbstract: Bool, slots: [Slot], keySlots: [Int],
        relationships: [ShapeRelationship], incoming: [IncomingReference], role: Role?
    ) {
        self.name = name
        self.root = lineage.last ?? name
        self.lineage = lineage
        self.isAbstract = isAbstract
        self.slots = slots
        self.keySlots = keySlots
        self.relationships = relationships
        self.incoming = incoming
        self.role = role
        hasReferences = slots.contains { if case .reference = $0.content { true } else { false } }
        slotsByName = Dictionary(zip(slots.map(\.name), slots.indices)) { first, _ in first }
    }
}

extension Shape {
    /// The position of the slot with a name, or nil if there is none. O(1)
    public func slot(named name: String) -> Int? { slotsByName[name] }

    /// The relationship with a name, or nil if there is none.
    public func relationship(named name: String) -> ShapeRelationship? {
        relationships.first { $0.definition.name == name }
    }

    /// Whether records of this shape are records of an entity, itself or one that it inherits.
    public func inherits(_ entity: String) -> Bool { lineage.contains(entity) }

    /// What the library itself keeps in records of a shape.
    package enum Role: Hashable, Sendable {
        /// Old images of the records of an entity.
        case journal(of: String)
        /// Which records are connected by a to-many relationship.
        case links
        /// What is known by name.
        case metadata
        /// What has been deleted.
        case tombstones
    }
}

extension Shape: Hashable {
    /// Whether both are the same shape of one schema.
    public static func == (left: Shape, right: Shape) -> Bool {
        left === right || left.name == right.name && left.slots == right.slots && left.lineage == right.lineage
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// One value of a record's shape.
public struct Slot: Hashable, Sendable {
    /// The name of the attribute or relationship.
    public let name: String

    /// What it holds.
    public let content: Content

    /// Whether it may be null.
    public let isOptional: Bool

    /// What a new record has where none is given.
    public let defaultValue: Value

    /// Whether a store keeps an index of it.
    public let isIndexed: Bool

    /// The entity that declares it.
    public let declaredBy: String

    /// Its name in an older schema.
    public let renamedFrom: String?

    /// Whether it is kept by the library, and not a property of the schema.
    public let isInternal: Bool

    /// What a slot holds.
    public enum Content: Hashable, Sendable {
        /// An attribute's value.
        case attribute(AttributeType)
        /// The key of a record of another entity, whose parts have the given types; of several parts, an array.
        ///
        /// Where it is not enforced, it may name a record that is not there.
        case reference(to: String, [AttributeType], isEnforced: Bool)
    }

    package init(
        _ name: String, _ content: Content, isOptional: Bool = true, default defaultValue: Value = .null,
        isIndexed: Bool = false, declaredBy: String, renamedFrom: String? = nil, isInternal: Bool = false
    ) {
        self.name = name
        self.content = content
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isIndexed = isIndexed
        self.declaredBy = declaredBy
        self.renamedFrom = renamedFrom
        self.isInternal = isInternal
    }

    /// The types of the columns that it takes: one, or the parts of a composite key.
    public var columnTypes: [AttributeType] {
        switch content {
        case .attribute(let type): [type]
        case .reference(_, let types, _): types
        }
    }

    /// Whether a value may stand here; null may where the slot is optional.
    public func admits(_ value: Value) -> Bool {
        if value.isNull { return isOptional }
        switch content {
        case .attribute(let type): return type.admits(value)
        case .reference(_, let types, _):
            if types.count == 1 { return types[0].admits(value) }
            guard case .array(let parts) = value, parts.count == types.count else { return false }
            return zip(types, parts).allSatisfy { !$1.isNull && $0.admits($1) }
        }
    }
}

/// A relationship of a shape, and where a store keeps it.
public struct ShapeRelationship: Hashable, Sendable {
    /// The relationship as it was defined.
    public let definition: Relationship

    /// The entity that declares it.
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

/// A slot or link of another entity that names records of a shape, without a relationship back.
package struct IncomingReference: Hashable, Sendable {
    /// The shape whose records name the record.
    package let shape: String
    /// The slot that does.
    package let slot: String

    package init(shape: String, slot: String) {
        self.shape = shape
        self.slot = slot
    }
}

extension Shape {
    package func firstInvalidSlot(_ values: [Value]) -> Int? {
        slots.indices.first { !slots[$0].admits(values[$0]) }
    }
}
