import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Statement {
    /// Binds a value as a column's type while `body` runs.
    ///
    /// Text is not copied if its UTF-8 is contiguous.
    @inline(__always)
    func binding(_ value: Value, as type: AttributeType, at index: Int, _ body: () throws -> Void) throws {
        if case .string(let text) = value, type == .string { return try binding(text, at: index, body) }
        try bind(value, as: type, at: index)
        try body()
    }

    /// Binds a value as a column's type.
    @inline(__always)
    func bind(_ value: Value, as type: AttributeType, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .string(let text) where type == .string: try bind(text, at: index)
        case .integer(let number) where type == .integer: try bind(number, at: index)
        default: try bindOther(value, as: type, at: index)
        }
    }

    /// Binds a value of the less frequent types, in the form in which the column stores it.
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
        case .uuid(let value): try value.withText { try bind(text: $0, at: index) }
        case .url(let value): try bind(value.absoluteString, at: index)
        case .array, .object: try bind(value.json, at: index)
        }
    }
}
