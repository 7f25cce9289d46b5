import SyncPersistence

/// The tables of a layout that a connection has used, with its cached queries.
final class TableCache {
    /// The tables of the schema.
    let layout: Layout

    /// The SQL of queries with a single equality condition.
    var equalityQueries = EqualityQueries()
    /// The plans of recent queries.
    var plans = QueryPlans()

    /// The tables whose indexes are created later in the transaction.
    var withoutIndexes: [TableAccess] = []

    /// The access to each table, by the name of its root shape.
    private var accesses: [String: Access] = [:]

    /// The access to the records of a shape.
    struct Access {
        /// The table of the records, or for a journal the table of the records it describes.
        let records: TableAccess

        /// Whether the records are entries of a journal.
        let isJournal: Bool

        /// The table that stores the records.
        var rows: TableAccess { journal?.rows ?? records }

        /// The journal that stores the records; nil if they are not entries.
        @inline(__always)
        var journal: JournalAccess? { isJournal ? records.journal : nil }
    }

    /// Creates a cache without prepared statements.
    init(_ layout: Layout) {
        self.layout = layout
    }

    /// Discards what was known in the last transaction.
    func begin() {
        withoutIndexes = []
        for access in accesses.values where !access.isJournal { access.records.begin() }
    }

    /// Ends the scans of a transaction that only reads.
    func endScans() {
        for access in accesses.values { access.records.scan.end() }
    }

    /// Returns access to the table of a shape.
    func access(_ shape: Shape, on connection: Connection) -> Access {
        accesses[shape.root] ?? make(shape, on: connection)
    }

    /// Creates access to the table of a shape.
    private func make(_ shape: Shape, on connection: Connection) -> Access {
        func rows(_ shape: Shape, journal: JournalAccess?) -> TableAccess {
            TableAccess(
                layout.table(of: shape), journal: journal, on: connection, digestSeed: layout.digestSeed)
        }
        let access: Access
        if case .journal(let entity)? = shape.role, let recorded = layout.schema[entity] {
            let records = self.access(recorded, on: connection).records
            precondition(records.journal != nil, "the records of \(entity) have no journal")
            access = Access(records: records, isJournal: true)
        } else {
            let journal = layout.schema.journal(of: shape).map { JournalAccess(rows($0, journal: nil)) }
            access = Access(records: rows(shape, journal: journal), isJournal: false)
        }
        accesses[shape.root] = access
        return access
    }
}
