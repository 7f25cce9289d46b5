import SyncPersistence

extension Pipeline {
    /// The most rows of one statement.
    private static let maximumRowCount = 1_000

    /// The most bytes of one statement, unless a single row has more.
    private static let maximumSize = 16_000_000

    /// Inserts records at the end of a table.
    ///
    /// The statement finds the last row number itself, so the caller needs no round trip for it. The lock of the writers
    /// keeps the number valid until the end of the transaction.
    ///
    /// - Parameter received: Called with the row of the first record, at the end of the pipeline.
    /// - Complexity: O(*n*), with one statement for each 1,000 records
    func insert(
        _ records: [Record], into table: Table, digestSeed: UInt64, _ received: @escaping (Int64) -> Void
    ) throws {
        var isFirst = true
        try forEachBatch(of: records, table) { batch, values in
            var parameters = Parameters()
            try append(batch, of: table, digestSeed, to: &parameters)
            for column in table.columns.indices {
                try parameters.append(values.map { $0[column] }, ofType: table.columns[column].type)
            }
            // The rows of the later batches follow.
            if isFirst {
                try send(table.sql.insert, parameters) { received($0.int64(0, 0) + 1) }
            } else {
                try send(table.sql.insert, parameters)
            }
            isFirst = false
        }
    }

    /// Replaces the records of rows.
    ///
    /// Keys do not change, so the columns of the key are not written. A table that has only key columns has no statement.
    ///
    /// - Complexity: O(*n*), with one statement for each 1,000 records
    func update(_ rows: [Int64], by records: [Record], in table: Table, digestSeed: UInt64) throws {
        if table.sql.update.isEmpty { return }
        var start = 0
        try forEachBatch(of: records, table) { batch, values in
            var parameters = Parameters()
            try parameters.append(rows[start..<start + batch.count].map { .integer($0) }, ofType: .integer)
            try append(batch, of: table, digestSeed, to: &parameters)
            for column in table.sql.updated {
                try parameters.append(values.map { $0[column] }, ofType: table.columns[column].type)
            }
            try send(table.sql.update, parameters)
            start += batch.count
        }
    }

    /// Deletes rows.
    ///
    /// - Complexity: O(*n*), with one statement for all rows
    func delete(_ rows: [Int64], from table: Table) throws {
        if rows.isEmpty { return }
        var parameters = Parameters()
        try parameters.append(rows.map { .integer($0) }, ofType: .integer)
        try send(table.sql.delete, parameters)
    }

    /// Adds the entities and digests of records, as far as the table has them.
    private func append(
        _ records: ArraySlice<Record>, of table: Table, _ digestSeed: UInt64, to parameters: inout Parameters
    ) throws {
        if table.hasEntity { try parameters.append(records.map { .string($0.entity) }, ofType: .string) }
        if table.hasDigest {
            try parameters.append(
                records.map { .integer(Int64(bitPattern: $0.digest(seed: digestSeed))) }, ofType: .integer)
        }
    }

    /// Calls the body with batches of records, and with their values by the columns of the table.
    private func forEachBatch(
        of records: [Record], _ table: Table, _ body: (ArraySlice<Record>, [[Value]]) throws -> Void
    ) throws {
        var start = 0
        var values: [[Value]] = []
        var size = 0
        for (position, record) in records.enumerated() {
            let row = table.values(of: record)
            let rowSize = row.reduce(0) { $0 + $1.sentSize }
            if !values.isEmpty, values.count == Self.maximumRowCount || size + rowSize > Self.maximumSize {
                try body(records[start..<position], values)
                (start, values, size) = (position, [], 0)
            }
            values.append(row)
            size += rowSize
        }
        if !values.isEmpty { try body(records[start...], values) }
    }
}
