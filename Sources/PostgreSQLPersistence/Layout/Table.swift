import SyncPersistence

/// The table of a hierarchy of entities.
///
/// The table has these columns:
///
/// | Column | Content |
/// |---|---|
/// | `sync.account` | The account, if several share the table |
/// | `sync.row` | The row number within the account, in the order of insertion |
/// | `sync.entity` | The entity, if the hierarchy has several |
/// | `sync.digest` | The digest of the record, for entities and links only |
/// | one or more for each slot | The values |
final class Table: SQLTable {
    /// A column of a slot.
    typealias TableColumn = Column

    /// The topmost shape of the hierarchy.
    let root: Shape

    /// The namespace of the table.
    let namespace: Namespace

    /// The quoted name, with that of the namespace.
    let name: String

    /// The name without quotes.
    let plainName: String

    /// The columns of the slots.
    let columns: [Column]

    /// Whether a column holds the entity.
    let hasEntity: Bool

    /// Whether a column holds the digest.
    ///
    /// The library's own records have none, except for links.
    let hasDigest: Bool

    /// The number of columns of each key slot.
    let keyColumnCounts: [Int]

    /// The positions of the key's columns.
    let keyColumns: [Int]

    /// The type of the key; nil if the key has several columns.
    let singleKeyType: AttributeType?

    /// The columns of each slot; nil if the hierarchy has several shapes.
    let places: ShapePlaces?

    /// The columns of each shape's slots, by the name of the shape.
    private let placesByName: [String: ShapePlaces]

    /// The statements for the rows of records.
    let sql: TableSQL

    /// The names of all columns that do not belong to slots.
    static let ownColumns = ["sync.account", "sync.row", "sync.entity", "sync.digest"]

    /// The names that PostgreSQL reserves for columns of its own.
    static let systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    /// The name of the table that describes the others.
    static let layoutName = "sync.layout"

    /// Creates the table of a hierarchy, with the given column names.
    init(_ root: Shape, in schema: Schema, names: NameMap, namespace: Namespace) {
        let shapes = schema.hierarchy(of: root)
        let slots = schema.columns(of: root)
        let columns: [Column] = slots.flatMap { slot in
            zip(names.columns(of: slot.id, in: root.name), slot.slot.columnTypes).map { name, type in
                Column(name, type, of: slot.slot, isShared: namespace.isShared, isReadable: root.role == nil)
            }
        }
        let placesByName = ShapePlaces.all(of: shapes, in: slots)
        hasEntity = shapes.count > 1
        hasDigest = root.role == nil || root.role == .links
        self.root = root
        self.namespace = namespace
        plainName = names.table(of: root.name)
        name = namespace.qualified(plainName)
        self.columns = columns
        keyColumns = placesByName[root.name].map { places in root.keySlots.flatMap { places.slots[$0].columns } } ?? []
        keyColumnCounts = root.keySlots.map { root.slots[$0].columnTypes.count }
        singleKeyType = root.keySlots.count == 1 && keyColumns.count == 1 ? columns[keyColumns[0]].type : nil
        self.placesByName = placesByName
        places = shapes.count == 1 ? placesByName[root.name] : nil
        sql = TableSQL(
            name: name, isShared: namespace.isShared, columns: columns, keyColumns: keyColumns, hasEntity: hasEntity,
            hasDigest: hasDigest)
    }

    /// Returns the columns of a shape's slots; nil if the table does not store the shape.
    func places(of shape: String) -> ShapePlaces? { placesByName[shape] }

    /// The position of the first slot's column in the table's selection: after the row, and the entity if there are
    /// several.
    var firstSlotColumn: Int { hasEntity ? 2 : 1 }
}

extension Table {
    /// Returns the condition that a row is of the account of the transaction, with `AND` before it; empty if the table is
    /// not shared.
    ///
    /// - Parameter alias: The alias of the table; nil for none.
    func isOfAccount(_ alias: String? = nil) -> String { TableSQL.isOfAccount(alias, isShared: namespace.isShared) }
}
