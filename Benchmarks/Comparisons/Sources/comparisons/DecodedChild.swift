import GRDB

/// An object within another one.
struct DecodedChild: Decodable, Equatable {
    let id: Int64
    let text: String?
    let position: Int64?
    let isDone: Bool?
}

/// A child with the key of the item that it is in.
struct StoredChild: StoredRow, Equatable {
    let child: DecodedChild
    let item: String?

    static let databaseTableName = "child"
    static let columns = ["id", "text", "position", "isDone", "item"]

    init(_ child: DecodedChild, in item: String) {
        self.child = child
        self.item = item
    }

    init(row: Row) {
        child = DecodedChild(id: row[0], text: row[1], position: row[2], isDone: row[3])
        item = row[4]
    }

    var id: Int64 { child.id }
    var values: [(any DatabaseValueConvertible)?] { [child.id, child.text, child.position, child.isDone, item] }

    func isStored(as other: StoredChild) -> Bool { self == other }
}
