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

    /// The slots of other records that name one of this shape, without a relationship of the shape that stands for
    /// them: references without an inverse, and links.
    package let incoming: [IncomingReference]

    /// What the library itself keeps in records of this shape, or nil for a record of the user's.
    package let role: Role?

    /// What makes tokens of the keys of its hierarchy.
    package let tokenSeed: UInt64

    /// Whether it is the root of its hierarchy.
    package let isRoot: Bool

    /// Whether the store counts the keys up.
    package let hasImplicitKey: Bool

    /// Whether a slot names another record.
    let hasReferences: Bool

    /// The slots that name other records, and what makes tokens of what those are connected with.
    package let membershipSeeds: [(slot: Int, seed: UInt64)]

    /// What each slot admits, in a form that is quickly looked at.
    let admissions: [SlotAdmission]

    private let slotsByName: [String: Int]
    private let relationshipsByName: [String: Int]

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
        isRoot = lineage.count < 2
        tokenSeed = RecordToken.seed(lineage.last ?? name)
        hasImplicitKey = keySlots.contains { slots[$0].name == Schema.implicitKey }
        hasReferences = slots.contains { if case .reference = $0.content { true } else { false } }
        membershipSeeds = slots.indices.compactMap { position in
            guard case .reference = slots[position].content else { return nil }
            let slot = slots[position]
            return (position, RecordToken.seed(slot.declaredBy, slot: slot.name))
        }
        slotsByName = Dictionary(zip(slots.map(\.name), slots.indices)) { first, _ in first }
        relationshipsByName = Dictionary(zip(relationships.map(\.definition.name), relationships.indices)) { first, _ in
            first
        }
        admissions = slots.map { SlotAdmission($0) }
    }
}

extension Shape {
    /// The position of the slot with a name, or nil if there is none. O(1)
    public func slot(named name: String) -> Int? { slotsByName[name] }

    /// The relationship with a name, or nil if there is none. O(1)
    public func relationship(named name: String) -> ShapeRelationship? {
        relationshipsByName[name].map { relationships[$0] }
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
        /// What is known of payloads that were synced.
        case payloads
        /// Records of pushes that were sent and not answered.
        case inFlight
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

/// A slot of other records that names records of a shape, without a relationship back.
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
