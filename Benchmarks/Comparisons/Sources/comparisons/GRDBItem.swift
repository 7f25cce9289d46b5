import GRDB
import SyncPersistence

/// A record as an app keeps it with GRDB, if speed counts: it writes and reads its columns itself.
///
/// What `Codable` makes of the same struct is slower.
struct GRDBItem: PersistableRecord, FetchableRecord {
    static let databaseTableName = "item"
    static var databaseSelection: [any SQLSelectable] {
        [Columns.id, Columns.payload, Columns.title, Columns.revision]
    }

    enum Columns {
        static let id = Column("id")
        static let payload = Column("payload")
        static let title = Column("title")
        static let revision = Column("revision")
    }

    let id: String
    let payload: String
    let title: String
    let revision: Int64

    init(row: Row) {
        id = row[0]
        payload = row[1]
        title = row[2]
        revision = row[3]
    }

    init(_ record: SyncPersistence.Record) {
        guard case .string(let id) = record.values[0], case .string(let payload) = record.values[1],
            case .string(let title) = record.values[2], case .integer(let revision) = record.values[3]
        else { preconditionFailure("items hold text and integers") }
        self.id = id
        self.payload = payload
        self.title = title
        self.revision = revision
    }

    func encode(to container: inout PersistenceContainer) {
        container[Columns.id] = id
        container[Columns.payload] = payload
        container[Columns.title] = title
        container[Columns.revision] = revision
    }
}
