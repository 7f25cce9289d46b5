import CDifferentialSyncSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The arguments of a function for SQL, counted from 0; they are gone when the function returns.
struct FunctionArguments {
    // because: SQLite owns the array, and who is called lets go of this value before the function returns.
    let values: UnsafeMutablePointer<OpaquePointer?>?

    /// How many arguments there are.
    let count: Int

    /// What is in an argument.
    @inline(__always)
    func type(at index: Int) -> ColumnType { ColumnType(sqlite3_value_type(value(at: index))) }

    /// An argument as an integer.
    @inline(__always)
    func int64(at index: Int) -> Int64 { sqlite3_value_int64(value(at: index)) }

    /// An argument as a floating-point number.
    func double(at index: Int) -> Double { sqlite3_value_double(value(at: index)) }

    /// An argument as text; what is not UTF-8 becomes U+FFFD.
    func text(at index: Int) -> String { withUTF8(at: index) { String(decoding: $0, as: UTF8.self) } }

    /// An argument as bytes.
    func data(at index: Int) -> Data {
        let value = value(at: index)
        let start = sqlite3_value_blob(value)
        return start.map { Data(bytes: $0, count: Int(sqlite3_value_bytes(value))) } ?? Data()
    }

    /// Calls the body with the bytes of an argument as text.
    func withUTF8<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let value = value(at: index)
        // In this order: the text may have to be made first.
        let start = sqlite3_value_text(value)
        let count = Int(sqlite3_value_bytes(value))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// Calls the body with the bytes of an argument as text, or nil if it is NULL.
    @inline(__always)
    func withOptionalUTF8<Result>(
        at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        let value = value(at: index)
        guard let start = sqlite3_value_text(value) else { return try body(nil) }
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    @inline(__always)
    private func value(at index: Int) -> OpaquePointer? {
        precondition(0..<count ~= index, "no argument \(index) of \(count)")
        return values?[index]
    }
}
