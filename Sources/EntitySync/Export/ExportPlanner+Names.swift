import SyncPersistence

/// The keys under which properties are exported.
///
/// A path is a key, or several keys that lead through nested objects. A sync finds the properties by the same keys.
extension ExportPlanner {
    /// Returns the path of an attribute.
    ///
    /// It is the remote key; else `id` for `id` and `remoteID`; else the name. The entity's name is removed if it only
    /// avoids a reserved word.
    func path(of attribute: Attribute, in family: EntityFamily) -> [String] {
        if let key = attribute.remoteKey { return Self.path(remoteKey: key) }
        switch attribute.name {
        case "id": return ["id"]
        case "remoteID" where !isUsed(NameWords("id"), in: family): return ["id"]
        case "destroy" where options.relationships == .nested: return ["_destroy"]
        default: return [reservedName(of: attribute, in: family) ?? styled(attribute.name)]
        }
    }

    /// Returns the path of the records that a relationship leads to.
    func path(of relationship: Relationship, asIDs: Bool) -> [String] {
        let isSnake = options.names == .snakeCase
        var path =
            relationship.listPath.map { Array($0.steps[..<($0.listDepth ?? $0.steps.count)]) }
            ?? relationship.remoteKey.map(Self.path(remoteKey:)) ?? [styled(relationship.name)]
        switch options.relationships {
        case .array, .none: break
        case .nested: path[path.count - 1] += isSnake ? "_attributes" : "Attributes"
        case .ids where relationship.remoteKey == nil && asIDs:
            path[path.count - 1] += (isSnake ? "_id" : "Id") + (relationship.isToMany ? "s" : "")
        case .ids: break
        }
        return path
    }

    /// Returns the parts of a remote key between dots; the whole key if a part is empty.
    private static func path(remoteKey: String) -> [String] {
        let parts = remoteKey.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return parts.contains("") ? [remoteKey] : parts
    }

    /// Returns the reserved word of an attribute, `type` for `userType` of `User`; nil if there is none, or if another
    /// property has it.
    private func reservedName(of attribute: Attribute, in family: EntityFamily) -> String? {
        let words = NameWords(attribute.name)
        let entities = family.lineage.map { NameWords($0) }
        for (depth, entity) in entities.enumerated() {
            guard let word = ReservedWords.remoteName(of: words, in: entity) else { continue }
            if isUsed(word, in: family) { return nil }
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

    /// Whether a property has a key with the same words, except as a reserved name.
    private func isUsed(_ words: NameWords, in family: EntityFamily) -> Bool {
        family.attributes.contains { NameWords($0.definition.remoteKey ?? $0.name) == words }
            || family.relationships.contains { NameWords($0.definition.remoteKey ?? $0.name) == words }
            || discriminator(of: family).map { NameWords($0) } == words
    }

    /// Returns a name in the style of the options.
    private func styled(_ name: String) -> String {
        if options.names == .camelCase { return name }
        let snake = NameWords(name).snakeCase
        return snake.isEmpty ? name : snake
    }
}

extension Relationship {
    /// The path of the records if the remote key leads through an array.
    var listPath: PayloadPath? {
        guard isToMany, let remoteKey else { return nil }
        let path = PayloadPath(remoteKey)
        return path.listDepth == nil ? nil : path
    }
}
