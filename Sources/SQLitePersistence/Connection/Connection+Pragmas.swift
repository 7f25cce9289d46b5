extension Connection {
    /// Returns the integer value of a pragma; 0 if it has none.
    func integer(ofPragma name: String) throws -> Int64 {
        try value(ofPragma: name) { $0.int64(at: 0) } ?? 0
    }

    /// Returns the text value of a pragma; empty if it has none.
    func text(ofPragma name: String) throws -> String {
        try value(ofPragma: name) { $0.text(at: 0) } ?? ""
    }

    /// Sets a pragma.
    ///
    /// SQLite ignores the names of unknown pragmas.
    func setPragma(_ name: String, to value: Int64) throws {
        try execute("PRAGMA \(name) = \(value)")
    }

    /// Reads the value of a pragma with a fresh statement.
    ///
    /// Some pragmas take effect when they are prepared, so the statement cache is not used.
    private func value<Value>(ofPragma name: String, _ read: (Statement) -> Value) throws -> Value? {
        let statement = try prepare("PRAGMA \(name)")
        defer { statement.finalize() }
        return try statement.step() ? read(statement) : nil
    }
}
