import CDifferentialSyncSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a function for SQL gives back.
enum FunctionResult {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob(Data)
    /// The statement fails with the message.
    case failure(String)
}

extension Connection {
    /// Makes a function known to SQL.
    ///
    /// - Parameters:
    ///   - argumentCount: How many arguments the function has; nil for any number of them.
    ///   - isDeterministic: Whether equal arguments always have equal results; only then may an index or a constraint
    ///     use it.
    func registerFunction(
        _ name: String, argumentCount: Int?, isDeterministic: Bool,
        _ body: @escaping (FunctionArguments) -> FunctionResult
    ) throws {
        // Innocuous: what has no effects may be called by a schema, which is not trusted otherwise.
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

    /// Makes a collation known to SQL.
    ///
    /// It answers below, equal to or above 0, as the left text is below, equal to or above the right one. It has to be a
    /// total order.
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
        // Other than for functions, SQLite does not release what it has refused.
        if resultCode != SQLITE_OK { Registered<Compare>.release(registered) }
        try check(resultCode)
    }
}

/// A closure that SQLite keeps, as a pointer, until the connection is closed or another one takes the name.
private final class Registered<Value> {
    private let value: Value

    init(_ value: Value) { self.value = value }

    /// A pointer that owns the object. SQLite passes it to `release` once.
    // because: the pointer keeps the object alive until `release`.
    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    /// The closure behind a pointer.
    // because: SQLite passes the pointer that it was registered with, and only before it calls `release`.
    static func value(_ pointer: UnsafeMutableRawPointer?) -> Value {
        Unmanaged<Registered<Value>>.fromOpaque(pointer!).takeUnretainedValue().value
    }

    /// Releases the object behind a pointer.
    // because: SQLite calls this once, when it removes a function or collation. For a collation that SQLite refuses,
    // `registerCollation` calls it instead.
    static func release(_ pointer: UnsafeMutableRawPointer?) {
        if let pointer { Unmanaged<Registered<Value>>.fromOpaque(pointer).release() }
    }
}

extension FunctionResult {
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
