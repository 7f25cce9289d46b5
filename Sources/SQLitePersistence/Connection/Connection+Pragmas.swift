extension Connection {
    /// The integer that a pragma has.
    func integer(ofPragma name: String) throws -> Int64 {
        try value(ofPragma: name) { $0.int64(at: 0) } ?? 0
    }

    /// The text that a pragma has.
    func text(ofPragma name: String) throws -> String {
        try value(ofPragma: name) { $0.text(at: 0) } ?? ""
    }

    /// Sets a pragma.
    ///
    /// SQLite ignores those that it does not know.
    func setPragma(_ name: String, to value: Int64) throws {
        try execute("PRAGMA \(name) = \(value)")
    }

    /// The number in the file that tells whose it is; 0 in a new one.
    var applicationID: Int32 {
        get throws { Int32(truncatingIfNeeded: try integer(ofPragma: "application_id")) }
    }

    /// The number in the file that tells the version of its format; 0 in a new one.
    var userVersion: Int {
        get throws { Int(try integer(ofPragma: "user_version")) }
    }

    /// Whether there is nothing in the database, not even an empty table.
    var isEmpty: Bool {
        get throws {
            try withStatement("SELECT EXISTS (SELECT 1 FROM sqlite_master)") { statement in
                _ = try statement.step()
                return !statement.bool(at: 0)
            }
        }
    }

    /// Not of the cache, as some pragmas work when they are prepared.
    private func value<Value>(ofPragma name: String, _ read: (Statement) -> Value) throws -> Value? {
        let statement = try prepare("PRAGMA \(name)")
        defer { statement.finalize() }
        return try statement.step() ? read(statement) : nil
    }
}
