import CDifferentialSyncSQLite

extension Connection {
    /// Registers an SQL function, which statements can call, but no index or constraint.
    ///
    /// - Parameters:
    ///   - argumentCount: The number of arguments; nil for any number.
    ///   - body: Returns 1 or 0 as a truth value; nil for NULL.
    func registerFunction(
        _ name: String, argumentCount: Int?, _ body: @escaping (FunctionArguments) -> Bool?
    ) throws {
        typealias Body = (FunctionArguments) -> Bool?
        let handle = try openHandle
        try check(
            sqlite3_create_function_v2(
                handle, name, Int32(argumentCount ?? -1), SQLITE_UTF8 | SQLITE_DIRECTONLY, Registered(body).retained,
                { context, count, values in
                    let body = Registered<Body>.value(sqlite3_user_data(context))
                    if let result = body(FunctionArguments(values: values, count: Int(count))) {
                        sqlite3_result_int64(context, result ? 1 : 0)
                    } else {
                        sqlite3_result_null(context)
                    }
                },
                nil, nil,
                { Registered<Body>.release($0) }))
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
