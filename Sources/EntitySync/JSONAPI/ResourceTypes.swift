import SyncPersistence

/// The entities of JSON:API resource types.
struct ResourceTypes {
    private let schema: Schema
    private var byValue: [String: String] = [:]
    private var byWords: [NameWords: String] = [:]

    init(_ schema: Schema) {
        self.schema = schema
        for entity in schema.entities {
            if let value = entity.userInfo[EntityVocabulary.discriminatorValue] { byValue[value] = entity.name }
            byWords[NameWords(entity.name)] = entity.name
        }
    }

    /// Returns the entity of a type: one with it as its `sync.discriminatorValue`, or else one with its words, where
    /// the last word may be in the plural.
    func entity(of type: String) -> Shape? {
        let words = NameWords(type)
        let name = byValue[type] ?? byWords[words] ?? words.singulars.lazy.compactMap { byWords[$0] }.first
        return name.flatMap { schema[$0] }
    }
}
