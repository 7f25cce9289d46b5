import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Statement {
    /// Binds a value to a column of a type for as long as the body runs, text where it stands.
    @inline(__always)
    func binding(_ value: Value, as type: AttributeType, at index: Int, _ body: () throws -> Void) throws {
        if case .string(let text) = value, type == .string { return try binding(text, at: index, body) }
        try bind(value, as: type, at: index)
        try body()
    }

    /// Binds a value to a column of a type.
    @inline(__always)
    func bind(_ value: Value, as type: AttributeType, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .string(let text) where type == .string: try bind(text, at: index)
        case .integer(let number) where type == .integer: try bind(number, at: index)
        default: try bindOther(value, as: type, at: index)
        }
    }

    @inline(never)
    private func bindOther(_ value: Value, as type: AttributeType, at index: Int) throws {
        if type == .json { return try bind(value.json, at: index) }
        switch value {
        case .null: try bindNull(at: index)
        case .bool(let value): try bind(value, at: index)
        case .integer(let value): try bind(value, at: index)
        case .double(let value): try bind(value, at: index)
        case .decimal(let value): try bind(value.exactText, at: index)
        case .string(let value): try bind(value, at: index)
        case .bytes(let value): try bind(value, at: index)
        case .date(let value): try bind(value.timeIntervalSinceReferenceDate, at: index)
        case .uuid(let value): try bind(value.uuidString, at: index)
        case .url(let value): try bind(value.absoluteString, at: index)
        case .array, .object: try bind(value.json, at: index)
        }
    }

    /// The value of a column of a type.
    ///
    /// - Parameter known: A value that is likely to be the same; where it is, nothing is allocated.
    @inline(__always)
    func value(_ type: AttributeType, at index: Int, known: Value = .null) throws -> Value {
        switch type {
        case .string:
            // SQLite has text here, or null, whatever was stored: it is a column of text.
            return withOptionalUTF8(at: index) { bytes in
                guard let bytes else { return .null }
                if case .string(let text) = known, text.hasUTF8(bytes) { return known }
                return .string(String(decoding: bytes, as: UTF8.self))
            }
        case .integer:
            let number = int64(at: index)
            // Only zero may stand for something else.
            if number != 0 || self.type(at: index) == .integer { return .integer(number) }
            return isNull(at: index) ? .null : try otherValue(self.type(at: index), type, at: index)
        default:
            return isNull(at: index) ? .null : try otherValue(self.type(at: index), type, at: index)
        }
    }

    @inline(never)
    private func otherValue(_ found: ColumnType, _ type: AttributeType, at index: Int) throws -> Value {
        switch (type, found) {
        case (.bool, .integer): return .bool(bool(at: index))
        case (.double, .double), (.double, .integer): return .double(double(at: index))
        case (.date, .double), (.date, .integer):
            return .date(Date(timeIntervalSinceReferenceDate: double(at: index)))
        case (.bytes, .blob): return .bytes(data(at: index))
        case (.decimal, .text):
            if let decimal = Decimal(exactly: text(at: index)) { return .decimal(decimal) }
        case (.uuid, .text):
            if let uuid = UUID(uuidString: text(at: index)) { return .uuid(uuid) }
        case (.url, .text):
            if let url = URL(string: text(at: index)) { return .url(url) }
        case (.json, .text): return try Value(json: text(at: index))
        default: break
        }
        throw PersistenceError(
            .unreadable,
            "column \(columnName(at: index)) holds \(found) that is no \(type.rawValue): was the file changed by another program?"
        )
    }
}
