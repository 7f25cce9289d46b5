import SyncPersistence

/// The entities of JSON:API resource types.
struct ResourceTypes {
    /// The schema with the entities that a `type` may name.
    private let schema: Schema
    /// The entities by their `sync.discriminatorValue`.
    private var byValue: [String: String] = [:]
    /// The entities by the words of their names.
    private var byWords: [NameWords: String] = [:]

    /// Creates the table of types for a schema.
    ///
    /// - Complexity: O(number of entities)
    init(_ schema: Schema) {
        self.schema = schema
        for entity in schema.entities {
            if let value = entity.userInfo[EntityVocabulary.discriminatorValue] { byValue[value] = entity.name }
            byWords[NameWords(entity.name)] = entity.name
        }
    }

    /// Returns the entity whose `sync.discriminatorValue` is a type; otherwise an entity whose name has the type's
    /// words, even if the last word of the type is in the plural.
    func entity(of type: String) -> Shape? {
        let words = NameWords(type)
        let name = byValue[type] ?? byWords[words] ?? words.singulars.lazy.compactMap { byWords[$0] }.first
        return name.flatMap { schema[$0] }
    }
}
