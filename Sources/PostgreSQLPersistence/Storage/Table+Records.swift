import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Table {
    /// Returns the record of a row of the table's selection.
    ///
    /// The selection has the row number first, then the entity if the hierarchy has several, and then the columns of the
    /// slots in the order of the table.
    ///
    /// - Throws: `PersistenceError` if the row cannot be read.
    func record(_ rows: Rows, at row: Int) throws -> Record {
        let places = try places ?? self.places(rows, row)
        do {
            let record = Record(
                places.shape, slots: try places.slots.map { try value(rows, row, firstSlotColumn, $0.columns) })
            for slot in record.shape.keySlots where record.values[slot].isNull { throw Self.nullKey }
            return record
        } catch let error as PersistenceError {
            throw PersistenceError(
                error.code, "in the row \(rows.int64(row, 0)) of \(name), \(error.message)", id: error.id,
                property: error.property)
        }
    }

    /// Returns the key in columns of a row that begin at `first`.
    ///
    /// A key of several parts is an array with one element for each key slot.
    func key(_ rows: Rows, at row: Int, from first: Int) throws -> Value {
        var start = 0
        let parts = try root.keySlots.map { slot in
            let count = root.slots[slot].columnTypes.count
            defer { start += count }
            let values = try (start..<start + count).map { part in
                try rows.value(columns[keyColumns[part]].type, row, first + part)
            }
            return values.contains(.null) ? .null : count == 1 ? values[0] : .array(values)
        }
        if parts.contains(.null) { throw Self.nullKey }
        return parts.count == 1 ? parts[0] : .array(parts)
    }

    /// Returns a value of one or more columns; null if any column is NULL.
    private func value(_ rows: Rows, _ row: Int, _ first: Int, _ positions: Range<Int>) throws -> Value {
        if positions.count == 1 {
            let position = positions.lowerBound
            do {
                return try rows.value(columns[position].type, row, first + position)
            } catch let error as PersistenceError {
                throw PersistenceError(error.code, error.message, property: columns[position].slot.name)
            }
        }
        let parts = try positions.map { try rows.value(columns[$0].type, row, first + $0) }
        return parts.contains(.null) ? .null : .array(parts)
    }

    /// Returns the columns of the slots of the row's entity.
    private func places(_ rows: Rows, _ row: Int) throws -> ShapePlaces {
        let entity = try rows.value(.string, row, 1)
        if case .string(let name) = entity, let places = places(of: name) { return places }
        throw PersistenceError(
            .unreadable,
            "the row \(rows.int64(row, 0)) of \(name) is a record of an entity \(entity), which the schema does not have: "
                + "open the store with the schema that the record was stored with")
    }

    private static let nullKey = PersistenceError(
        .unreadable, "the key is null: \(PersistenceError.damageRemedy)")
}

extension Table {
    /// Returns the values of a record by the columns of the table.
    ///
    /// - Complexity: O(number of columns)
    func values(of record: Record) -> [Value] {
        guard let places = places ?? self.places(of: record.entity) else {
            preconditionFailure("a record of \(record.entity) does not stand in the table of \(root.name)")
        }
        return places.values(of: record)
    }

    /// Returns the values of a key by the key's columns; nil if no record can have the key.
    func keyParts(_ key: Value) -> [Value]? {
        guard let parts = key.keyColumns(keyColumnCounts) else { return nil }
        for (part, column) in zip(parts, keyColumns) where part.isNull || !columns[column].type.admits(part) {
            return nil
        }
        return parts
    }
}

extension Rows {
    /// Returns a value as the type of its column.
    ///
    /// - Throws: `PersistenceError` if the stored value does not have the type.
    func value(_ type: AttributeType, _ row: Int, _ column: Int) throws -> Value {
        try withBytes(row, column) { bytes in
            guard let bytes else { return .null }
            if let value = Value(bytes, type) { return value }
            throw PersistenceError(.unreadable, "the value is no \(type.rawValue): \(PersistenceError.damageRemedy)")
        }
    }
}

extension Value {
    /// Creates a value from the bytes of a column; nil if they are none of its type.
    fileprivate init?(_ bytes: UnsafeRawBufferPointer, _ type: AttributeType) {
        switch type {
        case .bool where bytes.count == 1: self = .bool(bytes[0] != 0)
        case .integer where bytes.count == 8: self = .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case .double where bytes.count == 8, .date where bytes.count == 8:
            let number = Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
            if number.isNaN { return nil }
            self = type == .double ? .double(number) : .date(Date(timeIntervalSinceReferenceDate: number))
        case .string: self = .string(TextForm.text(bytes))
        case .bytes: self = .bytes(Data(bytes))
        case .uuid where bytes.count == 16: self = .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
        case .decimal:
            guard let number = Decimal(exactly: String(decoding: bytes, as: UTF8.self)), !number.isNaN else {
                return nil
            }
            self = .decimal(number)
        case .url:
            let text = TextForm.text(bytes)
            guard let url = URL(kept: text) ?? URL(string: text) else { return nil }
            self = .url(url)
        case .json:
            guard let value = try? Value(json: TextForm.text(bytes)) else { return nil }
            self = value
        default: return nil
        }
    }

    /// About how many bytes the value has when it is sent.
    var sentSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let data): data.count
        case .url(let url): url.absoluteString.utf8.count
        case .array(let elements): elements.reduce(2) { $0 + $1.sentSize + 1 }
        case .object(let object): object.members.reduce(2) { $0 + $1.name.utf8.count + $1.value.sentSize + 4 }
        default: 16
        }
    }
}
