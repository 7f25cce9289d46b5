import SyncPersistence

/// The rows of a database within one transaction on one connection.
final class SQLiteStorage: RecordStorage {
    let layout: Layout

    private let connection: Connection
    private let tables: TableCache

    /// The rows of the connection's database, which has the layout.
    init(_ connection: Connection, _ layout: Layout) {
        self.connection = connection
        self.layout = layout
        if let tables = connection.attachment as? TableCache, tables.layout === layout {
            self.tables = tables
        } else {
            tables = TableCache(layout)
            connection.attachment = tables
        }
    }

    var schema: Schema { layout.schema }

    func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        try access(hierarchy).find(key)?.record
    }

    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        let query = try BoundQuery(query, in: schema)
        let access = access(query.shape)
        let sql = QuerySQL(query, in: layout)
        try connection.withStatement(sql.text) { statement in
            try sql.bind(to: statement, on: connection)
            while try statement.step() {
                if try !body(access.read(statement)) { return }
            }
        }
    }

    func count(_ query: Query) throws -> Int {
        let sql = QuerySQL(countOf: try BoundQuery(query, in: schema), in: layout)
        return try connection.withStatement(sql.text) { statement in
            try sql.bind(to: statement, on: connection)
            _ = try statement.step()
            return Int(statement.int64(at: 0))
        }
    }

    func forEachDigest(
        _ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void
    ) throws {
        let access = access(entity)
        let query = try BoundQuery(Query(entity.name, where: filter), in: schema)
        guard access.table.hasDigest else {
            return try forEach(Query(entity.name, where: filter)) { record in
                try body(record.key, digest(of: record))
                return true
            }
        }
        let sql = QuerySQL(digestsOf: query, in: layout)
        try connection.withStatement(sql.text) { statement in
            try sql.bind(to: statement, on: connection)
            while try statement.step() {
                try body(access.readKey(statement, from: 1), UInt64(bitPattern: statement.int64(at: 0)))
            }
        }
    }

    func digest(of record: Record) -> UInt64 {
        record.digest(seed: layout.digestSeed)
    }

    func put(_ record: Record) throws -> Record? {
        try access(record.shape).put(record)
    }

    func insert(_ record: Record) throws {
        try access(record.shape).store(record)
    }

    func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        try access(hierarchy).remove(key)
    }
}

extension SQLiteStorage {
    private func access(_ shape: Shape) -> TableAccess {
        tables.access(shape, on: connection)
    }
}

/// The tables of a layout that were used on one connection.
final class TableCache {
    let layout: Layout

    private var tables: [String: TableAccess] = [:]
    private var latest: TableAccess?

    init(_ layout: Layout) {
        self.layout = layout
    }

    func access(_ shape: Shape, on connection: Connection) -> TableAccess {
        if let latest, latest.table.root.name == shape.root { return latest }
        let access =
            tables[shape.root]
            ?? TableAccess(layout.table(of: shape), on: connection, digestSeed: layout.digestSeed)
        tables[shape.root] = access
        latest = access
        return access
    }
}
