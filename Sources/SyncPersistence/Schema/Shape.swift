/// The structure of one entity's records: the entity with everything that it inherits, and a slot for each value.
///
/// Records of one entity share a shape. So a record is only its shape and an array of values.
public final class Shape: Sendable {
    /// The name of the entity.
    public let name: String

    /// The name of the topmost entity that this one inherits, or its own.
    ///
    /// A key identifies one record among the records of all entities with the same root.
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

    /// The slots of other records that refer to records of this shape, without a relationship of the shape that covers
    /// them.
    ///
    /// They are references without an inverse, and links.
    package let incoming: [IncomingReference]

    /// The kind of the library's own records with this shape; nil for the user's records.
    package let role: Role?

    /// The seed for tokens of the keys of its hierarchy.
    let tokenSeed: UInt64

    /// Whether it is the root of its hierarchy.
    package let isRoot: Bool

    /// Whether the store counts up its keys.
    package let hasImplicitKey: Bool

    /// Whether a slot refers to another record.
    let hasReferences: Bool

    /// Whether a record has places in ordered relationships of others.
    let hasPlaces: Bool

    /// The slots with places in the orders of other records.
    let placeSlots: [Int]

    /// The positions and destinations of the slots whose references must lead to a record.
    package let enforcedReferences: [(slot: Int, destination: String)]

    /// Whether only one record may refer to another one by one of the slots.
    package let hasExclusiveReferences: Bool

    /// The slots that refer to other records, and the seeds for tokens of these connections.
    package let membershipSeeds: [(slot: Int, seed: UInt64)]

    /// The positions of the slots in the order of their names.
    let slotsByNameOrder: [(position: Int, name: ContentDigest.Text)]

    /// The name as fingerprints have it.
    let digestedName: ContentDigest.Text

    /// The values that each slot admits, in a form that is checked quickly.
    let admissions: [SlotAdmission]

    /// The positions of the slots, by name.
    private let slotsByName: [String: Int]
    /// The positions of the relationships, by name.
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
        placeSlots = slots.indices.filter { slots[$0].isInternal && !keySlots.contains($0) }
        hasPlaces = role == nil && !placeSlots.isEmpty
        enforcedReferences = slots.indices.compactMap { position in
            guard case .reference(let destination, _, true) = slots[position].content else { return nil }
            return (position, destination)
        }
        hasExclusiveReferences = relationships.contains {
            if case .reference(_, true, _) = $0.storage { true } else { false }
        }
        membershipSeeds = slots.indices.compactMap { position in
            guard case .reference = slots[position].content else { return nil }
            let slot = slots[position]
            return (position, RecordToken.seed(slot.declaredBy, slot: slot.name))
        }
        slotsByName = Dictionary(zip(slots.map(\.name), slots.indices)) { first, _ in first }
        relationshipsByName = Dictionary(zip(relationships.map(\.definition.name), relationships.indices)) { first, _ in
            first
        }
        slotsByNameOrder = slots.indices.sorted { slots[$0].name < slots[$1].name }.map {
            ($0, ContentDigest.Text(slots[$0].name))
        }
        digestedName = ContentDigest.Text(name)
        admissions = slots.map { SlotAdmission($0) }
    }
}

extension Shape {
    /// Returns the position of the slot with a name, or nil if there is none.
    ///
    /// - Complexity: O(1)
    public func slot(named name: String) -> Int? { slotsByName[name] }

    /// Returns the relationship with a name, or nil if there is none.
    ///
    /// - Complexity: O(1)
    public func relationship(named name: String) -> ShapeRelationship? {
        relationshipsByName[name].map { relationships[$0] }
    }

    /// Whether records of this shape are records of an entity: its own, or one that it inherits.
    public func inherits(_ entity: String) -> Bool { lineage.contains(entity) }

    /// The kind of the library's own records.
    package enum Role: Hashable, Sendable {
        /// Old images of the records of an entity.
        case journal(of: String)
        /// Connections between records by a to-many relationship.
        case links
        /// Metadata by name.
        case metadata
        /// The last changes of records.
        case history
        /// Memories of synced payloads.
        case payloads
        /// Records of pushes that were sent and have no response yet.
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

/// A slot of other records that refers to records of a shape, without a relationship back.
package struct IncomingReference: Hashable, Sendable {
    /// The name of the shape that has the slot.
    package let shape: String
    /// The name of the slot.
    package let slot: String

    /// Creates a reference from a slot of a shape.
    package init(shape: String, slot: String) {
        self.shape = shape
        self.slot = slot
    }
}
