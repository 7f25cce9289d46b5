import SyncPersistence

/// The table of a hierarchy of entities.
///
/// The table has these columns:
///
/// | Column | Content |
/// |---|---|
/// | `sync.row` | The row number, in the order of insertion |
/// | `sync.entity` | The entity, if the hierarchy has several |
/// | `sync.digest` | The digest of the record, for entities and links only |
/// | one or more for each slot | The values |
/// | `sync.isGone` | In a journal: whether the entry's record was deleted |
final class Table: SQLTable {
    /// A column of a slot.
    typealias TableColumn = Column

    /// The topmost shape of the hierarchy.
    let root: Shape

    /// The name in quotes.
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

    /// Whether the rows are the journal of another table.
    ///
    /// An entry has the same row number as its record.
    var isJournal: Bool { Table.isJournal(root) }

    /// Whether a shape is that of a journal.
    static func isJournal(_ shape: Shape) -> Bool { if case .journal = shape.role { true } else { false } }

    /// The types of the columns, by position.
    let types: [AttributeType]

    /// The number of columns of each key slot.
    let keyColumnCounts: [Int]

    /// The positions of the key's columns.
    let keyColumns: [Int]

    /// The type of the key; nil if the key has several columns.
    let singleKeyType: AttributeType?

    /// Whether any slot has an index of its own.
    let isIndexed: Bool

    /// For each column, whether its slot is indexed.
    let indexedColumns: [Bool]

    /// The columns of each slot; nil if the hierarchy has several shapes.
    let places: ShapePlaces?

    /// The columns of each shape's slots, by the name of the shape.
    private let placesByName: [String: ShapePlaces]

    /// The statements that run once for each row.
    let sql: TableSQL

    /// The names of all columns that do not belong to slots.
    static let ownColumns = ["sync.row", "sync.entity", "sync.digest", "sync.isGone"]

    /// Creates the table of a hierarchy, with the given column names.
    init(_ root: Shape, in schema: Schema, names: NameMap) {
        let shapes = schema.hierarchy(of: root)
        let slots = schema.columns(of: root)
        let columns: [Column] = slots.flatMap { slot in
            zip(names.columns(of: slot.id, in: root.name), slot.slot.columnTypes).map { name, type in
                Column(name: quoted(name), plainName: name, type: type, slot: slot.slot)
            }
        }
        let placesByName = ShapePlaces.all(of: shapes, in: slots)
        hasEntity = shapes.count > 1
        firstSlotColumn = shapes.count > 1 ? 2 : 1
        hasDigest = root.role == nil || root.role == .links
        self.root = root
        plainName = names.table(of: root.name)
        name = quoted(plainName)
        self.columns = columns
        types = columns.map(\.type)
        let key = placesByName[root.name].map { places in root.keySlots.flatMap { places.slots[$0].columns } } ?? []
        keyColumns = key
        keyColumnCounts = root.keySlots.map { root.slots[$0].columnTypes.count }
        singleKeyType = root.keySlots.count == 1 && key.count == 1 ? columns[key[0]].type : nil
        indexedColumns = columns.map(\.slot.isIndexed)
        isIndexed = columns.contains { $0.slot.isIndexed }
        self.placesByName = placesByName
        let places = shapes.count == 1 ? placesByName[root.name] : nil
        self.places = places
        let ownSlots = JournalShape.ownSlots(declaredBy: root.name)
        sql = TableSQL(
            name: name, columns: columns, keyColumns: key, hasEntity: hasEntity, hasDigest: hasDigest,
            imageCount: Table.isJournal(root) && places?.isPlain == true ? columns.count - ownSlots.count : 0)
    }

    /// Returns the columns of a shape's slots; nil if the table does not store the shape.
    func places(of shape: String) -> ShapePlaces? { placesByName[shape] }

    /// Returns the columns of a shape's slots; nil if the table does not store the shape.
    @inline(__always)
    func places(of shape: Shape) -> ShapePlaces? {
        if let places, places.shape === shape { return places }
        return placesByName[shape.name]
    }

    /// The position of the first slot's column in the table's selection: after the row, and the entity if there are
    /// several.
    let firstSlotColumn: Int
}

/// A column of a slot.
struct Column: SQLColumn {
    /// The name in quotes.
    let name: String
    /// The name without quotes.
    let plainName: String
    /// The type of the values.
    let type: AttributeType
    /// The slot of the column.
    let slot: Slot

    /// The type of the column in SQL.
    var declaration: String {
        switch type {
        case .bool, .integer: "INTEGER"
        case .double, .date: "REAL"
        case .decimal, .string, .uuid, .url, .json: "TEXT"
        case .bytes: "BLOB"
        }
    }
}
