import CDifferentialSyncSQLite
import SyncPersistence

/// A table on one connection, with the statements that are used row after row.
final class TableAccess {
    let table: Table

    /// The journal of the table's records; nil for a table that has none.
    let journal: JournalAccess?

    // because: the connection owns what is kept of its tables, and lets go of it before it ends.
    private unowned(unsafe) let connection: Connection
    private let digestSeed: UInt64

    private var select: Statement?
    private var selectRow: Statement?
    private var selectLastRow: Statement?
    private var insert: Statement?
    private var insertImage: Statement?
    private var upsert: Statement?
    private var revision: Statement?
    private var update: Statement?
    private var updateWithIndexed: Statement?
    private var delete: Statement?

    /// The record that is being stored, and the one that is there under its key.
    private var arriving: Arriving?
    private var met: Result<Met, any Error>?

    /// Whether the record that was stored last was there.
    private var hasMet = false

    // because: they are here only while the record is held by whoever stores it.
    private struct Arriving {
        let shape: Unmanaged<Shape>
        let values: UnsafeBufferPointer<Value>
    }

    private struct Met {
        let row: Int64
        let record: Record
        let isSame: Bool
    }

    /// Which row was found, stored or taken away last; it is what the journal is asked about next.
    private var latest: (key: Value, place: RowPlace)?

    init(_ table: Table, journal: JournalAccess?, on connection: Connection, digestSeed: UInt64) {
        self.table = table
        self.journal = journal
        self.connection = connection
        self.digestSeed = digestSeed
    }

    /// Forgets what was true in another transaction.
    func begin() {
        latest = nil
        journal?.begin()
    }

    @inline(__always)
    private func prepared(_ statement: inout Statement?, _ sql: @autoclosure () -> String) throws -> Statement {
        if let statement { return statement }
        let new = try connection.prepare(sql(), flags: SQLITE_PREPARE_PERSISTENT)
        statement = new
        return new
    }
}

extension TableAccess {
    /// The record with a key, and its row.
    ///
    /// - Parameter known: A record that is likely to have the same values.
    func find(_ key: Value, known: Record? = nil) throws -> (row: Int64, record: Record)? {
        let statement = try prepared(&select, table.sql.select)
        defer { statement.rewind() }
        var found: (Int64, Record)?
        if let type = table.singleKeyType {
            guard !key.isNull, type.admits(key) else { return nil }
            try statement.binding(key, as: type, at: 1) {
                if try statement.step() { found = (statement.int64(at: 0), try read(statement, known: known)) }
            }
        } else {
            guard try bindParts(of: key, to: statement), try statement.step() else { return nil }
            found = (statement.int64(at: 0), try read(statement, known: known))
        }
        if let found { latest = (key, .stored(found.0)) }
        return found
    }

    /// Where a record with a key stands.
    func place(of key: Value) throws -> RowPlace {
        if let latest, latest.key == key { return latest.place }
        let statement = try prepared(&selectRow, table.sql.selectRow)
        defer { statement.rewind() }
        var place = RowPlace.nowhere
        if try bindKey(key, to: statement), try statement.step() { place = .stored(statement.int64(at: 0)) }
        latest = (key, place)
        return place
    }

    /// The last row.
    func lastRow() throws -> Int64 {
        let statement = try prepared(&selectLastRow, table.sql.selectLastRow)
        defer { statement.rewind() }
        _ = try statement.step()
        return statement.int64(at: 0)
    }

    /// Binds a key, of which SQLite makes a copy; false if no record can have it.
    func bindKey(_ key: Value, to statement: Statement) throws -> Bool {
        guard let type = table.singleKeyType else { return try bindParts(of: key, to: statement) }
        guard !key.isNull, type.admits(key) else { return false }
        try statement.bind(key, as: type, at: 1)
        return true
    }

    /// Binds the parts of a key; false if no record can have it.
    private func bindParts(of key: Value, to statement: Statement) throws -> Bool {
        var parts: [Value] = []
        key.appendParts(to: &parts)
        guard parts.count == table.keyColumns.count else { return false }
        for (position, (part, column)) in zip(parts, table.keyColumns).enumerated() {
            guard !part.isNull, table.types[column].admits(part) else { return false }
            try statement.bind(part, as: table.types[column], at: position + 1)
        }
        return true
    }

    /// Stores a record in the place of that with its key, and answers what was there.
    func put(_ record: Record) throws -> Record? {
        guard table.sql.hasUpsert, try journal?.mayHaveGone() != true else { return try putInSteps(record) }
        met = nil
        // Most change sets are of new records, or of known ones: what was true of the last is tried first.
        if hasMet { try write(record, by: prepared(&revision, table.sql.revision)) }
        if met == nil { try write(record, by: prepared(&upsert, table.sql.upsert)) }
        // A revision sets all columns but the key.
        hasMet = met != nil && !table.isIndexed
        guard let met = try met.take()?.get() else {
            latest = journal.map { _ in (record.key, .stored(connection.lastInsertRowID)) }
            return nil
        }
        latest = journal.map { _ in (record.key, .stored(met.row)) }
        if met.isSame { return record }
        if isIndexedChanged(from: met.record, to: record) { try replace(met.row, by: record, old: met.record) }
        return met.record
    }

    /// Runs a statement that asks whether to write the record over what is there.
    private func write(_ record: Record, by statement: Statement) throws {
        try record.values.withUnsafeBufferPointer { values in
            arriving = Arriving(shape: Unmanaged.passUnretained(record.shape), values: values)
            defer { arriving = nil }
            try connection.replacement.asking(self) {
                try write(record, columns: table.sql.inserted, by: statement)
            }
        }
    }

    /// Whether the record that is being stored differs from what is there, in columns without an index.
    func isToBeWritten(over present: FunctionArguments) -> Bool {
        guard let arriving else { return false }
        return arriving.shape._withUnsafeGuaranteedRef { shape in
            do {
                let old = try read(present, known: shape, arriving.values)
                let isSame = old.shape == shape && old.values.areSame(as: arriving.values)
                met = .success(Met(row: present.int64(at: 0), record: old, isSame: isSame))
                return !isSame && !isIndexedChanged(from: old, to: shape, arriving.values)
            } catch {
                met = .failure(error)
                return false
            }
        }
    }

    /// Stores a record that may have a row of its own to return to, or is too wide to be compared while it is written.
    private func putInSteps(_ record: Record) throws -> Record? {
        guard let (row, old) = try find(record.key, known: record) else {
            try store(record)
            return nil
        }
        if old == record { return record }
        try replace(row, by: record, old: old)
        return old
    }

    /// Changes the record of a row.
    func replace(_ row: Int64, by record: Record, old: Record) throws {
        if isIndexedChanged(from: old, to: record) {
            let statement = try prepared(&updateWithIndexed, table.sql.updateWithIndexed)
            try bind(row, after: table.sql.updatedWithIndexed, to: statement)
            try write(record, columns: table.sql.updatedWithIndexed, by: statement)
        } else {
            let statement = try prepared(&update, table.sql.update)
            try bind(row, after: table.sql.updated, to: statement)
            try write(record, columns: table.sql.updated, by: statement)
        }
    }

    private func isIndexedChanged(from old: Record, to new: Record) -> Bool {
        new.values.withUnsafeBufferPointer { isIndexedChanged(from: old, to: new.shape, $0) }
    }

    private func isIndexedChanged(
        from old: Record, to shape: Shape, _ values: UnsafeBufferPointer<Value>
    ) -> Bool {
        if !table.isIndexed { return false }
        guard old.shape == shape, let places = table.places(of: shape) else { return true }
        return places.slots.indices.contains {
            table.indexedColumns[places.slots[$0].start] && old.values[$0] != values[$0]
        }
    }

    /// Stores a new record, in the place that it had if the journal knows of it.
    func store(_ record: Record) throws {
        let key = record.key
        try store(record, row: journal?.takeRow(of: key, in: self))
        latest = (key, .stored(connection.lastInsertRowID))
    }

    /// Stores a new record in a row, or after the last one.
    func store(_ record: Record, row: Int64?) throws {
        let statement = try prepared(&insert, table.sql.insert)
        try bind(row, after: table.sql.inserted, to: statement)
        try write(record, columns: table.sql.inserted, by: statement)
    }

    /// Stores the image of a record in a row of the journal that the table is.
    func storeImage(_ record: Record, row: Int64) throws {
        let statement = try prepared(&insertImage, table.sql.insertImage)
        defer { statement.rewind() }
        try statement.bind(row, at: record.values.count + 1)
        try bind(record.values, table.sql.image, to: statement, at: 1)
    }

    /// Takes a record away and answers it.
    func remove(_ key: Value) throws -> Record? {
        guard let (row, old) = try find(key) else { return nil }
        try remove(row)
        try journal?.noteRemoval(of: row)
        latest = (key, .left(row))
        return old
    }

    /// Takes the record of a row away.
    func remove(_ row: Int64) throws {
        let statement = try prepared(&delete, table.sql.delete)
        defer { statement.rewind() }
        try statement.bind(row, at: 1)
        _ = try statement.step()
    }
}

extension TableAccess {
    /// Binds the row after the columns, or NULL for a new one.
    ///
    /// All parameters are bound before each run: the statement is rewound with what it was bound to.
    private func bind(_ row: Int64?, after columns: [Int], to statement: Statement) throws {
        let parameter = (table.hasEntity ? 1 : 0) + (table.hasDigest ? 1 : 0) + columns.count + 1
        if let row {
            try statement.bind(row, at: parameter)
        } else {
            try statement.bindNull(at: parameter)
        }
    }

    /// Writes columns of a record by a statement whose first parameters are entity, digest, and the columns.
    private func write(_ record: Record, columns: [Int], by statement: Statement) throws {
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
            try bind(spread(record, places), columns, to: statement, at: parameter)
        }
    }

    @inline(__always)
    private func bind(_ values: [Value], _ columns: [Int], to statement: Statement, at parameter: Int) throws {
        try values.withUnsafeBufferPointer { values in
            try columns.withUnsafeBufferPointer { columns in
                try table.types.withUnsafeBufferPointer { types in
                    try bind(values, types, columns, from: 0, to: statement, at: parameter)
                }
            }
        }
    }

    /// Binds the columns from one on, and runs the statement.
    ///
    /// It calls itself for the next column, so that text is bound where it stands, without a copy.
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

    /// The values by the columns of the table.
    private func spread(_ record: Record, _ places: ShapePlaces) -> [Value] {
        var values = [Value](repeating: .null, count: table.columns.count)
        for (slot, place) in places.slots.enumerated() {
            let value = record.values[slot]
            if place.count == 1 {
                values[place.start] = value
            } else if case .array(let parts) = value {
                for (column, part) in zip(place.columns, parts) { values[column] = part }
            }
        }
        return values
    }
}

extension TableAccess {
    /// The record of the row that a statement has stepped to, or a function is called with: the table's selection.
    ///
    /// - Parameter known: A record that is likely to have the same values.
    func read(_ statement: some SQLValues, known: Record? = nil) throws -> Record {
        guard let known else { return try read(statement, known: nil, nil) }
        return try known.values.withUnsafeBufferPointer { try read(statement, known: known.shape, $0) }
    }

    @inline(__always)
    private func read(
        _ statement: some SQLValues, known shape: Shape?, _ values: UnsafeBufferPointer<Value>?
    ) throws -> Record {
        let places = try table.places ?? places(statement)
        return Record(
            places.shape, slots: try read(statement, places, known: shape === places.shape ? values : nil))
    }

    @inline(__always)
    private func read(
        _ statement: some SQLValues, _ places: ShapePlaces, known: UnsafeBufferPointer<Value>?
    ) throws -> [Value] {
        let first = table.firstSlotColumn
        return try places.slots.withUnsafeBufferPointer { slots in
            try [Value](unsafeUninitializedCapacity: slots.count) { buffer, count in
                while count < slots.count {
                    let place = slots[count]
                    let value =
                        if place.count != 1 {
                            try composite(place, statement)
                        } else if let known {
                            try statement.value(place.type, at: first &+ place.start, known: known[count])
                        } else {
                            try statement.value(place.type, at: first &+ place.start)
                        }
                    (buffer.baseAddress! + count).initialize(to: value)
                    count &+= 1
                }
            }
        }
    }

    /// The key in the columns of a row that begin with the given one.
    @inline(__always)
    func readKey(_ statement: Statement, from first: Int) throws -> Value {
        if let type = table.singleKeyType { return try statement.value(type, at: first) }
        let columns = table.keyColumns
        var values = try columns.enumerated().map { try statement.value(table.types[$1], at: first + $0) }[...]
        return .array(
            table.root.keySlots.map { slot in
                let count = table.root.slots[slot].columnTypes.count
                defer { values = values.dropFirst(count) }
                return count == 1 ? values.first ?? .null : .array(Array(values.prefix(count)))
            })
    }

    private func composite(_ place: SlotPlace, _ statement: some SQLValues) throws -> Value {
        let parts = try place.columns.map {
            try statement.value(table.types[$0], at: table.firstSlotColumn + $0)
        }
        return parts.contains(.null) ? .null : .array(parts)
    }

    /// Where the slots of the row's entity stand.
    private func places(_ statement: some SQLValues) throws -> ShapePlaces {
        let entity = statement.text(at: 1)
        if let places = table.places(of: entity) { return places }
        throw PersistenceError(
            .unreadable,
            "the database has a record of an entity '\(entity)', which the schema does not have: open it with the schema "
                + "that the record was stored with")
    }
}

extension Record {
    /// The digest of entity and values.
    func digest(seed: UInt64) -> UInt64 {
        let digest = ContentDigest.digest(of: values, seed: seed)
        if shape.isRoot { return digest }
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
