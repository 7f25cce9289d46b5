import SyncPersistence

/// The PostgreSQL schema in which a store keeps its tables.
struct Namespace: Sendable {
    /// The name.
    let name: String

    /// The name in quotes.
    var quotedName: String { quoted(name) }

    /// The number of the advisory lock that a writer holds until its transaction ends.
    ///
    /// Two namespaces with the same number only take turns.
    var lockNumber: Int64 { Int64(bitPattern: stableDigest("DifferentialSync \(name)")) }

    /// The channel on which commits are announced.
    var channel: String { shortened("sync.\(name)") }

    /// Creates the namespace with a name.
    ///
    /// - Throws: `PersistenceError` for a name that PostgreSQL does not allow.
    init(_ name: String) throws {
        let problem =
            name.isEmpty
            ? "is empty"
            : name.utf8.contains(0)
                ? "contains a NUL"
                : name.utf8.count > maximumNameLength
                    ? "has \(name.utf8.count) bytes, and may have \(maximumNameLength)"
                    : name.hasPrefix("pg_") ? "begins with 'pg_', which PostgreSQL reserves" : nil
        if let problem {
            throw PersistenceError(.unknownName, "the namespace '\(name)' \(problem): choose another name")
        }
        self.name = name
    }

    /// Returns the quoted name of a table in this namespace.
    func qualified(_ table: String) -> String { "\(quotedName).\(quoted(table))" }
}
