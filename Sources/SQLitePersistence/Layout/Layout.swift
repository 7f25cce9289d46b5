import SyncPersistence

/// The tables and columns of a schema's records.
typealias Layout = TableLayout<Table>

extension Layout {
    /// Creates a layout with the given names, and chooses the missing names.
    convenience init(_ schema: Schema, names: NameMap, digestSeed: UInt64, added: Set<String>) {
        self.init(schema, names: names, digestSeed: digestSeed, added: added, by: .sqlite) { root, schema, names in
            Table(root, in: schema, names: names)
        }
    }
}
