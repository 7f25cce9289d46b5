import SyncPersistence

extension TableAccess {
    /// Reads the record of the current row, or of a function's arguments.
    ///
    /// Both have the columns of the table's selection.
    ///
    /// - Parameter known: A record that probably has the same values, whose text is then not allocated again.
    func read(_ statement: some SQLValues, known: Record? = nil) throws -> Record {
        guard let known else { return try read(statement, known: nil, nil) }
        return try known.values.withUnsafeBufferPointer { try read(statement, known: known.shape, $0) }
    }

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - shape: The shape of the known record; nil if there is none.
    ///   - values: The values of the known record.
    @inline(__always)
    func read(
        _ statement: some SQLValues, known shape: Shape?, _ values: UnsafeBufferPointer<Value>?
    ) throws -> Record {
        let places = try table.places ?? places(statement)
        do {
            let record = Record(
                places.shape, slots: try read(statement, places, known: shape === places.shape ? values : nil))
            for slot in record.shape.keySlots where record.values[slot].isNull { throw nullKey() }
            return record
        } catch {
            throw located(error, in: statement, places)
        }
    }

    /// Adds the file, the record and the property to an error in a row, as far as they can be read.
    @inline(never)
    private func located(_ error: any Error, in statement: some SQLValues, _ places: ShapePlaces) -> any Error {
        guard let error = error as? PersistenceError else { return error }
        let property = places.slots.indices.first { slot in
            do {
                let columns = places.slots[slot].columns
                _ = try columns.map { try statement.value(table.types[$0], at: table.firstSlotColumn + $0) }
                return false
            } catch {
                return true
            }
        }
        let parts = table.keyColumns.compactMap { column -> Value? in
            let part = try? statement.value(table.types[column], at: table.firstSlotColumn + column)
            return part?.isNull == true ? nil : part
        }
        let key: Value? = parts.count < table.keyColumns.count ? nil : parts.count == 1 ? parts[0] : .array(parts)
        return PersistenceError(
            error.code,
            key == nil ? "in the row \(statement.int64(at: 0)) of \(table.name), \(error.message)" : error.message,
            id: key.map { RecordID(places.shape.name, $0) }, property: property.map { places.shape.slots[$0].name },
            path: connection.location.path)
    }

    /// Reads the values of a record's slots.
    @inline(__always)
    private func read(
        _ statement: some SQLValues, _ places: ShapePlaces, known: UnsafeBufferPointer<Value>?
    ) throws -> [Value] {
        let first = table.firstSlotColumn
        return try places.slots.withUnsafeBufferPointer { slots in
            // `map` on the indices compiles to specialised code; an array with uninitialized capacity does not.
            try slots.indices.map { slot in
                let place = slots[slot]
                if place.count != 1 { return try composite(place, statement) }
                return try statement.value(
                    place.type, at: first &+ place.start, known: known.map { $0[slot] } ?? .null)
            }
        }
    }

    /// Reads the key from the columns that begin at `first`.
    @inline(__always)
    func readKey(_ statement: Statement, from first: Int) throws -> Value {
        do {
            let key = try key(statement, from: first)
            if key.isNull { throw nullKey() }
            return key
        } catch let error as PersistenceError {
            throw PersistenceError(
                error.code, "in \(table.name), \(error.message)",
                property: table.root.slots[table.root.keySlots[0]].name,
                path: connection.location.path)
        }
    }

    /// Returns the error for a row without a key, as only a damaged file has.
    @inline(never)
    private func nullKey() -> PersistenceError {
        PersistenceError(.unreadable, "the key is null: \(PersistenceError.damageRemedy)")
    }

    /// Reads a key without the check for NULL.
    ///
    /// A composite key is an array with one element for each key slot.
    @inline(__always)
    private func key(_ statement: Statement, from first: Int) throws -> Value {
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

    /// Reads a value of several columns; null if any column is NULL.
    private func composite(_ place: SlotPlace, _ statement: some SQLValues) throws -> Value {
        let parts = try place.columns.map {
            try statement.value(table.types[$0], at: table.firstSlotColumn + $0)
        }
        return parts.contains(.null) ? .null : .array(parts)
    }

    /// Returns the columns of the slots of the row's entity.
    ///
    /// - Throws: `PersistenceError` if the schema lacks the entity.
    private func places(_ statement: some SQLValues) throws -> ShapePlaces {
        let entity = statement.text(at: 1)
        if let places = table.places(of: entity) { return places }
        throw PersistenceError(
            .unreadable,
            "the row \(statement.int64(at: 0)) of \(table.name) is a record of an entity '\(entity)', which the schema does not "
                + "have: open the file with the schema that the record was stored with",
            path: connection.location.path)
    }
}
