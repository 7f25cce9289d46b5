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

    /// The name of the entity whose properties this one inherits.
    public var parent: String?

    /// Whether it has no records itself, only those of entities that inherit it.
    public var isAbstract: Bool

    /// Its own attributes, without the inherited ones.
    public var attributes: [Attribute]

    /// Its own relationships, without the inherited ones.
    public var relationships: [Relationship]

    /// Additional information about the entity.
    public var userInfo: [String: String]

    /// The name in an older schema.
    ///
    /// Records that are stored under it are kept. The hint may remain permanently.
    public var renamedFrom: String?

    /// Creates an entity.
    ///
    /// - Parameters:
    ///   - name: The name, unique in its schema.
    ///   - parent: The name of the entity whose properties it inherits.
    ///   - isAbstract: Whether it has no records itself.
    ///   - attributes: Its own attributes.
    ///   - relationships: Its own relationships.
    ///   - userInfo: Additional information about the entity.
    ///   - renamedFrom: The name in an older schema.
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

    /// Creates an entity with the listed properties.
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

/// The attributes and relationships that are listed in an ``Entity``.
public struct PropertyList: Hashable, Sendable {
    /// The attributes, in the order of their declaration.
    var attributes: [Attribute] = []
    /// The relationships, in the order of their declaration.
    var relationships: [Relationship] = []
}

/// A result builder that creates a ``PropertyList`` from listed attributes and relationships.
@resultBuilder
public enum PropertyBuilder {
    /// Returns a list of one attribute.
    public static func buildExpression(_ attribute: Attribute) -> PropertyList {
        PropertyList(attributes: [attribute])
    }

    /// Returns a list of one relationship.
    public static func buildExpression(_ relationship: Relationship) -> PropertyList {
        PropertyList(relationships: [relationship])
    }

    /// Joins the listed properties.
    public static func buildBlock(_ lists: PropertyList...) -> PropertyList { buildArray(lists) }

    /// Joins the properties of a loop.
    public static func buildArray(_ lists: [PropertyList]) -> PropertyList {
        PropertyList(attributes: lists.flatMap(\.attributes), relationships: lists.flatMap(\.relationships))
    }

    /// Returns the properties under a condition; none if it is false.
    public static func buildOptional(_ list: PropertyList?) -> PropertyList { list ?? PropertyList() }

    /// Returns the properties under a condition.
    public static func buildEither(first list: PropertyList) -> PropertyList { list }

    /// Returns the properties under the opposite of a condition.
    public static func buildEither(second list: PropertyList) -> PropertyList { list }
}
