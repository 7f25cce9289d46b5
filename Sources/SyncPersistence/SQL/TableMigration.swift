/// The changes of an SQL database's tables from one schema to another, within a transaction.
///
/// The order of the steps is the same in every database: see `apply(_:to:)` and `apply(_:to:for:added:)`. An adapter
/// supplies the statements.
package protocol TableMigration {
    /// A table of the database.
    associatedtype EntityTable: SQLTable

    /// Calls a body for each account that has records, with a number from 0 on; once if the tables are not shared.
    ///
    /// Within the body, the functions that read or write records find those of the account.
    func forEachAccount(of layout: TableLayout<EntityTable>, _ body: (_ number: Int) throws -> Void) throws

    /// Calls a body with the records of a layout, and writes the changes that it makes.
    func withStorage<Result>(
        of layout: TableLayout<EntityTable>, _ body: (any RecordStorage) throws -> Result
    ) throws -> Result

    /// Forgets the prepared statements, because tables have changed.
    func forgetStatements() throws

    /// Runs a statement.
    func execute(_ sql: String) throws

    /// Runs a statement with texts as its parameters.
    func run(_ sql: String, _ parameters: [String]) throws

    /// Returns how a statement refers to one of its parameters, by its number from 1 on.
    func parameter(_ number: Int) -> String

    /// Creates a table and its indexes.
    func create(_ table: EntityTable, in layout: TableLayout<EntityTable>) throws

    /// Adds a column of a slot to a table, without values.
    func addColumn(_ position: Int, to table: EntityTable, in layout: TableLayout<EntityTable>) throws

    /// Renames a column of a slot.
    func renameColumn(_ position: Int, of table: EntityTable, to name: String) throws

    /// Adds the column `sync.entity` to a table that has records, and returns whether it was missing.
    func addEntityColumn(to table: EntityTable) throws -> Bool

    /// Writes the default value of a new slot into all existing records of its entities.
    ///
    /// - Complexity: O(*n*) for the records of the table
    func setDefault(of slot: HierarchySlot, in column: Int, of table: EntityTable) throws

    /// Computes and writes the digests of a table's records anew.
    ///
    /// - Complexity: O(*n*) for the records of the table
    func storeDigests(in table: EntityTable, seed: UInt64) throws

    /// Changes the records of a table one after the other.
    ///
    /// - Parameters:
    ///   - table: The table with the names of the columns that are read.
    ///   - new: The same table with the names of the columns that are written.
    ///   - seed: The seed of the digests.
    ///   - change: Returns the change of a record.
    /// - Complexity: O(*n*) for the records of the table
    func changeRows(
        of table: EntityTable, as new: EntityTable, seed: UInt64, _ change: (Record) throws -> RowChange
    ) throws
}

/// What happens to the row of a record in a migration.
package enum RowChange {
    /// It does not change.
    case keep
    /// It is deleted.
    case remove
    /// It gets another record.
    case replace(Record)
}
