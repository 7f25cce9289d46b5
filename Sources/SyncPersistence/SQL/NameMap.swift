/// The names of the tables and columns of entities and slots in an SQL database.
///
/// They are the names of the schema if the database allows and distinguishes these. Once chosen, a name never changes.
package struct NameMap: Hashable, Sendable, Codable {
    /// The names of the tables, by the names of the hierarchies' roots.
    package private(set) var tables: [String: String] = [:]

    /// The names of the columns, by the root, the entity that declares the slot, and the name of the slot.
    private(set) var columns: [String: [String: [String: [String]]]] = [:]

    /// Creates a map without names.
    package init() {}

    /// Returns the name of a root's table.
    package func table(of root: String) -> String {
        tables[root] ?? root
    }

    /// Returns the names of a slot's columns.
    package func columns(of slot: SlotID, in root: String) -> [String] {
        columns[root]?[slot.declaredBy]?[slot.name] ?? []
    }

    /// Returns what is wrong with names that were read from a database; nil if they fit the schema or are not yet
    /// chosen.
    package func problem(in schema: Schema) -> String? {
        for root in schema.roots {
            let slots = schema.columns(of: root).map { (columns(of: $0.id, in: root.name), $0.slot.columnTypes.count) }
            let all = slots.flatMap(\.0) + (tables[root.name].map { [$0] } ?? [])
            if all.contains(where: { $0.isEmpty || $0.utf8.contains(0) }) {
                return "'\(root.name)' has a name that is none"
            }
            if slots.contains(where: { !$0.isEmpty && $0.count != $1 }) {
                return "a property of '\(root.name)' has not as many columns as it needs"
            }
        }
        return nil
    }

    /// Chooses the missing names of a root's table and columns.
    package mutating func name(_ root: Shape, in schema: Schema, by rules: NameRules) {
        if tables[root.name] == nil {
            let taken = Set((tables.values + rules.reservedTables).map(rules.folded))
            tables[root.name] = rules.name(NameMap.tableName(for: root.name), [""], besides: taken)
        }
        let known = (columns[root.name] ?? [:]).values.flatMap(\.values).joined()
        var taken = Set((known.flatMap(rules.forms) + rules.reservedColumns).map(rules.folded))
        for column in schema.columns(of: root) where columns(of: column.id, in: root.name).isEmpty {
            let count = column.slot.columnTypes.count
            let names = (1...count).map { part in
                let wanted = count == 1 ? column.slot.name : "\(column.slot.name).\(part)"
                let name = rules.name(wanted, rules.suffixes, besides: taken)
                taken.formUnion(rules.forms(of: name).map(rules.folded))
                return name
            }
            columns[root.name, default: [:]][column.id.declaredBy, default: [:]][column.id.name] = names
        }
    }

    /// Returns a name for a root's table by which no index has the name of another table's index.
    ///
    /// `Game.slot` becomes `Game.slot_`.
    /// The index of the attribute `key` of `Game` is `sync.index.Game.slot.key`. That of the key of `Game.slot` would have
    /// the same name.
    private static func tableName(for root: String) -> String {
        let parts = root.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map {
            String(String.UnicodeScalarView($0))
        }
        return parts.indices.map { position in
            position > 0 && parts[position].lowercased() == "slot" ? parts[position] + "_" : parts[position]
        }.joined(separator: ".")
    }

    /// Moves the entry of a renamed hierarchy; its table keeps its name.
    mutating func renameRoot(_ old: String, to new: String) {
        tables[new] = tables.removeValue(forKey: old)
        columns[new] = columns.removeValue(forKey: old)
    }

    /// Moves the entry of a renamed slot; its columns keep their names.
    mutating func renameSlot(_ old: SlotID, to new: SlotID, in root: String) {
        guard let names = columns[root]?[old.declaredBy]?.removeValue(forKey: old.name) else { return }
        columns[root, default: [:]][new.declaredBy, default: [:]][new.name] = names
    }

    /// Removes the names of a hierarchy's table and columns.
    package mutating func removeRoot(_ root: String) {
        tables[root] = nil
        columns[root] = nil
    }

    /// Removes the names of a slot's columns.
    mutating func removeSlot(_ slot: SlotID, in root: String) {
        columns[root]?[slot.declaredBy]?[slot.name] = nil
    }

    /// Renames a slot's columns.
    mutating func setColumns(_ names: [String], of slot: SlotID, in root: String) {
        columns[root, default: [:]][slot.declaredBy, default: [:]][slot.name] = names
    }
}
