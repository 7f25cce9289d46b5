import SyncPersistence

/// The table of a hierarchy of entities: a column for the place in the order of storing, one for the entity where there
/// are several, one for the digest, and those of the slots.
final class Table: Sendable {
    /// The topmost shape.
    let root: Shape

    /// The name, in quotes.
    let name: String

    /// The name as it is.
    let plainName: String

    /// The columns of the slots.
    let columns: [Column]

    /// Whether a column tells the entity.
    let hasEntity: Bool

    /// Whether a column holds the digest: records that come from outside have one, those of the library's own do not.
    let hasDigest: Bool

    /// Whether the rows are the journal of those of another table, whose numbers they have.
    var isJournal: Bool { Table.isJournal(root) }

    static func isJournal(_ shape: Shape) -> Bool { if case .journal = shape.role { true } else { false } }

    /// What the columns hold.
    let types: [AttributeType]

    /// The columns of the primary key, by their position.
    let keyColumns: [Int]

    /// The type of the primary key, if it has one column.
    let singleKeyType: AttributeType?

    /// Whether a slot besides the key has an index.
    let isIndexed: Bool

    /// Which columns have an index: a slot's that has one in any shape.
    let indexedColumns: [Bool]

    /// Where the slots stand, if there is one shape alone.
    let places: ShapePlaces?

    /// Where the slots of a shape stand, by its name.
    private let placesByName: [String: ShapePlaces]

    /// What is asked and done by key, row after row.
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
        let ownSlots = JournalEntry.ownSlots(declaredBy: root.name)
        sql = TableSQL(
            name: name, columns: columns, keyColumns: key, hasEntity: hasEntity, hasDigest: hasDigest,
            imageCount: Table.isJournal(root) && places?.isPlain == true ? columns.count - ownSlots.count : 0)
    }

    /// Where the slots of a shape stand.
    func places(of shape: String) -> ShapePlaces? { placesByName[shape] }

    /// Where the slots of a shape stand.
    @inline(__always)
    func places(of shape: Shape) -> ShapePlaces? {
        if let places, places.shape === shape { return places }
        return placesByName[shape.name]
    }

    /// The first column of the slots in a row that is read.
    let firstSlotColumn: Int
}

/// A column of a slot.
struct Column: Sendable {
    /// The name, in quotes.
    let name: String
    /// The name as it is.
    let plainName: String
    /// What it holds.
    let type: AttributeType
    /// The slot that it belongs to.
    let slot: Slot

    /// What SQLite is told of it.
    var declaration: String {
        switch type {
        case .bool, .integer: "INTEGER"
        case .double, .date: "REAL"
        case .decimal, .string, .uuid, .url, .json: "TEXT"
        case .bytes: "BLOB"
        }
    }

    /// How its values are compared, where it is not as SQLite does it.
    var collation: String { type == .decimal ? " COLLATE sync_decimal" : "" }
}

/// The columns of one slot of a shape.
struct SlotPlace: Sendable {
    /// The first column among those of the slots.
    let start: Int
    /// How many there are.
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
