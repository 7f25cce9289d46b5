/// The entities of a store, checked and resolved.
///
/// ```swift
/// let schema = try Schema {
///     Entity("Note") {
///         Attribute("id", .uuid, isPrimaryKey: true)
///         Attribute("text", .string, isOptional: false, default: "")
///     }
/// }
/// ```
///
/// An entity without a primary key gets one: an integer named ``Schema/implicitKey``, which the store counts up.
public struct Schema: Sendable {
    /// The entities as they were defined.
    public let entities: [Entity]

    /// The shapes of the entities' records, in the order of the entities.
    public let shapes: [Shape]

    /// The shapes of the library's own records: links, journal, history and metadata.
    package let internalShapes: [Shape]

    /// The shapes of records that are synchronized: those of the app, and those of links.
    package let synchronizedShapes: [Shape]

    /// The order in which those records can be stored.
    package let referenceOrder: ReferenceOrder

    /// The shapes of the app's and of the library's own records, by name.
    private let shapesByName: [String: Shape]
    /// The shapes of each hierarchy, by the name of its root.
    private let shapesByRoot: [String: [Shape]]

    /// The name of the primary key of an entity that defines none.
    public static let implicitKey = "sync.id"

    /// Creates a schema of entities.
    ///
    /// - Throws: ``SchemaError`` with all faults, each with the names of the entity and the property.
    /// - Complexity: O(number of properties, inherited ones counted for each entity)
    public init(_ entities: [Entity]) throws(SchemaError) {
        let faults = SchemaValidation(entities).faults
        if !faults.isEmpty { throw SchemaError(faults: faults) }
        self.init(sound: entities)
    }

    /// Creates a schema of entities that are known to be valid.
    init(sound entities: [Entity]) {
        let resolution = SchemaResolution(entities)
        self.entities = entities
        shapes = resolution.shapes
        internalShapes = resolution.internalShapes
        let all = shapes + internalShapes
        let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
        shapesByName = named
        synchronizedShapes = shapes + internalShapes.filter { $0.role == .links }
        referenceOrder = ReferenceOrder(synchronizedShapes) { named[$0] }
        // A root may be defined after its heirs.
        shapesByRoot = Dictionary(grouping: all, by: \.root).mapValues { shapes in
            shapes.filter { $0.name == $0.root } + shapes.filter { $0.name != $0.root }
        }
    }

    /// Creates a schema of the listed entities.
    ///
    /// See ``init(_:)``.
    public init(@EntityBuilder _ entities: () -> [Entity]) throws(SchemaError) {
        try self.init(entities())
    }

    /// Returns this schema with more entities.
    ///
    /// An entity that the schema already has, with the same definition, is not changed. Adapters use it:
    /// ``PersistenceAdapter/add(_:)`` gives the result to a store. The existing shapes keep their slots, so
    /// ``Record/init(_:slots:)`` makes a stored record one of the new schema.
    ///
    /// - Throws: ``PersistenceError`` if an entity with the same name has another definition, or the name has other
    ///   Unicode scalars; ``SchemaError`` if the new schema would be invalid.
    public func adding(_ entities: [Entity]) throws -> Schema {
        try requireSpelling(of: entities)
        var all = self.entities
        var known = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        var changed: [String] = []
        for entity in entities {
            switch known[entity.name] {
            case nil:
                all.append(entity)
                known[entity.name] = entity
            case entity: break
            default: changed.append("'\(entity.name)'")
            }
        }
        if !changed.isEmpty {
            throw PersistenceError(
                .schemaChange,
                "the store has \(changed.joined(separator: ", ")) with another definition: only new entities can be added"
            )
        }
        return all.count == self.entities.count ? self : try Schema(all)
    }

    /// The shape of an entity's records, or nil for an unknown entity.
    ///
    /// - Complexity: O(1)
    public subscript(entity: String) -> Shape? { shapesByName[entity] }

    /// Returns all shapes with the same root as the given one.
    ///
    /// The root's shape is first, then the others in the order of their definitions.
    ///
    /// - Complexity: O(1)
    public func hierarchy(of shape: Shape) -> [Shape] { shapesByRoot[shape.root] ?? [] }

    /// Returns the shape of the journal of a shape's records, or nil if they have none.
    ///
    /// - Complexity: O(1)
    package func journal(of shape: Shape) -> Shape? { self[JournalShape.name(of: shape.name)] }

    /// The root of each hierarchy of records, including the library's own.
    ///
    /// An adapter must provide storage for each of them. The library's own records are links, journal, history and
    /// metadata; their names begin with `sync.`.
    ///
    /// - Complexity: O(number of shapes)
    public var roots: [Shape] { (shapes + internalShapes).filter { $0.name == $0.root } }
}

extension Schema: Hashable {
    /// Whether both have the same definitions.
    public static func == (left: Schema, right: Schema) -> Bool { left.entities == right.entities }

    /// Hashes the definitions.
    public func hash(into hasher: inout Hasher) { hasher.combine(entities) }
}

/// A result builder that creates an array from listed entities.
@resultBuilder
public enum EntityBuilder {
    /// Returns an array of one entity.
    public static func buildExpression(_ entity: Entity) -> [Entity] { [entity] }

    /// Returns entities that are defined elsewhere.
    public static func buildExpression(_ entities: [Entity]) -> [Entity] { entities }

    /// Joins the listed entities.
    public static func buildBlock(_ entities: [Entity]...) -> [Entity] { buildArray(entities) }

    /// Joins the entities of a loop.
    public static func buildArray(_ entities: [[Entity]]) -> [Entity] { Array(entities.joined()) }

    /// Returns the entities under a condition; none if it is false.
    public static func buildOptional(_ entities: [Entity]?) -> [Entity] { entities ?? [] }

    /// Returns the entities under a condition.
    public static func buildEither(first entities: [Entity]) -> [Entity] { entities }

    /// Returns the entities under the opposite of a condition.
    public static func buildEither(second entities: [Entity]) -> [Entity] { entities }
}
