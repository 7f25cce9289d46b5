import SyncPersistence

/// A table on one connection, with the statements that are used row after row.
final class TableAccess {
    let table: Table

    private unowned let connection: Connection
    private let digestSeed: UInt64

    private var select: Statement?
    private var insert: Statement?
    private var update: Statement?
    private var updateWithIndexed: Statement?
    private var delete: Statement?

    init(_ table: Table, on connection: Connection, digestSeed: UInt64) {
        self.table = table
        self.connection = connection
        self.digestSeed = digestSeed
    }
}

extension TableAccess {
    /// The record with a key, and its row.
    ///
    /// - Parameter known: A record that is likely to have the same values.
    func find(_ key: Value, known: Record? = nil) throws -> (row: Int64, record: Record)? {
        let statement = try prepared(&select, table.sql.select)
        defer { statement.reset() }
        guard try bindKey(key, to: statement), try statement.step() else { return nil }
        return (statement.int64(at: 0), try read(statement, known: known))
    }

    /// Binds the parts of a key; false if no record can have it.
    private func bindKey(_ key: Value, to statement: Statement) throws -> Bool {
        let columns = table.keyColumns
        if table.root.keySlots.count == 1, columns.count == 1 {
            guard !key.isNull, table.columns[columns[0]].type.admits(key) else { return false }
            try statement.bind(key, as: table.columns[columns[0]].type, at: 1)
            return true
        }
        var parts: [Value] = []
        key.appendParts(to: &parts)
        guard parts.count == columns.count else { return false }
        for (position, (part, column)) in zip(parts, columns).enumerated() {
            guard !part.isNull, table.columns[column].type.admits(part) else { return false }
            try statement.bind(part, as: table.columns[column].type, at: position + 1)
        }
        return true
    }

    /// The record of the row that a statement has stepped to, which reads the table's selection.
    @inline(__always)
    func read(_ statement: Statement, known: Record? = nil) throws -> Record {
        let places = try places(statement)
        let first = table.firstSlotColumn
        let isKnown = known?.shape === places.shape
        let values = try [Value](unsafeUninitializedCapacity: places.slots.count) { buffer, count in
            for place in places.slots {
                let value: Value
                if place.count == 1 {
                    value = try statement.value(
                        place.type, at: first + place.start, known: isKnown ? known!.values[count] : .null)
                } else {
                    value = try composite(place, statement)
                }
                (buffer.baseAddress! + count).initialize(to: value)
                count += 1
            }
        }
        return Record(places.shape, slots: values)
    }

    /// The key in the columns of a row that begin with the given one.
    @inline(__always)
    func readKey(_ statement: Statement, from first: Int) throws -> Value {
        let columns = table.keyColumns
        if columns.count == 1 { return try statement.value(table.columns[columns[0]].type, at: first) }
        var values = try columns.enumerated().map { try statement.value(table.columns[$1].type, at: first + $0) }[...]
        return .array(
            table.root.keySlots.map { slot in
                let count = table.root.slots[slot].columnTypes.count
                defer { values = values.dropFirst(count) }
                return count == 1 ? values.first ?? .null : .array(Array(values.prefix(count)))
            })
    }

    private func composite(_ place: SlotPlace, _ statement: Statement) throws -> Value {
        let parts = try place.columns.map {
            try statement.value(table.columns[$0].type, at: table.firstSlotColumn + $0)
        }
        return parts.contains(.null) ? .null : .array(parts)
    }

    private func places(_ statement: Statement) throws -> ShapePlaces {
        if !table.hasEntity, let places = table.places(of: table.root.name) { return places }
        let entity = statement.text(at: 1)
        if let places = table.places(of: entity) { return places }
        throw PersistenceError(
            .unreadable, "the database has a record of an entity '\(entity)', which the schema does not have: open it "
                + "with the schema that the record was stored with")
    }
}

extension TableAccess {
    /// Stores a record in the place of that with its key, and answers what was there.
    func put(_ record: Record) throws -> Record? {
        guard let (row, old) = try find(record.key, known: record) else {
            try store(record)
            return nil
        }
        if old == record { return old }
        let places = try places(of: record)
        let isIndexedChanged =
            old.shape != record.shape
            || record.shape.slots.indices.contains {
                record.shape.slots[$0].isIndexed && old.values[$0] != record.values[$0]
            }
        let (sql, positions) =
            isIndexedChanged
            ? (table.sql.updateWithIndexed, table.sql.updatedWithIndexed) : (table.sql.update, table.sql.updated)
        let statement =
            isIndexedChanged
            ? try prepared(&updateWithIndexed, sql) : try prepared(&update, sql)
        defer { statement.reset() }
        var parameter = try bindOwn(record, to: statement)
        try bind(record, places, columns: positions, to: statement, from: &parameter)
        try statement.bind(row, at: parameter)
        _ = try statement.step()
        return old
    }

    /// Stores a new record.
    func store(_ record: Record) throws {
        let places = try places(of: record)
        let statement = try prepared(&insert, table.sql.insert)
        defer { statement.reset() }
        var parameter = try bindOwn(record, to: statement)
        try bind(record, places, columns: Array(table.columns.indices), to: statement, from: &parameter)
        _ = try statement.step()
    }

    /// Takes a record away and answers it.
    func remove(_ key: Value) throws -> Record? {
        guard let (row, old) = try find(key) else { return nil }
        let statement = try prepared(&delete, table.sql.delete)
        defer { statement.reset() }
        try statement.bind(row, at: 1)
        _ = try statement.step()
        return old
    }

    private func places(of record: Record) throws -> ShapePlaces {
        if let places = table.places(of: record.entity) { return places }
        preconditionFailure("a record of \(record.entity) does not stand in the table of \(table.root.name)")
    }

    /// Binds entity and digest, and answers the next parameter.
    @inline(__always)
    private func bindOwn(_ record: Record, to statement: Statement) throws -> Int {
        var parameter = 1
        if table.hasEntity {
            try statement.bind(record.entity, at: parameter)
            parameter += 1
        }
        if table.hasDigest {
            try statement.bind(Int64(bitPattern: record.digest(seed: digestSeed)), at: parameter)
            parameter += 1
        }
        return parameter
    }

    private func bind(
        _ record: Record, _ places: ShapePlaces, columns: [Int], to statement: Statement, from parameter: inout Int
    ) throws {
        if places.isPlain {
            // One column a slot, in the same order.
            for column in columns {
                try statement.bind(record.values[column], as: places.slots[column].type, at: parameter)
                parameter += 1
            }
            return
        }
        var values = [Value](repeating: .null, count: table.columns.count)
        for (slot, place) in places.slots.enumerated() {
            let value = record.values[slot]
            if place.count == 1 {
                values[place.start] = value
            } else if case .array(let parts) = value {
                for (column, part) in zip(place.columns, parts) { values[column] = part }
            }
        }
        for column in columns {
            try statement.bind(values[column], as: table.columns[column].type, at: parameter)
            parameter += 1
        }
    }

    @inline(__always)
    private func prepared(_ statement: inout Statement?, _ sql: String) throws -> Statement {
        if let statement { return statement }
        let new = try connection.prepare(sql)
        statement = new
        return new
    }
}

extension Record {
    /// The digest of entity and values.
    func digest(seed: UInt64) -> UInt64 {
        let digest = ContentDigest.digest(of: values, seed: seed)
        if shape.name == shape.root { return digest }
        return Value.string(shape.name).digest(seed: digest)
    }
}

extension Value {
    /// Appends the parts of a key, those of its parts among them.
    func appendParts(to parts: inout [Value]) {
        if case .array(let elements) = self {
            for element in elements { element.appendParts(to: &parts) }
        } else {
            parts.append(self)
        }
    }
}
