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
        tables.begin()
        connection.lookup.removeAll()
    }

    var schema: Schema { layout.schema }

    func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        switch access(hierarchy) {
        case .records(let records): try records.find(key)?.record
        case .journal(let journal, let records): try journal.find(key, of: records)?.record
        }
    }

    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        let query = try BoundQuery(query, in: schema)
        let rows = access(query.shape).rows
        let sql = QuerySQL(query, in: layout)
        try connection.withStatement(sql.text) { statement in
            try sql.bind(to: statement, on: connection)
            while try statement.step() {
                if try !body(rows.read(statement)) { return }
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
        let rows = access(entity).rows
        let query = try BoundQuery(Query(entity.name, where: filter), in: schema)
        guard rows.table.hasDigest else {
            return try forEach(Query(entity.name, where: filter)) { record in
                try body(record.key, digest(of: record))
                return true
            }
        }
        let sql = QuerySQL(digestsOf: query, in: layout)
        try connection.withStatement(sql.text) { statement in
            try sql.bind(to: statement, on: connection)
            while try statement.step() {
                try body(rows.readKey(statement, from: 1), UInt64(bitPattern: statement.int64(at: 0)))
            }
        }
    }

    func digest(of record: Record) -> UInt64 {
        record.digest(seed: layout.digestSeed)
    }

    func put(_ record: Record) throws -> Record? {
        switch access(record.shape) {
        case .records(let records): try records.put(record)
        case .journal(let journal, let records): try journal.put(record, of: records)
        }
    }

    func insert(_ record: Record) throws {
        switch access(record.shape) {
        case .records(let records): try records.store(record)
        case .journal(let journal, let records): try journal.insert(record, of: records)
        }
    }

    func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        switch access(hierarchy) {
        case .records(let records): try records.remove(key)
        case .journal(let journal, let records): try journal.remove(key, of: records)
        }
    }

    private func access(_ shape: Shape) -> TableCache.Access {
        tables.access(shape, on: connection)
    }
}

/// The tables of a layout that were used on one connection.
final class TableCache {
    let layout: Layout

    private var accesses: [String: Access] = [:]
    /// The two that were used last, which take turns as a rule: records and their journal.
    private var latest: (shape: Shape, access: Access)?
    private var previous: (shape: Shape, access: Access)?

    /// How the records of a shape are reached.
    enum Access {
        /// They stand in a table of their own.
        case records(TableAccess)
        /// They are the journal of the records of another.
        case journal(JournalAccess, TableAccess)

        /// The table that they stand in.
        var rows: TableAccess {
            switch self {
            case .records(let records): records
            case .journal(let journal, _): journal.rows
            }
        }
    }

    init(_ layout: Layout) {
        self.layout = layout
    }

    /// Forgets what was true in another transaction.
    func begin() {
        for case .records(let records) in accesses.values { records.begin() }
    }

    func access(_ shape: Shape, on connection: Connection) -> Access {
        if let latest, latest.shape === shape { return latest.access }
        if let previous, previous.shape === shape {
            swap(&latest, &self.previous)
            return previous.access
        }
        let access = accesses[shape.root] ?? make(shape, on: connection)
        previous = latest
        latest = (shape, access)
        return access
    }

    private func make(_ shape: Shape, on connection: Connection) -> Access {
        func rows(_ shape: Shape, journal: JournalAccess?) -> TableAccess {
            TableAccess(
                layout.table(of: shape), journal: journal, on: connection, digestSeed: layout.digestSeed)
        }
        if case .journal(let entity)? = shape.role, let recorded = layout.schema[entity] {
            guard case .records(let records) = access(recorded, on: connection), let journal = records.journal else {
                preconditionFailure("the records of \(entity) have no journal")
            }
            accesses[shape.root] = .journal(journal, records)
            return .journal(journal, records)
        }
        let journal = layout.schema.journal(of: shape).map { JournalAccess(rows($0, journal: nil), on: connection) }
        let access = Access.records(rows(shape, journal: journal))
        accesses[shape.root] = access
        return access
    }
}
