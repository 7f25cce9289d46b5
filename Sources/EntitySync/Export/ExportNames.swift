import SyncPersistence

/// The keys under which the properties of an entity are exported.
///
/// Import finds the properties by the same keys.
struct ExportNames {
    private let family: EntityFamily
    private let options: ExportOptions
    /// The keys of properties other than those with reserved names.
    private var taken: Set<NameWords> = []
    private let entities: [NameWords]

    init(_ family: EntityFamily, discriminator: String?, _ options: ExportOptions) {
        self.family = family
        self.options = options
        entities = family.lineage.map { NameWords($0) }
        for attribute in family.attributes { taken.insert(NameWords(attribute.definition.remoteKey ?? attribute.name)) }
        for relationship in family.relationships {
            taken.insert(NameWords(relationship.definition.remoteKey ?? relationship.name))
        }
        if let discriminator { taken.insert(NameWords(discriminator)) }
    }

    /// The path of an attribute: its remote key; else `id` for `id` and `remoteID`; else its name, without the entity's
    /// name if that only avoids a reserved word.
    func path(of attribute: Attribute) -> ExportPath {
        if let key = attribute.remoteKey { return ExportPath(remoteKey: key) }
        switch attribute.name {
        case "id": return ExportPath(key: "id")
        case "remoteID" where !taken.contains(NameWords("id")): return ExportPath(key: "id")
        case "destroy" where options.relationships == .nested: return ExportPath(key: "_destroy")
        default: return ExportPath(key: reservedName(of: attribute) ?? styled(attribute.name))
        }
    }

    /// The path of the records that a relationship leads to.
    func path(of relationship: Relationship, asIDs: Bool) -> ExportPath {
        let isSnake = options.names == .snakeCase
        let path =
            relationship.listPath.map { ExportPath(listOf: $0) }
            ?? relationship.remoteKey.map { ExportPath(remoteKey: $0) } ?? ExportPath(key: styled(relationship.name))
        switch options.relationships {
        case .array, .none: return path
        case .nested: return path.appending(isSnake ? "_attributes" : "Attributes")
        case .ids:
            if relationship.remoteKey != nil || !asIDs { return path }
            return path.appending((isSnake ? "_id" : "Id") + (relationship.isToMany ? "s" : ""))
        }
    }

    /// The reserved word of an attribute, `type` for `userType` of `User`; nil if there is none or another property has
    /// it.
    private func reservedName(of attribute: Attribute) -> String? {
        let words = NameWords(attribute.name)
        for (depth, entity) in entities.enumerated() {
            guard let word = ReservedWords.remoteName(of: words, in: entity) else { continue }
            if taken.contains(word) { return nil }
            // An attribute of a nearer entity with the same word takes precedence.
            let isHidden = entities[..<depth].contains { nearer in
                family.attributes.contains {
                    ReservedWords.remoteName(of: NameWords($0.name), in: nearer) == word
                        && $0.definition.remoteKey == nil
                }
            }
            return isHidden ? nil : word.snakeCase
        }
        return nil
    }

    private func styled(_ name: String) -> String {
        if options.names == .camelCase { return name }
        let snake = NameWords(name).snakeCase
        return snake.isEmpty ? name : snake
    }
}
