/// The type whose elements an entity keeps, as the store's metadata has it by the name `sync.collection.<entity>`.
///
/// It is the type's names, the first one first, so that an older version of the app under an older name still opens the
/// collection. They are without the module, because app and extension may compile one type in two modules.
struct ElementType {
    let entity: String
    let name: String
    private let formerNames: [String]

    init(_ type: any Any.Type, formerly names: [String], in entity: String) {
        self.entity = entity
        name = ElementType.name(of: type)
        formerNames = names
    }

    /// The name under which the metadata of an entity's type is kept.
    static func metadataName(of entity: String) -> String { "sync.collection.\(entity)" }

    /// The name under which it is kept that JSON was synced into an entity that looks like that of a collection.
    static func jsonMetadataName(of entity: String) -> String { "sync.json.\(entity)" }

    /// The name of a type with those of the types around it, the same in each process: without modules, and without the
    /// addresses that stand for the contexts of private and local types.
    static func name(of type: any Any.Type) -> String {
        var rest = String(reflecting: type)[...]
        var (name, path) = ("", "")
        while let character = rest.first {
            if rest.hasPrefix("(unknown context at ") || rest.hasPrefix("(extension in ") {
                // `App.(unknown context at $1a2b).Note`, `(extension in App):Swift.Int.Note`
                rest = rest.drop { $0 != ")" }.dropFirst(2)
                continue
            }
            rest.removeFirst()
            if character == "." || character == "_" || character.isLetter || character.isNumber {
                path.append(character)
            } else {
                name += withoutModule(path) + String(character)
                path = ""
            }
        }
        return name + withoutModule(path)
    }

    private static func withoutModule(_ path: String) -> Substring {
        path.firstIndex(of: ".").map { path[path.index(after: $0)...] } ?? path[...]
    }
}

extension ElementType {
    /// Whether nothing has to be written for the entity to be known to keep elements of this type.
    ///
    /// - Throws: ``PersistenceError`` if it keeps elements of another type, or records that JSON was synced into.
    func isKnown(in transaction: ReadTransaction) throws -> Bool {
        if try transaction.metadata(ElementType.jsonMetadataName(of: entity)) != nil {
            throw PersistenceError(
                .schemaChange,
                "'\(entity)' keeps records that JSON was synced into, whose content is not that of '\(name)': give the "
                    + "type an entity of its own")
        }
        let known = try names(in: transaction)
        if known.isEmpty || known.contains(name) { return !known.isEmpty }
        if known.contains(where: formerNames.contains) { return false }
        let last = known[known.count - 1]
        throw PersistenceError(
            .schemaChange,
            "'\(entity)' keeps elements of the type '\(last)', not of '\(name)': if the type was renamed, open the "
                + "collection with 'formerly: \"\(last)\"', else give this type an entity of its own")
    }

    /// Adds the type's name to those that are known.
    func note(in transaction: WriteTransaction) throws {
        if try isKnown(in: transaction) { return }
        let names = try names(in: transaction) + [name]
        try transaction.note(names.joined(separator: "\n"), as: ElementType.metadataName(of: entity))
    }

    private func names(in transaction: ReadTransaction) throws -> [String] {
        try transaction.metadata(ElementType.metadataName(of: entity))?.split(separator: "\n").map(String.init) ?? []
    }
}

extension ReadTransaction {
    /// Whether an entity keeps the elements of a collection of an app's own type.
    package func keepsElements(_ entity: String) throws -> Bool {
        try metadata(ElementType.metadataName(of: entity)) != nil
    }
}

extension WriteTransaction {
    /// Stores that JSON is synced into an entity, if a collection could be opened in it otherwise.
    package func noteJSON(in entity: String) throws {
        // The entity of a collection has these two attributes, and nothing else.
        guard let shape = schema[entity], Set(shape.slots.map(\.name)) == ["id", "content"] else { return }
        let name = ElementType.jsonMetadataName(of: entity)
        if try metadata(name) == nil { try note("1", as: name) }
    }
}
