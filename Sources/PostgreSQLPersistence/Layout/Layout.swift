import SyncPersistence

/// The tables and columns of a schema's records.
typealias Layout = TableLayout<Table>

extension Layout {
    /// Creates a layout with the given names, and chooses the missing names.
    convenience init(
        _ schema: Schema, in namespace: Namespace, names: NameMap, digestSeed: UInt64, added: Set<String>
    ) {
        self.init(schema, names: names, digestSeed: digestSeed, added: added, by: .postgreSQL) { root, schema, names in
            Table(root, in: schema, names: names, namespace: namespace)
        }
    }
}
