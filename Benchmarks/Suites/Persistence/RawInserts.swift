import SyncPersistence

/// New records in the tables of a store through SQLite's own functions: the least that storing them can cost.
struct RawInserts {
    private let database: RawDatabase

    /// A statement for each entity.
    private let inserts: [(entity: String, statement: OpaquePointer?)]

    init(path: String, schema: Schema) {
        let database = RawDatabase(path: path)
        self.database = database
        inserts = schema.shapes.map { shape in
            let columns = ["sync.digest"] + shape.slots.map(\.name)
            let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
            let places = columns.map { _ in "?" }.joined(separator: ", ")
            return (shape.name, database.prepare("INSERT INTO \"\(shape.name)\" (\(names)) VALUES (\(places))"))
        }
    }

    /// Stores new records in one transaction.
    func store(_ records: [Record]) {
        database.store(records) { record in
            for insert in inserts where insert.entity == record.entity { return insert.statement }
            preconditionFailure("there is no table of \(record.entity)")
        }
    }
}
