import CDifferentialSyncSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What empty text and blobs are bound to: SQLite takes a null pointer for NULL, and reads no byte of an empty one.
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

    /// Binds 0 or 1.
    @inline(__always)
    func bind(_ value: Bool, at index: Int) throws {
        try bind(value ? 1 : 0 as Int64, at: index)
    }

    /// Binds a floating-point number; throws if it is not a number, for which SQLite would store NULL.
    @inline(__always)
    func bind(_ value: Double, at index: Int) throws {
        if value.isNaN { throw notANumber() }
        try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Binds text, of which SQLite makes the only copy.
    @inline(__always)
    func bind(_ value: String, at index: Int) throws {
        var value = value
        try check(
            value.withUTF8 { utf8 in
                UnsafeRawBufferPointer(utf8).withMemoryRebound(to: CChar.self) { bytes in
                    sqlite3_bind_text64(
                        handle, Int32(truncatingIfNeeded: index),
                        bytes.baseAddress ?? UnsafeRawPointer(emptyBytes.utf8Start).assumingMemoryBound(to: CChar.self),
                        UInt64(bytes.count), differential_sync_sqlite_transient(), UInt8(SQLITE_UTF8))
                }
            })
    }

    /// Binds text for as long as the body runs; nobody makes a copy.
    @inline(__always)
    func binding(_ value: String, at index: Int, _ body: () throws -> Void) throws {
        let isBound: Void? = try value.utf8.withContiguousStorageIfAvailable { utf8 in
            try UnsafeRawBufferPointer(utf8).withMemoryRebound(to: CChar.self) { bytes in
                try check(
                    sqlite3_bind_text64(
                        handle, Int32(truncatingIfNeeded: index),
                        bytes.baseAddress ?? UnsafeRawPointer(emptyBytes.utf8Start).assumingMemoryBound(to: CChar.self),
                        UInt64(bytes.count), nil, UInt8(SQLITE_UTF8)))
                // What is left of it afterwards is a pointer that no step follows: the reset takes it away.
                try body()
            }
        }
        if isBound != nil { return }
        try bind(value, at: index)
        try body()
    }

    /// Binds a blob, of which SQLite makes the only copy.
    @inline(__always)
    func bind(_ value: UnsafeRawBufferPointer, at index: Int) throws {
        try check(
            sqlite3_bind_blob64(
                handle, Int32(truncatingIfNeeded: index),
                value.baseAddress ?? UnsafeRawPointer(emptyBytes.utf8Start), UInt64(value.count),
                differential_sync_sqlite_transient()))
    }

    /// Binds a blob, of which SQLite makes the only copy.
    func bind(_ value: Data, at index: Int) throws {
        try value.withUnsafeBytes { try bind($0, at: index) }
    }

    @inline(__always)
    private func check(_ resultCode: Int32) throws {
        if resultCode != SQLITE_OK { throw failure(resultCode) }
        hasBindings = true
    }

    @inline(never)
    private func notANumber() -> SQLiteError {
        SQLiteError(
            .notANumber, message: "a floating-point value is not a number", path: connection.location.path, sql: sql)
    }
}
