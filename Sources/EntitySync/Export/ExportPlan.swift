import SyncPersistence

/// What is exported of the records of one shape: keys and slots in the order in which they are written.
final class ExportPlan {
    let shape: Shape
    /// What stands in an object that is written with its relationships.
    let members: [Member]
    /// What stands in one that is written with its attributes alone.
    let attributes: [Member]
    /// What tells a record from others; empty if nothing does.
    let key: [Member]
    /// The relationships that are written.
    let relationships: [ExportedRelationship]
    /// What the record's attributes take from where it stands.
    let sources: ExportedSources

    /// What stands in an object.
    indirect enum Member {
        case constant(ExportKey, Value)
        case attribute(ExportKey, ExportedAttribute)
        case relationship(ExportKey, Int)
        case group(ExportKey, [Member])
    }

    init(
        _ shape: Shape, members: [Member], attributes: [Member], key: [Member], relationships: [ExportedRelationship],
        sources: ExportedSources
    ) {
        self.shape = shape
        self.members = members
        self.attributes = attributes
        self.key = key
        self.relationships = relationships
        self.sources = sources
    }

    /// Whether there may be nothing in an object of it.
    private(set) lazy var mayBeEmpty = attributes.allSatisfy(Self.mayBeLeftOut)

    private static func mayBeLeftOut(_ member: Member) -> Bool {
        switch member {
        case .constant: false
        case .attribute(_, let attribute): attribute.omitsNull
        case .relationship: true
        case .group(_, let members): members.allSatisfy(mayBeLeftOut)
        }
    }

    /// The place of a relationship among those that are written; nil if it is not.
    func position(of relationship: String) -> Int? {
        relationships.firstIndex { $0.relationship.definition.name == relationship }
    }
}

/// An attribute, and what its values are exported as.
final class ExportedAttribute {
    let name: String
    let slot: Int
    /// Whether it is left out where it is null.
    let omitsNull: Bool
    /// Whether it is the primary key, or that of the parent, which is left out of an object of a part.
    let isKey: Bool
    let transformer: (@Sendable (Value) throws -> Value?)?

    init(
        name: String, slot: Int, omitsNull: Bool, isKey: Bool = false,
        transformer: (@Sendable (Value) throws -> Value?)?
    ) {
        self.name = name
        self.slot = slot
        self.omitsNull = omitsNull
        self.isKey = isKey
        self.transformer = transformer
    }
}

extension ExportedAttribute {
    /// Whether a value is not written.
    @inline(__always)
    func omits(_ value: Value) -> Bool { omitsNull && value.isNull || isKey && value.isPartKey }
}

/// A relationship, and how the records that it leads to are exported.
final class ExportedRelationship {
    let relationship: ShapeRelationship
    let isToMany: Bool
    /// The relationship back to one record, which nesting implies.
    let impliedInverse: String?
    /// How many objects and arrays stand around an object that it leads to, within that of the record.
    let depth: Int
    /// What makes of a key what is exported of it, where that is all; nil where records are.
    let id: ExportedAttribute?
    /// The names of the objects around each element of its array.
    let wrappers: [String]

    /// Whether it leads to parts of the record, which have no keys.
    let hasParts: Bool
    /// Whether values may stand in the place of the objects, and whether these may stand in a map.
    let mayBeElements: Bool
    let mayBeMap: Bool

    init(
        relationship: ShapeRelationship, isToMany: Bool, impliedInverse: String?, depth: Int, id: ExportedAttribute?,
        wrappers: [String], hasParts: Bool, mayBeElements: Bool, mayBeMap: Bool
    ) {
        self.relationship = relationship
        self.isToMany = isToMany
        self.impliedInverse = impliedInverse
        self.depth = depth
        self.id = id
        self.wrappers = wrappers
        self.hasParts = hasParts
        self.mayBeElements = mayBeElements
        self.mayBeMap = mayBeMap
    }
}
