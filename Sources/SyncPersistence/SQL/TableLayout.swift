/// The tables and columns of a schema's records in an SQL database.
///
/// Each hierarchy of entities has one table.
package final class TableLayout<EntityTable: SQLTable>: Sendable {
    /// The schema with which the store was opened, after its migration.
    package let schema: Schema

    /// The names of tables and columns.
    package let names: NameMap

    /// The seed of the records' digests.
    package let digestSeed: UInt64

    /// The names of the entities that were added to an open store.
    ///
    /// A schema need not name them to open the store.
    package let added: Set<String>

    /// The tables by the names of their topmost shapes.
    private let tables: [String: EntityTable]

    /// Which names the database allows.
    private let rules: NameRules

    /// Creates the table of a root.
    private let makeTable: @Sendable (_ root: Shape, _ schema: Schema, _ names: NameMap) -> EntityTable

    /// Creates a layout with the given names, and chooses the missing names.
    package init(
        _ schema: Schema, names: NameMap, digestSeed: UInt64, added: Set<String>, by rules: NameRules,
        _ makeTable: @escaping @Sendable (_ root: Shape, _ schema: Schema, _ names: NameMap) -> EntityTable
    ) {
        var names = names
        var tables: [String: EntityTable] = [:]
        for root in schema.roots { names.name(root, in: schema, by: rules) }
        for root in schema.roots { tables[root.name] = makeTable(root, schema, names) }
        self.schema = schema
        self.names = names
        self.digestSeed = digestSeed
        self.added = added
        self.tables = tables
        self.rules = rules
        self.makeTable = makeTable
    }

    /// Returns the same layout for another schema or other names.
    func with(_ schema: Schema, names: NameMap, added: Set<String>) -> TableLayout {
        TableLayout(schema, names: names, digestSeed: digestSeed, added: added, by: rules, makeTable)
    }

    /// Returns the table of the hierarchy of a shape.
    package func table(of shape: Shape) -> EntityTable {
        guard let table = tables[shape.root] else {
            preconditionFailure("the schema of the database has no hierarchy '\(shape.root)'")
        }
        return table
    }
}
