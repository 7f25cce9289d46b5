import SyncPersistence

/// The members of an object while its plan is made.
///
/// Keys with dots lead into nested objects.
struct ExportTree {
    let entity: String
    private var root: [Entry] = []

    /// The property at the end of a path.
    enum Leaf {
        case constant(Value)
        case attribute(ExportedAttribute)
        case relationship(Int)
    }

    private struct Entry {
        let key: String
        /// The first property with the key, and its path.
        let property: (String, ExportPath)
        var content: Content

        enum Content {
            case leaf(Leaf)
            case entries([Entry])
        }
    }

    init(entity: String) { self.entity = entity }

    /// Adds a property at a path.
    ///
    /// - Throws: `PersistenceError` if the path, or a part of it, belongs to another property.
    mutating func add(_ leaf: Leaf, at path: ExportPath, for property: String) throws {
        try Self.add(leaf, path.keys[...], (property, path), to: &root, of: entity)
    }

    private static func add(
        _ leaf: Leaf, _ keys: ArraySlice<String>, _ property: (String, ExportPath), to entries: inout [Entry],
        of entity: String
    ) throws {
        guard let key = keys.first else { return }
        // Keys are compared by their scalars, as the names of an object are.
        let position = entries.firstIndex { Value.string($0.key) == .string(key) }
        let isLast = keys.count == 1
        guard let position else {
            var content = Entry.Content.leaf(leaf)
            if !isLast {
                var within: [Entry] = []
                try add(leaf, keys.dropFirst(), property, to: &within, of: entity)
                content = .entries(within)
            }
            entries.append(Entry(key: key, property: property, content: content))
            return
        }
        guard !isLast, case .entries(var within) = entries[position].content else {
            throw PersistenceError.keyClash(entity, entries[position].property, property)
        }
        try add(leaf, keys.dropFirst(), property, to: &within, of: entity)
        entries[position].content = .entries(within)
    }

    /// The members in their order, or sorted by their keys if the format requires it.
    func members(_ format: JSONFormat) -> [ExportPlan.Member] { Self.members(root, format) }

    private static func members(_ entries: [Entry], _ format: JSONFormat) -> [ExportPlan.Member] {
        let sorted =
            format.contains(.sortedNames)
            ? entries.sorted { Value.areInIncreasingOrder(.string($0.key), .string($1.key)) } : entries
        return sorted.map { entry in
            let key = ExportKey(entry.key, format)
            return switch entry.content {
            case .leaf(.constant(let value)): .constant(key, value)
            case .leaf(.attribute(let attribute)): .attribute(key, attribute)
            case .leaf(.relationship(let position)): .relationship(key, position)
            case .entries(let entries): .group(key, members(entries, format))
            }
        }
    }
}
