import CDifferentialSyncSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The columns of the current row.
///
/// SQLite converts a column that is read as another type than it has. Where that matters, read its type first.
extension Statement {
    /// Returns the storage class of a column's value.
    @inline(__always)
    func type(at index: Int) -> ColumnType {
        ColumnType(sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Returns a column as an integer.
    @inline(__always)
    func int64(at index: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: index))
    }

    /// Returns a column as a Boolean.
    @inline(__always)
    func bool(at index: Int) -> Bool { int64(at: index) != 0 }

    /// Returns a column as a floating-point number.
    @inline(__always)
    func double(at index: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: index))
    }

    /// Returns a column as text.
    ///
    /// Invalid UTF-8 becomes U+FFFD.
    @inline(__always)
    func text(at index: Int) -> String {
        withOptionalUTF8(at: index) { $0.map { String(decoding: $0, as: UTF8.self) } ?? "" }
    }

    /// Calls `body` with the UTF-8 bytes of a column, or with nil if it is NULL.
    ///
    /// The bytes are valid until the next step.
    @inline(__always)
    func withOptionalUTF8<Result>(
        at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        let index = Int32(truncatingIfNeeded: index)
        // The order matters: `sqlite3_column_text` may convert the value, which changes its byte count.
        guard let start = sqlite3_column_text(handle, index) else { return try body(nil) }
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    /// Returns a column as bytes.
    func data(at index: Int) -> Data {
        let index = Int32(truncatingIfNeeded: index)
        guard let start = sqlite3_column_blob(handle, index) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, index)))
    }
}

extension String {
    /// Whether the string's UTF-8 equals the bytes.
    ///
    /// - Complexity: O(`bytes.count`)
    @inline(__always)
    func hasUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var text = self
        return text.withUTF8 { utf8 in
            guard utf8.count == bytes.count else { return false }
            guard let left = utf8.baseAddress, let right = bytes.baseAddress else { return true }
            return differential_sync_sqlite_equal(left, right, UInt(bytes.count)) != 0
        }
    }
}
