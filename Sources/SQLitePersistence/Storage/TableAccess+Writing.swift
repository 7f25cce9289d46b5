import SyncPersistence

extension TableAccess {
    /// Binds the row number after the columns; nil binds NULL, and SQLite appends the row.
    ///
    /// All parameters are bound before each run, because a rewound statement keeps its bindings.
    func bind(_ row: Int64?, after columns: [Int], to statement: Statement) throws {
        let parameter = (table.hasEntity ? 1 : 0) + (table.hasDigest ? 1 : 0) + columns.count + 1
        if let row {
            try statement.bind(row, at: parameter)
        } else {
            try statement.bindNull(at: parameter)
        }
    }

    /// Writes columns of a record by a statement.
    ///
    /// Its first parameters are the entity, the digest and the columns; a table may lack the first two.
    func write(_ record: Record, columns: [Int], by statement: Statement) throws {
        guard let places = table.places(of: record.shape) else {
            preconditionFailure("a record of \(record.entity) does not stand in the table of \(table.root.name)")
        }
        defer { statement.rewind() }
        var parameter = 1
        if table.hasEntity {
            try statement.bind(record.entity, at: parameter)
            parameter += 1
        }
        if table.hasDigest {
            try statement.bind(Int64(bitPattern: record.digest(seed: digestSeed)), at: parameter)
            parameter += 1
        }
        if places.isPlain {
            try bind(record.values, columns, to: statement, at: parameter)
        } else {
            try bind(places.values(of: record), columns, to: statement, at: parameter)
        }
    }

    /// Binds columns of a record, and runs the statement.
    ///
    /// - Parameter parameter: The index of the first column's parameter.
    @inline(__always)
    func bind(_ values: [Value], _ columns: [Int], to statement: Statement, at parameter: Int) throws {
        try values.withUnsafeBufferPointer { values in
            try columns.withUnsafeBufferPointer { columns in
                try table.types.withUnsafeBufferPointer { types in
                    try bind(values, types, columns, from: 0, to: statement, at: parameter)
                }
            }
        }
    }

    /// Binds the columns from a position on, and runs the statement.
    ///
    /// It calls itself for the column after a text, so that text is bound without a copy.
    private func bind(
        _ values: UnsafeBufferPointer<Value>, _ types: UnsafeBufferPointer<AttributeType>,
        _ columns: UnsafeBufferPointer<Int>, from first: Int, to statement: Statement, at parameter: Int
    ) throws {
        var position = first
        while position < columns.count {
            let column = columns[position]
            if case .string(let text) = values[column], types[column] == .string {
                return try statement.binding(text, at: parameter &+ position) {
                    try bind(values, types, columns, from: position &+ 1, to: statement, at: parameter)
                }
            }
            try statement.bind(values[column], as: types[column], at: parameter &+ position)
            position &+= 1
        }
        _ = try statement.step()
    }
}
