import SyncPersistence

/// The table of a hierarchy of entities.
///
/// It has a column for the order of insertion, one for the entity if there are several, one for the digest, and those
/// of the slots.
final class Table: Sendable {
    /// The topmost shape.
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
    /// The library's own records have none.
    let hasDigest: Bool

    /// Whether the rows are the journal of another table, whose row numbers they share.
    var isJournal: Bool { Table.isJournal(root) }

    static func isJournal(_ shape: Shape) -> Bool { if case .journal = shape.role { true } else { false } }

    /// The contents of the columns.
    let types: [AttributeType]

    /// The columns of the primary key, by their position.
    let keyColumns: [Int]

    /// The type of the primary key, if it has one column.
    let singleKeyType: AttributeType?

    /// Whether a slot besides the key has an index.
    let isIndexed: Bool

    /// The columns with an index: those of a slot that is indexed in any shape.
    let indexedColumns: [Bool]

    /// The places of the slots, if there is only one shape.
    let places: ShapePlaces?

    /// The places of the slots of each shape, by its name.
    private let placesByName: [String: ShapePlaces]

    /// The statements that run once for each row.
    let sql: TableSQL

    /// The names of the columns besides those of the slots.
    static let ownColumns = ["sync.row", "sync.entity", "sync.digest", "sync.isGone"]

    init(_ root: Shape, in schema: Schema, names: NameMap) {
        let shapes = schema.hierarchy(of: root)
        var columns: [Column] = []
        var placesOfShapes = Dictionary(
            uniqueKeysWithValues: shapes.map { ($0.name, [SlotPlace?](repeating: nil, count: $0.slots.count)) })
        for slot in schema.columns(of: root) {
            let types = slot.slot.columnTypes
            let place = SlotPlace(start: columns.count, count: types.count, type: types[0])
            for (name, type) in zip(names.columns(of: slot.id, in: root.name), types) {
                columns.append(Column(name: quoted(name), plainName: name, type: type, slot: slot.slot))
            }
            for (shape, position) in slot.positions { placesOfShapes[shape]?[position] = place }
        }
        let placesByName = Dictionary(
            uniqueKeysWithValues: shapes.map { shape in
                (
                    shape.name,
                    ShapePlaces(shape, (placesOfShapes[shape.name] ?? []).compactMap { $0 }, of: columns.count)
                )
            })
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

    /// Returns the places of the slots of a shape.
    func places(of shape: String) -> ShapePlaces? { placesByName[shape] }

    /// Returns the places of the slots of a shape.
    @inline(__always)
    func places(of shape: Shape) -> ShapePlaces? {
        if let places, places.shape === shape { return places }
        return placesByName[shape.name]
    }

    /// The first column of the slots in a row of a query.
    let firstSlotColumn: Int
}

/// A column of a slot.
struct Column: Sendable {
    /// The name in quotes.
    let name: String
    /// The name without quotes.
    let plainName: String
    /// The content.
    let type: AttributeType
    /// The slot that it belongs to.
    let slot: Slot

    /// The declaration of the column in SQL.
    var declaration: String {
        switch type {
        case .bool, .integer: "INTEGER"
        case .double, .date: "REAL"
        case .decimal, .string, .uuid, .url, .json: "TEXT"
        case .bytes: "BLOB"
        }
    }

    /// The collation of its values, if it differs from SQLite's.
    var collation: String { type == .decimal ? " COLLATE sync_decimal" : "" }
}

/// The columns of one slot of a shape.
struct SlotPlace: Sendable {
    /// The first column among those of the slots.
    let start: Int
    /// The number of columns.
    let count: Int
    /// The type of the first.
    let type: AttributeType

    var columns: Range<Int> { start..<start + count }
}

/// The columns of a shape's slots.
final class ShapePlaces: Sendable {
    /// The shape.
    let shape: Shape

    /// The place of each slot.
    let slots: [SlotPlace]

    /// Whether each slot has one column, in the order of the slots, and there are no others.
    let isPlain: Bool

    init(_ shape: Shape, _ slots: [SlotPlace], of columnCount: Int) {
        precondition(slots.count == shape.slots.count, "a slot of \(shape.name) has no column")
        self.shape = shape
        self.slots = slots
        isPlain =
            slots.count == columnCount
            && zip(slots, slots.indices).allSatisfy { place, index in place.start == index && place.count == 1 }
    }
}
