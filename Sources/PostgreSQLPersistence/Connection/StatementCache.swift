/// The prepared statements of a connection by SQL, of which the least recently used ones are removed.
struct StatementCache {
    private let capacity: Int
    private var statements: [String: (name: String, lastUse: Int)] = [:]
    /// The number of uses so far, which orders the statements by their last use.
    private var uses = 0

    /// Creates a cache for at most `capacity` statements.
    init(capacity: Int) { self.capacity = capacity }

    /// Returns the name of the prepared statement of an SQL text; nil if there is none.
    mutating func find(_ sql: String) -> String? {
        guard let name = statements[sql]?.name else { return nil }
        uses += 1
        statements[sql]?.lastUse = uses
        return name
    }

    /// Returns a name for a new statement.
    mutating func newName() -> String {
        uses += 1
        return "s\(uses)"
    }

    /// Adds a statement that was prepared under a new name.
    mutating func add(_ sql: String, name: String) { statements[sql] = (name, uses) }

    /// Removes the least recently used statement if the cache is full, and returns it.
    ///
    /// - Complexity: O(`capacity`) if it is full, otherwise O(1)
    mutating func removeOldestIfFull() -> (sql: String, name: String)? {
        guard statements.count >= capacity, let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return nil }
        statements[oldest.key] = nil
        return (oldest.key, oldest.value.name)
    }

    /// Removes the statement of an SQL text.
    mutating func remove(_ sql: String) { statements[sql] = nil }

    /// Removes all statements.
    mutating func removeAll() { statements = [:] }
}
