/// The type whose elements an entity stores.
///
/// The metadata `sync.collection.<entity>` contains all names of the type, the first one first. So an older version of
/// the app, with an older name, can still open the collection. The names lack the module, because app and extension may
/// compile one type in two modules.
struct ElementType {
    /// The entity whose records keep the elements.
    let entity: String
    /// The name of the type, without its module.
    let name: String
    /// The names that the type had in earlier versions of the app.
    private let formerNames: [String]

    /// Creates the description of a type that is stored in an entity.
    init(_ type: any Any.Type, formerly names: [String], in entity: String) {
        self.entity = entity
        name = ElementType.name(of: type)
        formerNames = names
    }

    /// Returns the name of the metadata for an entity's type.
    static func metadataName(of entity: String) -> String { "sync.collection.\(entity)" }

    /// Returns the name of the metadata that marks an entity with the attributes of a collection as one for synced
    /// JSON.
    static func jsonMetadataName(of entity: String) -> String { "sync.json.\(entity)" }

    /// Returns the name of a type with those of the types around it, the same in each process.
    ///
    /// It contains neither modules nor the addresses of the contexts of private and local types.
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

    /// Returns a name without the part before its first point.
    private static func withoutModule(_ path: String) -> Substring {
        path.firstIndex(of: ".").map { path[path.index(after: $0)...] } ?? path[...]
    }
}

extension ElementType {
    /// Whether the metadata of the entity contains the name of the type.
    ///
    /// - Throws: ``PersistenceError`` if it stores elements of another type.
    func isKnown(in transaction: ReadTransaction) throws -> Bool {
        let known = try names(in: transaction)
        if known.isEmpty || known.contains(name) { return !known.isEmpty }
        if known.contains(where: formerNames.contains) { return false }
        let last = known[known.count - 1]
        throw PersistenceError(
            .schemaChange,
            "'\(entity)' keeps elements of the type '\(last)', not of '\(name)': if the type was renamed, open the "
                + "collection with 'formerly: \"\(last)\"', else give this type an entity of its own")
    }

    /// Adds the type's name to those in the metadata.
    func addName(in transaction: WriteTransaction) throws {
        if try isKnown(in: transaction) { return }
        let names = try names(in: transaction) + [name]
        try transaction.metadataLog.set(names.joined(separator: "\n"), for: ElementType.metadataName(of: entity))
    }

    /// Returns the names of the types that the entity was opened with; empty if it never was.
    private func names(in transaction: ReadTransaction) throws -> [String] {
        try transaction.metadata(ElementType.metadataName(of: entity))?.split(separator: "\n").map(String.init) ?? []
    }
}

extension ReadTransaction {
    /// Whether an entity stores the elements of a collection of an app's own type as JSON.
    package func keepsElements(_ entity: String) throws -> Bool {
        // An app may have migrated the elements to attributes.
        guard let shape = schema[entity], hasFormOfJSON(shape) else { return false }
        return try metadata(ElementType.metadataName(of: entity)) != nil
    }
}

extension ReadTransaction {
    /// Returns the shape of an entity whose properties are those of an app's type; nil if the entity stores JSON of its
    /// elements, or is missing.
    func columnShape(of entity: String) throws -> Shape? {
        guard let shape = schema[entity], shape.role == nil, try !keepsElements(entity) else { return nil }
        // An entity like that of the JSON form may be one that no element was stored in yet.
        let isColumns = try !hasFormOfJSON(shape) || metadata(ElementType.jsonMetadataName(of: entity)) != nil
        return isColumns ? shape : nil
    }

    /// Whether an entity has exactly the attributes of the JSON form.
    fileprivate func hasFormOfJSON(_ shape: Shape) -> Bool {
        guard shape.slots.count == 2, shape.relationships.isEmpty, shape.slot(named: "id") == shape.keySlots[0],
            let content = shape.slot(named: "content").map({ shape.slots[$0] })
        else { return false }
        return content.content == .attribute(.string) && !content.isOptional
    }
}

extension WriteTransaction {
    /// Marks an entity as one for synced JSON, if it could also be opened as a collection.
    package func markForJSON(_ entity: String) throws {
        guard let shape = schema[entity], hasFormOfJSON(shape) else { return }
        let name = ElementType.jsonMetadataName(of: entity)
        if try metadata(name) == nil { try metadataLog.set("1", for: name) }
    }
}
