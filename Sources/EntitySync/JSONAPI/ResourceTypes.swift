import SyncPersistence

/// Which entities the types of JSON:API resources stand for.
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

    /// The entity of a type: one that has it as its `sync.discriminatorValue`, or else one with its words, of which the last
    /// may be in the plural.
    func entity(of type: String) -> Shape? {
        let words = NameWords(type)
        let name = byValue[type] ?? byWords[words] ?? words.singulars.lazy.compactMap { byWords[$0] }.first
        return name.flatMap { schema[$0] }
    }
}
