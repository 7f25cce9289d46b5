/// The definition of one kind of record.
///
/// ```swift
/// let schema = try Schema {
///     Entity("User") {
///         Attribute("id", .integer, isPrimaryKey: true)
///         Attribute("name", .string)
///         Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
///     }
///     Entity("Post") {
///         Attribute("id", .integer, isPrimaryKey: true)
///         Attribute("text", .string, isOptional: false, default: "")
///         Relationship("author", to: "User", inverse: "posts")
///     }
/// }
/// ```
public struct Entity: Hashable, Sendable {
    /// The name, unique in its schema.
    public var name: String

    /// The entity whose properties this one inherits.
    public var parent: String?

    /// Whether no record is of this entity itself, only of those that inherit it.
    public var isAbstract: Bool

    /// Its own attributes, without the inherited ones.
    public var attributes: [Attribute]

    /// Its own relationships, without the inherited ones.
    public var relationships: [Relationship]

    /// What else is noted of it.
    public var userInfo: [String: String]

    /// Its name in an older schema, so that what is stored under it is kept; it may stand here for good.
    public var renamedFrom: String?

    /// An entity.
    ///
    /// - Parameters:
    ///   - name: The name, unique in its schema.
    ///   - parent: The entity whose properties it inherits.
    ///   - isAbstract: Whether no record is of this entity itself.
    ///   - attributes: Its own attributes.
    ///   - relationships: Its own relationships.
    ///   - userInfo: What else is noted of it.
    ///   - renamedFrom: Its name in an older schema.
    public init(
        _ name: String, parent: String? = nil, isAbstract: Bool = false, attributes: [Attribute] = [],
        relationships: [Relationship] = [], userInfo: [String: String] = [:], renamedFrom: String? = nil
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.userInfo = userInfo
        self.renamedFrom = renamedFrom
    }

    /// An entity with the properties that are listed.
    ///
    /// See ``init(_:parent:isAbstract:attributes:relationships:userInfo:renamedFrom:)``.
    public init(
        _ name: String, parent: String? = nil, isAbstract: Bool = false, userInfo: [String: String] = [:],
        renamedFrom: String? = nil, @PropertyBuilder properties: () -> PropertyList
    ) {
        let properties = properties()
        self.init(
            name, parent: parent, isAbstract: isAbstract, attributes: properties.attributes,
            relationships: properties.relationships, userInfo: userInfo, renamedFrom: renamedFrom)
    }
}

/// Attributes and relationships, as they are listed in an ``Entity``.
public struct PropertyList: Hashable, Sendable {
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
}

/// Makes a ``PropertyList`` of the attributes and relationships that are listed.
@resultBuilder
public enum PropertyBuilder {
    /// An attribute.
    public static func buildExpression(_ attribute: Attribute) -> PropertyList {
        PropertyList(attributes: [attribute])
    }

    /// A relationship.
    public static func buildExpression(_ relationship: Relationship) -> PropertyList {
        PropertyList(relationships: [relationship])
    }

    /// All that is listed.
    public static func buildBlock(_ lists: PropertyList...) -> PropertyList { buildArray(lists) }

    /// What a loop lists.
    public static func buildArray(_ lists: [PropertyList]) -> PropertyList {
        PropertyList(attributes: lists.flatMap(\.attributes), relationships: lists.flatMap(\.relationships))
    }

    /// What stands under a condition.
    public static func buildOptional(_ list: PropertyList?) -> PropertyList { list ?? PropertyList() }

    /// What stands under a condition.
    public static func buildEither(first list: PropertyList) -> PropertyList { list }

    /// What stands under the opposite of a condition.
    public static func buildEither(second list: PropertyList) -> PropertyList { list }
}
