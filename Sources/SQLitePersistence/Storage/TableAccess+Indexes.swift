import SyncPersistence

/// Indexes of a table that are made after its rows.
///
/// To sort all entries of an index once takes about half as long as to insert them one after the other. A table is
/// without its indexes within one transaction only: if that fails, SQLite restores the indexes with all else.
extension TableAccess {
    /// How many new rows a batch has at least for a table whose indexes are made later.
    private static let leastCount = 16

    /// Drops the indexes of a table that has fewer rows than it is about to get.
    ///
    /// - Parameter count: The number of rows that are stored next.
    /// - Returns: Whether indexes were dropped.
    func dropIndexes(forInserting count: Int) throws -> Bool {
        if hasChosenIndexes { return false }
        hasChosenIndexes = true
        guard count >= Self.leastCount, try lastRow() <= count, connection.suspendForeignKeys() else { return false }
        let indexes = table.indexes
        missingIndexes = indexes.map(\.definition)
        for index in indexes { try connection.execute("DROP INDEX IF EXISTS \(index.name)") }
        return true
    }

    /// Makes the indexes that the table lacks.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rows
    func makeIndexes() throws {
        // What fails is tried again before the commit, which so never leaves an index out.
        while let definition = missingIndexes.first {
            try connection.execute(definition)
            missingIndexes.removeFirst()
        }
    }
}

extension TableCache {
    /// Drops the indexes of tables to which most of their rows are about to be added.
    func dropIndexes(forInserting rows: [WriteBehind.Row], on connection: Connection) throws {
        var counts: [(shape: Shape, count: Int)] = []
        for case .record(let record) in rows {
            if let position = counts.firstIndex(where: { $0.shape === record.shape }) {
                counts[position].count += 1
            } else {
                counts.append((record.shape, 1))
            }
        }
        for (shape, count) in counts {
            let access = access(shape, on: connection)
            if !access.isJournal, try access.records.dropIndexes(forInserting: count) {
                withoutIndexes.append(access.records)
            }
        }
    }

    /// Makes all indexes that tables lack.
    func makeIndexes() throws {
        for table in withoutIndexes { try table.makeIndexes() }
        withoutIndexes = []
    }
}
