/// The prepared statements of a connection by SQL, of which the least recently used ones are removed.
///
/// Each prepared statement takes memory at the server for as long as the connection lasts, so their number is bounded. The
/// statement that was not used for the longest time is deallocated for a new one.
struct StatementCache {
    /// What a statement was prepared for.
    struct Key: Hashable {
        let sql: String
        /// The version of the layout, since PostgreSQL refuses a statement after the types of its columns have changed.
        let version: Int64
    }

    /// The version of the layout of the current transaction.
    ///
    /// Statements for other versions are not found, and fall out of the cache in time.
    var version: Int64 = 0

    private let capacity: Int
    private var statements: [Key: (name: String, lastUse: Int)] = [:]
    /// The number of uses so far, which orders the statements by their last use.
    private var uses = 0

    /// Creates a cache for at most `capacity` statements.
    init(capacity: Int) { self.capacity = capacity }

    /// Returns the key of an SQL text in the current transaction.
    func key(of sql: String) -> Key { Key(sql: sql, version: version) }

    /// Returns the name of a prepared statement; nil if there is none.
    mutating func find(_ key: Key) -> String? {
        guard let name = statements[key]?.name else { return nil }
        uses += 1
        statements[key]?.lastUse = uses
        return name
    }

    /// Returns a name for a new statement.
    mutating func newName() -> String {
        uses += 1
        return "s\(uses)"
    }

    /// Adds a statement that was prepared under a new name.
    mutating func add(_ key: Key, name: String) { statements[key] = (name, uses) }

    /// Removes the least recently used statement if the cache is full, and returns it.
    ///
    /// - Complexity: O(`capacity`) if it is full, otherwise O(1)
    mutating func removeOldestIfFull() -> (key: Key, name: String)? {
        guard statements.count >= capacity, let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return nil }
        statements[oldest.key] = nil
        return (oldest.key, oldest.value.name)
    }

    /// Removes a statement whose preparation has failed.
    mutating func remove(_ key: Key) { statements[key] = nil }

    /// Removes all statements from the cache; the caller deallocates those at the server.
    mutating func removeAll() { statements = [:] }
}
