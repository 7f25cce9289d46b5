import SyncPersistence

/// The tables of a layout that were used on one connection.
final class TableCache {
    let layout: Layout

    var equalityQueries = EqualityQueries()
    var plans = QueryPlans()

    /// The tables whose indexes are made later in the transaction.
    var withoutIndexes: [TableAccess] = []

    private var accesses: [String: Access] = [:]

    // The two that were used last, which take turns as a rule: records and their journal.
    private var latestShape: Shape?
    private var latest: Access?
    private var previousShape: Shape?
    private var previous: Access?

    /// How the records of a shape are reached.
    struct Access {
        /// The table that they stand in, or that of the records whose journal they are.
        let records: TableAccess

        /// Whether they are a journal.
        let isJournal: Bool

        /// The table that they stand in.
        var rows: TableAccess { journal?.rows ?? records }

        /// The journal that they are.
        @inline(__always)
        var journal: JournalAccess? { isJournal ? records.journal : nil }
    }

    init(_ layout: Layout) {
        self.layout = layout
    }

    /// Forgets what was true in another transaction.
    func begin() {
        withoutIndexes = []
        for access in accesses.values where !access.isJournal { access.records.begin() }
    }

    func access(_ shape: Shape, on connection: Connection) -> Access {
        if latestShape === shape, let latest { return latest }
        if previousShape === shape {
            swap(&latestShape, &previousShape)
            swap(&latest, &previous)
        } else {
            let access = accesses[shape.root] ?? make(shape, on: connection)
            (previousShape, previous) = (latestShape, latest)
            (latestShape, latest) = (shape, access)
        }
        return latest!
    }

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
