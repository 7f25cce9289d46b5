import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values of SQLite by position: the columns of a row, or the arguments of a function.
protocol SQLValues {
    /// Returns the storage class of a value.
    func type(at index: Int) -> ColumnType
    /// Returns a value as an integer.
    func int64(at index: Int) -> Int64
    /// Returns a value as a floating-point number.
    func double(at index: Int) -> Double
    /// Returns a value as text; invalid UTF-8 becomes U+FFFD.
    func text(at index: Int) -> String
    /// Returns a value as bytes.
    func data(at index: Int) -> Data
    /// Calls `body` with the UTF-8 bytes of a text, or with nil for NULL.
    ///
    /// The bytes are valid only during the call.
    func withOptionalUTF8<Result>(at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows -> Result
}

extension Statement: SQLValues {}

extension FunctionArguments: SQLValues {}

extension SQLValues {
    /// Returns a value as the type of its column.
    ///
    /// - Parameter known: A value that is probably equal. If it is, nothing is allocated for text.
    /// - Throws: `PersistenceError` if the stored value does not have the type.
    @inline(__always)
    func value(_ type: AttributeType, at index: Int, known: Value = .null) throws -> Value {
        switch type {
        case .string:
            // A TEXT column converts numbers to text, but stores blobs unchanged.
            let found = self.type(at: index)
            if found != .text { return found == .null ? .null : try otherValue(found, type, at: index) }
            return try withOptionalUTF8(at: index) { bytes in
                guard let bytes else { return .null }
                if case .string(let text) = known, text.hasUTF8(bytes) { return known }
                let text = String(decoding: bytes, as: UTF8.self)
                if !text.hasUTF8(bytes) { throw unreadable("text that is not UTF-8", type) }
                return .string(text)
            }
        case .integer:
            let found = self.type(at: index)
            if found == .integer { return .integer(int64(at: index)) }
            return found == .null ? .null : try otherValue(found, type, at: index)
        default:
            return self.type(at: index) == .null ? .null : try otherValue(self.type(at: index), type, at: index)
        }
    }

    /// Returns a value of the less frequent types.
    ///
    /// It is not inlined, so that `value(_:at:known:)` stays small.
    @inline(never)
    private func otherValue(_ found: ColumnType, _ type: AttributeType, at index: Int) throws -> Value {
        switch (type, found) {
        case (.bool, .integer): return .bool(int64(at: index) != 0)
        case (.double, .double), (.double, .integer): return .double(double(at: index))
        case (.date, .double), (.date, .integer):
            return .date(Date(timeIntervalSinceReferenceDate: double(at: index)))
        case (.bytes, .blob): return .bytes(data(at: index))
        case (.decimal, .text):
            if let decimal = Decimal(exactly: text(at: index)) { return .decimal(decimal) }
        case (.uuid, .text):
            if let uuid = withOptionalUTF8(at: index, { $0.flatMap(UUID.init(utf8:)) }) { return .uuid(uuid) }
        case (.url, .text):
            let text = text(at: index)
            // Another program may have written text that a URL does not keep unchanged, for example with a space.
            if let url = URL(kept: text) ?? URL(string: text) { return .url(url) }
        case (.json, .text):
            if let value = try? Value(json: text(at: index)) { return value }
        default: break
        }
        throw unreadable("\(found)", type)
    }

    /// Returns the error for a value of another type than its column's, as a damaged file has.
    @inline(never)
    private func unreadable(_ found: String, _ type: AttributeType) -> PersistenceError {
        PersistenceError(
            .unreadable, "the value is \(found), and no \(type.rawValue): \(PersistenceError.damageRemedy)")
    }
}
