import SyncPersistence

/// The tables and columns that hold the records of a schema: a table for each hierarchy of entities.
final class Layout: Sendable {
    /// The schema.
    let schema: Schema

    /// The names of tables and columns.
    let names: NameMap

    /// The seeds of the records' digests.
    let digestSeed: UInt64

    /// The names of the entities that were added to an open store.
    ///
    /// A schema need not name them to open the file.
    let added: Set<String>

    private let tables: [String: Table]

    /// Creates a layout with the given names, and makes up missing names.
    init(_ schema: Schema, names: NameMap, digestSeed: UInt64, added: Set<String>) {
        var names = names
        var tables: [String: Table] = [:]
        for root in schema.roots { names.name(root, in: schema) }
        for root in schema.roots { tables[root.name] = Table(root, in: schema, names: names) }
        self.schema = schema
        self.names = names
        self.digestSeed = digestSeed
        self.added = added
        self.tables = tables
    }

    /// The table of the hierarchy that a shape belongs to.
    func table(of shape: Shape) -> Table {
        guard let table = tables[shape.root] else {
            preconditionFailure("the schema of the database has no hierarchy '\(shape.root)'")
        }
        return table
    }
}
