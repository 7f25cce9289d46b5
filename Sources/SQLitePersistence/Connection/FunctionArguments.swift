import CDifferentialSyncSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The arguments of an SQL function, by position from 0.
///
/// They are valid only during the call.
struct FunctionArguments {
    // because: SQLite owns the array, and no function keeps this value after it returns.
    /// SQLite's values, which are valid only during the call.
    let values: UnsafeMutablePointer<OpaquePointer?>?

    /// The number of arguments.
    let count: Int

    /// Returns the storage class of an argument.
    @inline(__always)
    func type(at index: Int) -> ColumnType { ColumnType(sqlite3_value_type(value(at: index))) }

    /// Returns an argument as an integer.
    @inline(__always)
    func int64(at index: Int) -> Int64 { sqlite3_value_int64(value(at: index)) }

    /// Returns an argument as a floating-point number.
    func double(at index: Int) -> Double { sqlite3_value_double(value(at: index)) }

    /// Returns an argument as text.
    ///
    /// Invalid UTF-8 becomes U+FFFD.
    func text(at index: Int) -> String {
        withOptionalUTF8(at: index) { $0.map { String(decoding: $0, as: UTF8.self) } ?? "" }
    }

    /// Returns an argument as bytes.
    func data(at index: Int) -> Data {
        let value = value(at: index)
        let start = sqlite3_value_blob(value)
        return start.map { Data(bytes: $0, count: Int(sqlite3_value_bytes(value))) } ?? Data()
    }

    /// Calls `body` with the UTF-8 bytes of an argument, or with nil if it is NULL.
    @inline(__always)
    func withOptionalUTF8<Result>(
        at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        let value = value(at: index)
        // The order matters: `sqlite3_value_text` may convert the value, which changes its byte count.
        guard let start = sqlite3_value_text(value) else { return try body(nil) }
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    /// Returns SQLite's value at a position.
    ///
    /// - Precondition: The position is less than `count`.
    @inline(__always)
    private func value(at index: Int) -> OpaquePointer? {
        precondition(0..<count ~= index, "no argument \(index) of \(count)")
        return values?[index]
    }
}
