import CDifferentialSyncSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The address to which empty text and blobs are bound.
///
/// SQLite treats a null pointer as NULL, and reads no byte of an empty value.
private let emptyBytes: StaticString = ""

extension Statement {
    /// Binds NULL.
    @inline(__always)
    func bindNull(at index: Int) throws {
        try check(sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Binds an integer.
    @inline(__always)
    func bind(_ value: Int64, at index: Int) throws {
        try check(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Binds a Boolean as 0 or 1.
    @inline(__always)
    func bind(_ value: Bool, at index: Int) throws {
        try bind(value ? 1 : 0 as Int64, at: index)
    }

    /// Binds a floating-point number.
    ///
    /// - Throws: `SQLiteError` for NaN, which SQLite would store as NULL.
    @inline(__always)
    func bind(_ value: Double, at index: Int) throws {
        if value.isNaN { throw notANumber() }
        try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Binds text, which SQLite copies.
    @inline(__always)
    func bind(_ value: String, at index: Int) throws {
        var value = value
        try value.withUTF8 { try bind(text: $0, at: index) }
    }

    /// Binds text, which SQLite copies.
    ///
    /// - Parameter text: UTF-8.
    @inline(__always)
    func bind(text: UnsafeBufferPointer<UInt8>, at index: Int) throws {
        try check(
            UnsafeRawBufferPointer(text).withMemoryRebound(to: CChar.self) { bytes in
                sqlite3_bind_text64(
                    handle, Int32(truncatingIfNeeded: index),
                    bytes.baseAddress ?? UnsafeRawPointer(emptyBytes.utf8Start).assumingMemoryBound(to: CChar.self),
                    UInt64(bytes.count), differential_sync_sqlite_transient(), UInt8(SQLITE_UTF8))
            })
    }

    /// Binds text while `body` runs.
    ///
    /// The text is not copied if its UTF-8 is contiguous.
    @inline(__always)
    func binding(_ value: String, at index: Int, _ body: () throws -> Void) throws {
        let isBound: Void? = try value.utf8.withContiguousStorageIfAvailable { utf8 in
            try UnsafeRawBufferPointer(utf8).withMemoryRebound(to: CChar.self) { bytes in
                try check(
                    sqlite3_bind_text64(
                        handle, Int32(truncatingIfNeeded: index),
                        bytes.baseAddress ?? UnsafeRawPointer(emptyBytes.utf8Start).assumingMemoryBound(to: CChar.self),
                        UInt64(bytes.count), nil, UInt8(SQLITE_UTF8)))
                // Afterwards SQLite holds a dangling pointer, but no step reads it: the statement is reset or bound
                // anew first.
                try body()
            }
        }
        if isBound != nil { return }
        try bind(value, at: index)
        try body()
    }

    /// Binds a blob, which SQLite copies.
    @inline(__always)
    func bind(_ value: UnsafeRawBufferPointer, at index: Int) throws {
        try check(
            sqlite3_bind_blob64(
                handle, Int32(truncatingIfNeeded: index),
                value.baseAddress ?? UnsafeRawPointer(emptyBytes.utf8Start), UInt64(value.count),
                differential_sync_sqlite_transient()))
    }

    /// Binds a blob, which SQLite copies.
    func bind(_ value: Data, at index: Int) throws {
        try value.withUnsafeBytes { try bind($0, at: index) }
    }

    /// Throws the error of a binding, or records that the statement has bindings.
    @inline(__always)
    private func check(_ resultCode: Int32) throws {
        if resultCode != SQLITE_OK { throw failure(resultCode) }
        hasBindings = true
    }

    /// Returns the error for NaN, which SQLite would store as null.
    @inline(never)
    private func notANumber() -> SQLiteError {
        SQLiteError(
            .notANumber, message: "a floating-point value is not a number", path: connection.location.path, sql: sql)
    }
}
