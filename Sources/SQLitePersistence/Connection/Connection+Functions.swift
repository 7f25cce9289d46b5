import CDifferentialSyncSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of an SQL function.
enum FunctionResult {
    /// SQL's null.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// Text, in UTF-8.
    case text(String)
    /// Bytes.
    case blob(Data)
    /// An error with a message; the statement fails.
    case failure(String)
}

extension Connection {
    /// Registers an SQL function.
    ///
    /// - Parameters:
    ///   - argumentCount: The number of arguments; nil for any number.
    ///   - isDeterministic: Whether equal arguments always have equal results. An index or a constraint can only use a
    ///     deterministic function.
    func registerFunction(
        _ name: String, argumentCount: Int?, isDeterministic: Bool,
        _ body: @escaping (FunctionArguments) -> FunctionResult
    ) throws {
        // A function without side effects is innocuous: even an untrusted schema may call it.
        let flags = SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
        let handle = try openHandle
        try check(
            sqlite3_create_function_v2(
                handle, name, Int32(argumentCount ?? -1), flags, Registered(body).retained,
                { context, count, values in
                    let body = Registered<(FunctionArguments) -> FunctionResult>.value(sqlite3_user_data(context))
                    body(FunctionArguments(values: values, count: Int(count))).give(to: context)
                },
                nil, nil,
                { Registered<(FunctionArguments) -> FunctionResult>.release($0) }))
    }

    /// Registers a collation.
    ///
    /// `compare` returns a number below, equal to or above 0 if the left text is less than, equal to or greater than
    /// the right one. It must be a total order.
    func registerCollation(
        _ name: String, _ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32
    ) throws {
        typealias Compare = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32
        let handle = try openHandle
        let registered = Registered(compare).retained
        let resultCode = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, registered,
            { compare, leftCount, left, rightCount, right in
                Registered<Compare>.value(compare)(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
            },
            { Registered<Compare>.release($0) })
        // SQLite does not release a collation that it rejects, unlike a function.
        if resultCode != SQLITE_OK { Registered<Compare>.release(registered) }
        try check(resultCode)
    }
}

/// A closure that SQLite retains by a pointer, until the connection is closed or the name is registered again.
private final class Registered<Value> {
    /// The Swift function, which SQLite's pointer leads to.
    private let value: Value

    /// Creates an object that a pointer can lead to.
    init(_ value: Value) { self.value = value }

    /// Returns a pointer that owns the object.
    ///
    /// SQLite passes it to `release` once.
    // because: the pointer keeps the object alive until `release`.
    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    /// Returns the closure of a pointer.
    // because: SQLite passes the registered pointer, and only before it calls `release`.
    static func value(_ pointer: UnsafeMutableRawPointer?) -> Value {
        Unmanaged<Registered<Value>>.fromOpaque(pointer!).takeUnretainedValue().value
    }

    /// Releases the object of a pointer.
    // because: SQLite calls this once, when it removes a function or collation. For a collation that SQLite rejects,
    // `registerCollation` calls it instead.
    static func release(_ pointer: UnsafeMutableRawPointer?) {
        if let pointer { Unmanaged<Registered<Value>>.fromOpaque(pointer).release() }
    }
}

extension FunctionResult {
    /// Sets the result of the function call.
    ///
    /// SQLite copies text and bytes.
    fileprivate func give(to context: OpaquePointer?) {
        switch self {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .double(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { utf8 in
                UnsafeRawBufferPointer(utf8).withMemoryRebound(to: CChar.self) { bytes in
                    sqlite3_result_text64(
                        context, bytes.baseAddress, UInt64(bytes.count), differential_sync_sqlite_transient(),
                        UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let value):
            value.withUnsafeBytes { bytes in
                if bytes.isEmpty {
                    sqlite3_result_zeroblob(context, 0)
                } else {
                    sqlite3_result_blob64(
                        context, bytes.baseAddress, UInt64(bytes.count), differential_sync_sqlite_transient())
                }
            }
        case .failure(let message): sqlite3_result_error(context, message, -1)
        }
    }
}
