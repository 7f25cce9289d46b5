import SyncPersistence

/// The mapping of a remote's objects to records of a schema.
///
/// The maps of entities are created on first use.
final class Mapping {
    /// The schema of the store.
    let schema: Schema
    /// The transformers of the options, by name.
    private let transformers: [String: AttributeTransformer]
    /// The entities of objects whose discriminator has an unknown value, by declared entity.
    private let fallbacks: [String: String]
    /// The effects on unlisted records in the options, by `Entity.relationship`.
    private let unlisted: [String: UnlistedRecords]
    /// Whether objects are resources of JSON:API.
    private let isJSONAPI: Bool
    /// Whether objects of an entity may state that their record is deleted.
    let hasDeletedPaths: Bool
    /// The constants of the options, by entity and attribute.
    private let constants: [String: [String: Value]]
    /// The entities of the schema by name.
    private let definitions: [String: Entity]
    /// The maps that were created, by entity.
    private var maps: [String: EntityMap] = [:]

    /// Creates a mapping without maps; each entity is mapped when the first object of it is read.
    init(_ schema: Schema, _ options: SyncOptions) {
        self.schema = schema
        transformers = options.transformers
        fallbacks = options.fallbackEntities
        unlisted = options.unlisted
        isJSONAPI = options.format == .jsonAPI
        hasDeletedPaths = schema.entities.contains { $0.userInfo[EntityVocabulary.deletedPath] != nil }
        constants = options.constants
        definitions = Dictionary(schema.entities.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the map of an entity.
    ///
    /// - Throws: `SyncError` if the entity does not exist, or if two of its properties match the same name.
    func map(of entity: String) throws -> EntityMap {
        if let map = maps[entity] { return map }
        guard let shape = schema[entity] else {
            let names = schema.shapes.map(\.name).joined(separator: ", ")
            throw SyncError(.unknownEntity, "the schema has no entity '\(entity)': it has \(names)")
        }
        let family = schema.hierarchy(of: shape).map(\.name)
        let map = try EntityMap(
            shape, in: schema, lineage: shape.lineage.compactMap { definitions[$0] }, transformers,
            constants: constants(of: shape),
            usesSurroundings: family.contains { entity in
                constants[entity] != nil || definitions[entity]?.attributes.contains(where: \.isSourced) ?? false
            })
        for relationship in unlisted.isEmpty ? [] : map.relationships {
            let choice = shape.lineage.lazy.compactMap { self.unlisted["\($0).\(relationship.name)"] }.first
            if let choice { relationship.unlisted = choice }
        }
        for relationship in isJSONAPI ? map.relationships : [] where relationship.morePath == nil {
            relationship.morePath = PayloadPath(relationship.moreName)
        }
        maps[entity] = map
        return map
    }

    /// Checks that the options match the schema.
    ///
    /// - Throws: `SyncError` if they do not match.
    func requireOptions() throws {
        try requireConstants()
        try requireRelationships()
        try requireFallbacks()
    }

    /// Checks that the options name relationships of the schema.
    private func requireRelationships() throws {
        for name in unlisted.keys.sorted() {
            let isKnown = schema.shapes.contains { shape in
                shape.relationships.contains { name == "\(shape.name).\($0.definition.name)" }
            }
            if !isKnown {
                throw SyncError(
                    .invalidChoice,
                    "the options say what becomes of unlisted records of '\(name)', which is no relationship: write "
                        + "'Entity.relationship'")
            }
        }
    }

    /// Checks that each fallback is its entity or inherits from it, and is not abstract.
    private func requireFallbacks() throws {
        for (entity, name) in fallbacks.sorted(by: { $0.key < $1.key }) {
            let fallback = try map(of: name).shape
            if try fallback.inherits(map(of: entity).shape.name), !fallback.isAbstract { continue }
            throw SyncError(
                .invalidChoice,
                "the options name '\(name)' as the fallback for '\(entity)': name '\(entity)' or an entity that inherits it, "
                    + "and that is not abstract")
        }
    }

    /// Returns the constants of an entity in the options: its own, and those of its ancestors.
    private func constants(of shape: Shape) -> [String: Value] {
        shape.lineage.reduce(into: [:]) { constants, entity in
            constants.merge(self.constants[entity] ?? [:]) { nearer, _ in nearer }
        }
    }

    /// Checks that the constants in the options belong to attributes of the schema.
    private func requireConstants() throws {
        for (entity, values) in constants.sorted(by: { $0.key < $1.key }) {
            let names = Set(try map(of: entity).attributes.map(\.definition.name))
            if let name = values.keys.sorted().first(where: { !names.contains($0) }) {
                throw SyncError(
                    .invalidSource,
                    "the options have a constant for '\(entity).\(name)', which is no attribute: correct the name")
            }
        }
    }

    /// Returns the map of the entity that a relationship leads to.
    func destination(of relationship: RelationshipMap) throws -> EntityMap {
        if let map = relationship.destination { return map }
        let map = try map(of: relationship.definition.destination)
        relationship.destination = map
        return map
    }

    /// Returns the map of an object's entity by its discriminator: the declared entity, or one that inherits from it.
    ///
    /// - Returns: nil if the discriminator has an unknown value and there is no fallback.
    func map(of object: ValueObject, declaredAs map: EntityMap) throws -> EntityMap? {
        guard let value = map.discriminatorValue(of: object) else { return map }
        if let entity = named(value, map) { return try self.map(of: entity) }
        return try fallback(for: map)
    }

    /// Returns the value of a discriminator that represents an entity.
    func discriminatorValue(of entity: String) -> String {
        definitions[entity]?.userInfo[EntityVocabulary.discriminatorValue] ?? entity
    }

    /// Whether an object states that its record is deleted.
    func saysDeleted(_ object: ValueObject, declaredAs map: EntityMap) throws -> Bool {
        guard hasDeletedPaths else { return false }
        return try (self.map(of: object, declaredAs: map) ?? map).saysDeleted(object)
    }

    /// Whether an object does not state an entity, so that a stored record keeps its own.
    func isSilent(_ object: ValueObject, declaredAs map: EntityMap) -> Bool {
        map.discriminatorValue(of: object).map { named($0, map) == nil } ?? true
    }

    /// Returns the entity that a value of a discriminator represents: the given one, or one that inherits from it.
    private func named(_ value: Value, _ map: EntityMap) -> String? {
        let name = AttributeType.string.converted(value)
        return schema.hierarchy(of: map.shape).first { shape in
            shape.inherits(map.shape.name) && name == .string(discriminatorValue(of: shape.name))
        }?.name
    }

    /// Returns the map for objects whose discriminator has an unknown value.
    private func fallback(for map: EntityMap) throws -> EntityMap? {
        for entity in map.shape.lineage {
            guard let fallback = fallbacks[entity] else { continue }
            let found = try self.map(of: fallback)
            if found.shape.inherits(map.shape.name), !found.shape.isAbstract { return found }
        }
        return nil
    }
}
