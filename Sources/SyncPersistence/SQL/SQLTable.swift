/// The table of a hierarchy of entities in an SQL database.
package protocol SQLTable: Sendable {
    /// A column of the table.
    associatedtype TableColumn: SQLColumn

    /// The topmost shape of the hierarchy.
    var root: Shape { get }

    /// The name in quotes, with that of the namespace if the database has namespaces.
    var name: String { get }

    /// The columns of the slots.
    var columns: [TableColumn] { get }

    /// Whether the column `sync.entity` holds the entity.
    var hasEntity: Bool { get }

    /// Whether a column holds the digest.
    var hasDigest: Bool { get }

    /// The positions of the first columns of the slots with an index.
    var indexedSlots: [Int] { get }

    /// Returns the statement that creates the index of a slot.
    ///
    /// - Parameter first: The position of the slot's first column.
    func indexDefinition(_ first: Int) -> String

    /// Returns the name of the index of a slot in quotes, with that of the namespace if the database has namespaces.
    ///
    /// - Parameter first: The position of the slot's first column.
    func slotIndexName(_ first: Int) -> String
}

/// A column of a slot.
package protocol SQLColumn: Sendable {
    /// The name in quotes.
    var name: String { get }

    /// The slot of the column.
    var slot: Slot { get }
}

extension SQLTable {
    /// Returns the positions of a slot's columns.
    package func columns(of slot: HierarchySlot) -> [Int] { columns.indices.filter { columns[$0].slot.id == slot.id } }

    /// Returns the position of a slot's first column.
    package func firstColumn(of slot: HierarchySlot) -> Int? { columns.firstIndex { $0.slot.id == slot.id } }
}
