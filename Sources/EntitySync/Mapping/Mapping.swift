import SyncPersistence

/// How objects of a remote become records of a schema; what is not needed of it is not made.
final class Mapping {
    let schema: Schema
    private let transformers: [String: AttributeTransformer]
    private let definitions: [String: Entity]
    private var maps: [String: EntityMap] = [:]

    init(_ schema: Schema, transformers: [String: AttributeTransformer]) {
        self.schema = schema
        self.transformers = transformers
        definitions = Dictionary(schema.entities.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The map of an entity.
    ///
    /// - Throws: ``SyncError`` if there is no such entity, or if two of its properties go by one name.
    func map(of entity: String) throws -> EntityMap {
        if let map = maps[entity] { return map }
        guard let shape = schema[entity] else {
            let names = schema.shapes.map(\.name).joined(separator: ", ")
            throw SyncError(.unknownEntity, "the schema has no entity '\(entity)': it has \(names)")
        }
        let map = try EntityMap(
            shape, in: schema, lineage: shape.lineage.compactMap { definitions[$0] }, transformers)
        maps[entity] = map
        return map
    }

    /// The map of the entity that a relationship leads to.
    func destination(of relationship: RelationshipMap) throws -> EntityMap {
        if let map = relationship.destination { return map }
        let map = try map(of: relationship.definition.destination)
        relationship.destination = map
        return map
    }

    /// The map of the entity that an object is of, which its discriminator says: the given one, or one that inherits it.
    ///
    /// - Returns: nil if the object says something that stands for none of them.
    func map(of object: ValueObject, declaredAs map: EntityMap) throws -> EntityMap? {
        guard let discriminator = map.discriminator, let value = object[discriminator], !value.isNull else {
            return map
        }
        let name = AttributeType.string.converted(value)
        for shape in schema.hierarchy(of: map.shape) where shape.inherits(map.shape.name) {
            let definition = definitions[shape.name]
            let own = definition?.userInfo[EntityVocabulary.discriminatorValue] ?? shape.name
            if name == .string(own) { return try self.map(of: shape.name) }
        }
        return nil
    }
}
