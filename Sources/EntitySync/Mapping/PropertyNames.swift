import SyncPersistence

/// The names of a remote that match the properties of an entity.
///
/// An explicit remote key matches a property first, then the property's name, then any spelling of its words, and last
/// a substitute for them: `type` for `userType`, `genre_ids` for `genres`. The first word of a dotted remote key leads
/// to the property's value and never matches as its name.
struct PropertyNames {
    /// The use of a name.
    struct Use {
        /// The property, or the nested objects, that a name matches.
        enum Target {
            case attribute(Int)
            case relationship(Int, RelationshipForm)
            /// An object with properties that have dotted remote keys.
            case paths(PathTree<PropertyLeaf>)
        }
        /// The property that has the name.
        let target: Target
        /// The rank of the match.
        ///
        /// If two names match one property, the lower rank takes precedence.
        let rank: Int
    }

    /// The uses of exact names.
    private var byName: [String: [Use]] = [:]
    /// The uses of names in any spelling.
    private var byWords: [NameWords: [Use]] = [:]
    /// The keys of to-many relationships by the singular of their names.
    ///
    /// They match if nothing else has these words.
    private var bySingular: [NameWords: [Use]] = [:]
    /// The properties in nested objects under a name.
    private var heads: [String: Set<PropertyLeaf>] = [:]
    /// The words of the entity's name and of the names of its ancestors, which are the prefixes of reserved words.
    private let entityWords: [NameWords]
    /// The attribute named `id` or `remoteID`, which `id` matches.
    private var identifier: Int?

    /// Creates the names of a shape's properties.
    ///
    /// - Throws: `SyncError` if two properties have the same remote name.
    init(of shape: Shape, _ attributes: [AttributeMap], _ relationships: [RelationshipMap]) throws {
        if let error = shape.ambiguousNames.first { throw error }
        entityWords = shape.lineage.map { NameWords($0) }
        var trees: [String: PathTree<PropertyLeaf>] = [:]
        for (position, attribute) in attributes.enumerated() {
            let name = attribute.definition.name
            if let key = attribute.definition.remoteKey {
                byName[key, default: []].append(Use(target: .attribute(position), rank: 0))
                let path = key.split(separator: ".").map(String.init)
                if path.count > 1 {
                    trees[path[0], default: PathTree()].insert(.attribute(position), at: path.dropFirst())
                    heads[path[0], default: []].insert(.attribute(position))
                }
            }
            byName[name, default: []].append(Use(target: .attribute(position), rank: 1))
            byWords[NameWords(name), default: []].append(Use(target: .attribute(position), rank: 2))
            if name == "id" || name == "remoteID" && identifier == nil { identifier = position }
        }
        for (position, relationship) in relationships.enumerated() {
            let isToMany = relationship.definition.isToMany
            if let key = relationship.definition.remoteKey {
                byName[key, default: []].append(Use(target: .relationship(position, .either), rank: 0))
                let path = PayloadPath(key, mayHaveList: isToMany).steps
                if path.count > 1 {
                    trees[path[0], default: PathTree()].insert(.relationship(position), at: path.dropFirst())
                    heads[path[0], default: []].insert(.relationship(position))
                }
            }
            let words = NameWords(relationship.name)
            let form: RelationshipForm = isToMany ? .either : .objects
            byName[relationship.name, default: []].append(Use(target: .relationship(position, form), rank: 1))
            byWords[words, default: []].append(Use(target: .relationship(position, form), rank: 2))
            byWords[words + [isToMany ? "ids" : "id"], default: []]
                .append(Use(target: .relationship(position, .ids), rank: 2))
            for singular in isToMany ? words.singulars : [] {
                bySingular[singular + ["ids"], default: []]
                    .append(Use(target: .relationship(position, .ids), rank: Use.aliasRank))
            }
        }
        for (key, tree) in trees { byName[key, default: []].append(Use(target: .paths(tree), rank: 0)) }
    }

    /// Returns the uses of a name: none, an attribute, relationships, and nested objects with properties.
    func uses(of name: String) -> [Use] {
        let uses = allUses(of: name)
        guard let deeper = heads[name] else { return uses }
        let leaves = uses.map(\.leaf)
        return uses.indices.filter { position in
            guard let leaf = leaves[position] else { return true }
            return !deeper.contains(leaf)
        }.map { uses[$0] }
    }

    /// Returns the uses of a name without those in nested objects.
    private func allUses(of name: String) -> [Use] {
        var uses = byName[name] ?? []
        if uses.contains(where: \.isExplicit) { return uses.filter { $0.rank == 0 } }
        let words = NameWords(name)
        if words.words.isEmpty { return uses }
        for use in byWords[words] ?? [] where !uses.contains(where: { $0.hasTarget(of: use) }) { uses.append(use) }
        if uses.contains(where: { if case .attribute = $0.target { true } else { false } }) { return uses }
        for entity in entityWords {
            guard let reserved = ReservedWords.attributeName(of: words, in: entity) else { break }
            for use in byWords[reserved] ?? [] {
                if case .attribute = use.target {
                    return uses + [Use(target: use.target, rank: Use.aliasRank)]
                }
            }
        }
        if name == "id", let identifier { uses.append(Use(target: .attribute(identifier), rank: 3)) }
        return uses.isEmpty ? bySingular[words] ?? [] : uses
    }
}

extension PropertyNames.Use {
    /// The rank of a name that is a substitute for the property's own.
    static let aliasRank = 4

    /// The property; nil for nested objects with several.
    fileprivate var leaf: PropertyLeaf? {
        switch target {
        case .attribute(let position): .attribute(position)
        case .relationship(let position, _): .relationship(position)
        case .paths: nil
        }
    }

    /// Whether the name is the whole remote key of a property.
    fileprivate var isExplicit: Bool {
        if case .paths = target { false } else { rank == 0 }
    }

    /// Whether both uses match the same property in the same form.
    fileprivate func hasTarget(of other: Self) -> Bool {
        switch (target, other.target) {
        case (.attribute(let one), .attribute(let two)): one == two
        case (.relationship(let one, _), .relationship(let two, _)): one == two
        default: false
        }
    }
}

/// The form of a relationship's value: objects, keys or either.
enum RelationshipForm {
    /// Objects, keys of records, or any of both.
    case objects, ids, either
}

/// A property in a nested object, by its position in the entity.
enum PropertyLeaf: Hashable {
    /// An attribute, by its position.
    case attribute(Int)
    /// A relationship, by its position.
    case relationship(Int)
}
