import SyncPersistence

/// Indexes that are created after the rows of their table.
///
/// Creating an index at once takes about half as long as inserting its entries one by one. A table lacks its indexes
/// only within one transaction. If that fails, SQLite restores the indexes with everything else.
extension TableAccess {
    /// The minimum number of new rows in a batch for which indexes are dropped.
    private static let leastCount = 16

    /// Drops the indexes of a table if at least half of its rows are about to be inserted.
    ///
    /// The first batch of a transaction decides; later calls do nothing.
    ///
    /// - Parameter count: The number of rows that are inserted next.
    /// - Returns: Whether indexes were dropped.
    func dropIndexes(forInserting count: Int) throws -> Bool {
        if hasChosenIndexes { return false }
        hasChosenIndexes = true
        guard count >= Self.leastCount, try lastRow() <= count else { return false }
        let indexes = table.indexes
        missingIndexes = indexes.map(\.definition)
        for index in indexes { try connection.execute("DROP INDEX IF EXISTS \(index.name)") }
        return true
    }

    /// Creates the indexes that the table lacks.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rows
    func makeIndexes() throws {
        // An index that fails stays in the list. `finish(_:)` tries it again before the commit, so no commit lacks an
        // index.
        while let definition = missingIndexes.first {
            try connection.execute(definition)
            missingIndexes.removeFirst()
        }
    }
}

extension TableCache {
    /// Drops the indexes of tables that are about to receive most of their rows.
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

    /// Creates all indexes that tables lack.
    func makeIndexes() throws {
        for table in withoutIndexes { try table.makeIndexes() }
        withoutIndexes = []
    }
}
