import SyncPersistence

/// The exported keys and slots of one shape's records, in the order of writing.
final class ExportPlan {
    /// The shape whose records the plan writes.
    ///
    /// A record of an inheriting entity has a plan of its own.
    let shape: Shape
    /// The members of an object that is written with its relationships.
    let members: [Member]
    /// The members of an object that is written with its attributes alone.
    let attributes: [Member]
    /// The members that identify a record; empty if there are none.
    let key: [Member]
    /// The relationships that are written.
    let relationships: [ExportedRelationship]
    /// The attributes whose values come from the place of the record in the document.
    let sources: ExportedSources

    /// A member of an object.
    struct Member {
        /// The key of the document under which the member is written.
        let key: Key
        /// What is written under the key.
        let content: Content

        /// The content of a member.
        enum Content {
            /// A value that is the same in all objects, such as that of a discriminator.
            case constant(Value)
            /// The value of an attribute.
            case attribute(ExportedAttribute)
            /// The index of an exported relationship.
            case relationship(Int)
            /// An object that contains members with longer paths.
            case object([Member])
        }
    }

    /// A key of exported objects, encoded once.
    final class Key: Sendable {
        /// The name of the attribute in the schema, for errors.
        let name: String
        /// The key in quotes and the colon, in UTF-8.
        let bytes: [UInt8]

        /// Encodes a key for a layout.
        init(_ name: String, _ format: JSONFormat) {
            self.name = name
            var writer = JSONWriter(format: format)
            writer.write(name)
            writer.colon()
            bytes = writer.bytes
        }
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

    /// Whether an object may be empty.
    private(set) lazy var mayBeEmpty = attributes.allSatisfy(Self.mayBeLeftOut)

    /// Whether an object may omit a member.
    private static func mayBeLeftOut(_ member: Member) -> Bool {
        switch member.content {
        case .constant: false
        case .attribute(let attribute): attribute.omitsNull
        case .relationship: true
        case .object(let members): members.allSatisfy(mayBeLeftOut)
        }
    }

    /// Returns the index of a relationship among the exported ones; nil if it is not exported.
    func position(of relationship: String) -> Int? {
        relationships.firstIndex { $0.relationship.definition.name == relationship }
    }
}

/// An attribute with what an export needs for each of its values: slot, conversion, and when it is omitted.
final class ExportedAttribute {
    /// The name of the attribute in the schema.
    let name: String
    /// The type of the attribute in the schema.
    let type: AttributeType
    /// The position of its value in a record of the plan's shape.
    let slot: Int
    /// Whether the attribute is omitted if it is null.
    let omitsNull: Bool
    /// Whether the attribute belongs to the key of the record or of its parent.
    ///
    /// Objects of parts omit it.
    let isKey: Bool
    /// Converts a stored value to the exported one; nil for an attribute without a transformer.
    ///
    /// If the conversion returns nil, null is exported.
    let transformer: (@Sendable (Value) throws -> Value?)?

    init(
        name: String, type: AttributeType, slot: Int, omitsNull: Bool, isKey: Bool = false,
        transformer: (@Sendable (Value) throws -> Value?)?
    ) {
        self.name = name
        self.type = type
        self.slot = slot
        self.omitsNull = omitsNull
        self.isKey = isKey
        self.transformer = transformer
    }
}

extension ExportedAttribute {
    /// Whether a value is omitted.
    @inline(__always)
    func omits(_ value: Value) -> Bool { omitsNull && value.isNull || isKey && value.isPartKey }
}

/// A relationship with what an export writes of the records at its other end.
final class ExportedRelationship {
    /// The relationship in the schema.
    let relationship: ShapeRelationship
    /// Whether it leads to any number of records, which are written as an array.
    let isToMany: Bool
    /// The to-one relationship back to the owner, which nesting implies.
    let impliedInverse: String?
    /// The number of objects and arrays around a target's object, within the object of the record.
    let depth: Int
    /// The attribute whose exported value replaces a target's object; nil if objects are written.
    let id: ExportedAttribute?
    /// The names of the objects around each element of the array.
    let wrappers: [String]

    /// Whether the relationship leads to parts of the record, which have no keys.
    let hasParts: Bool
    /// Whether values can replace the objects.
    let mayBeElements: Bool
    /// Whether the objects can be members of a map.
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
