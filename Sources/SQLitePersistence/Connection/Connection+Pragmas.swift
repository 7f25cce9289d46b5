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

    /// Not of the cache, as some pragmas work when they are prepared.
    private func value<Value>(ofPragma name: String, _ read: (Statement) -> Value) throws -> Value? {
        let statement = try prepare("PRAGMA \(name)")
        defer { statement.finalize() }
        return try statement.step() ? read(statement) : nil
    }
}
