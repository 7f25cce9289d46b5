import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What SQLite hands over by position: the columns of a row, or the arguments of a function.
protocol SQLValues {
    /// What is there.
    func type(at index: Int) -> ColumnType
    func int64(at index: Int) -> Int64
    func double(at index: Int) -> Double
    func text(at index: Int) -> String
    func data(at index: Int) -> Data
    /// Calls the body with the bytes of text, or nil if there is NULL; they are gone afterwards.
    func withOptionalUTF8<Result>(at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows -> Result
}

extension Statement: SQLValues {}

extension FunctionArguments: SQLValues {}

extension SQLValues {
    /// The value where a column of a type is read.
    ///
    /// - Parameter known: A value that is likely to be the same; where it is, nothing is allocated.
    @inline(__always)
    func value(_ type: AttributeType, at index: Int, known: Value = .null) throws -> Value {
        switch type {
        case .string:
            // A column of text stores numbers as text, but blobs as they are.
            let found = self.type(at: index)
            if found != .text { return found == .null ? .null : try otherValue(found, type, at: index) }
            return try withOptionalUTF8(at: index) { bytes in
                guard let bytes else { return .null }
                if case .string(let text) = known, text.hasUTF8(bytes) { return known }
                let text = String(decoding: bytes, as: UTF8.self)
                if !text.hasUTF8(bytes) { throw unreadable("text that is not UTF-8", type, at: index) }
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
            if let uuid = UUID(uuidString: text(at: index)) { return .uuid(uuid) }
        case (.url, .text):
            if let url = URL(string: text(at: index)) { return .url(url) }
        case (.json, .text):
            if let value = try? Value(json: text(at: index)) { return value }
        default: break
        }
        throw unreadable("\(found)", type, at: index)
    }

    @inline(never)
    private func unreadable(_ found: String, _ type: AttributeType, at index: Int) -> PersistenceError {
        PersistenceError(
            .unreadable, "the value is \(found), and no \(type.rawValue): \(PersistenceError.damageRemedy)")
    }
}
