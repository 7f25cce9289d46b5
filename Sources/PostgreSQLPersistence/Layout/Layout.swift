import SyncPersistence

/// The tables and columns of a schema's records.
///
/// Each hierarchy of entities has one table.
final class Layout: Sendable {
    /// The namespace of the tables.
    let namespace: Namespace

    /// The schema with which the store was opened, after its migration.
    let schema: Schema

    /// The names of tables and columns.
    let names: NameMap

    /// The seed of the records' digests.
    let digestSeed: UInt64

    /// The names of the entities that were added to an open store.
    ///
    /// A schema need not name them to open the store.
    let added: Set<String>

    /// The tables by the names of their topmost shapes.
    private let tables: [String: Table]

    /// Creates a layout with the given names, and chooses the missing names.
    init(_ schema: Schema, in namespace: Namespace, names: NameMap, digestSeed: UInt64, added: Set<String>) {
        var names = names
        var tables: [String: Table] = [:]
        for root in schema.roots { names.name(root, in: schema, by: .postgreSQL) }
        for root in schema.roots { tables[root.name] = Table(root, in: schema, names: names, namespace: namespace) }
        self.namespace = namespace
        self.schema = schema
        self.names = names
        self.digestSeed = digestSeed
        self.added = added
        self.tables = tables
    }

    /// Returns the same layout for another schema or other names.
    func with(_ schema: Schema, names: NameMap, added: Set<String>) -> Layout {
        Layout(schema, in: namespace, names: names, digestSeed: digestSeed, added: added)
    }

    /// Returns the table of the hierarchy of a shape.
    func table(of shape: Shape) -> Table {
        guard let table = tables[shape.root] else {
            preconditionFailure("the schema of the database has no hierarchy '\(shape.root)'")
        }
        return table
    }
}
