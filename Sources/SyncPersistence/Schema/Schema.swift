/// The entities that a store holds, checked and resolved.
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
/// An entity without a primary key of its own gets one: an integer, named ``Schema/implicitKey``, that the store counts
/// up.
public struct Schema: Sendable {
    /// The entities as they were defined.
    public let entities: [Entity]

    /// The shapes of the entities' records, in the order of the entities.
    public let shapes: [Shape]

    /// The shapes of what the library itself keeps: links, journal, metadata and tombstones.
    package let internalShapes: [Shape]

    private let shapesByName: [String: Shape]
    private let shapesByRoot: [String: [Shape]]

    /// The name of the primary key of an entity that has none of its own.
    public static let implicitKey = "sync.id"

    /// A schema of the given entities.
    ///
    /// - Throws: ``SchemaError`` with all faults that were found, each with the names of entity and property.
    /// - Complexity: O(number of properties, inherited ones counted for each entity)
    public init(_ entities: [Entity]) throws(SchemaError) {
        let faults = SchemaValidation(entities).faults
        if !faults.isEmpty { throw SchemaError(faults: faults) }
        self.init(sound: entities)
    }

    /// A schema of entities that are known to be sound.
    init(sound entities: [Entity]) {
        let resolution = SchemaResolution(entities)
        self.entities = entities
        shapes = resolution.shapes
        internalShapes = resolution.internalShapes
        let all = shapes + internalShapes
        shapesByName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
        // A root may be defined after those that inherit it.
        shapesByRoot = Dictionary(grouping: all, by: \.root).mapValues { shapes in
            shapes.filter { $0.name == $0.root } + shapes.filter { $0.name != $0.root }
        }
    }

    /// A schema of the entities that are listed.
    ///
    /// See ``init(_:)``.
    public init(@EntityBuilder _ entities: () -> [Entity]) throws(SchemaError) {
        try self.init(entities())
    }

    /// Returns this schema with more entities.
    ///
    /// An entity that it has already, with the same definition, stays as it is. For the authors of adapters: it is what ``PersistenceAdapter/add(_:)`` gives a store. The shapes of the schema
    /// keep their slots, so a stored record becomes one of the new schema with ``Record/init(_:slots:)``.
    ///
    /// - Throws: ``PersistenceError`` if there are entities of a name with another definition; ``SchemaError`` if the
    ///   schema would not be sound.
    public func adding(_ entities: [Entity]) throws -> Schema {
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

    /// The shape of an entity's records, or nil if there is no such entity. O(1)
    public subscript(entity: String) -> Shape? { shapesByName[entity] }

    /// All shapes that have their root in common with the given one: that of the root first, then the others in the
    /// order of their definitions. O(1)
    public func hierarchy(of shape: Shape) -> [Shape] { shapesByRoot[shape.root] ?? [] }

    /// The shape of the journal of a shape's records, or nil if they have none. O(1)
    package func journal(of shape: Shape) -> Shape? { self[JournalEntry.shapeName(of: shape.name)] }

    /// The root of each hierarchy of records, the library's own among them: a store has room for each of them.
    ///
    /// For the authors of adapters. The library's own are links, journal, metadata and tombstones; their names begin with
    /// `sync.`.
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

/// Makes an array of the entities that are listed.
@resultBuilder
public enum EntityBuilder {
    /// An entity.
    public static func buildExpression(_ entity: Entity) -> [Entity] { [entity] }

    /// Entities that are defined elsewhere.
    public static func buildExpression(_ entities: [Entity]) -> [Entity] { entities }

    /// All that is listed.
    public static func buildBlock(_ entities: [Entity]...) -> [Entity] { buildArray(entities) }

    /// What a loop lists.
    public static func buildArray(_ entities: [[Entity]]) -> [Entity] { Array(entities.joined()) }

    /// What stands under a condition.
    public static func buildOptional(_ entities: [Entity]?) -> [Entity] { entities ?? [] }

    /// What stands under a condition.
    public static func buildEither(first entities: [Entity]) -> [Entity] { entities }

    /// What stands under the opposite of a condition.
    public static func buildEither(second entities: [Entity]) -> [Entity] { entities }
}
