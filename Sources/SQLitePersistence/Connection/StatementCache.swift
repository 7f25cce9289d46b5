/// A least-recently-used cache of prepared statements, by SQL.
struct StatementCache {
    /// How many statements are kept.
    private let capacity: Int
    /// The statements by their SQL.
    private var statements: [String: Statement] = [:]
    /// The number of uses so far, which orders the statements by their last use.
    private var uses = 0

    /// Creates a cache for at most `capacity` statements.
    init(capacity: Int) { self.capacity = capacity }

    /// The number of cached statements.
    var count: Int { statements.count }

    /// Returns the cached statement of the SQL and marks it as in use; nil if there is none or it is already in use.
    mutating func take(_ sql: String) -> Statement? {
        guard let statement = statements[sql], !statement.isInUse else { return nil }
        markAsUsed(statement)
        return statement
    }

    /// Marks a new statement as in use, and caches it unless one with the same SQL is cached.
    ///
    /// A statement that is not cached is finalised by `putBack(_:)`.
    ///
    /// - Complexity: O(`count`) if another statement must be removed, otherwise O(1)
    mutating func add(_ statement: Statement) {
        markAsUsed(statement)
        guard capacity > 0, statements[statement.sql] == nil else { return }
        if statements.count >= capacity, !removeLeastRecent() { return }
        statements[statement.sql] = statement
        statement.isCached = true
    }

    /// Resets a cached statement for its next use, or finalises a statement that is not cached.
    func putBack(_ statement: Statement) {
        if statement.isCached { statement.reset() } else { statement.finalize() }
        statement.isInUse = false
    }

    /// Finalises all statements.
    ///
    /// - Complexity: O(`count`)
    mutating func removeAll() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
    }

    /// Marks a statement as in use, and as the most recently used one.
    private mutating func markAsUsed(_ statement: Statement) {
        uses += 1
        statement.lastUse = uses
        statement.isInUse = true
    }

    /// Removes the statement that was used least recently, and returns false if all are in use.
    ///
    /// - Complexity: O(`count`)
    private mutating func removeLeastRecent() -> Bool {
        let idle = statements.values.lazy.filter { !$0.isInUse }
        guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return false }
        statements[oldest.sql] = nil
        oldest.finalize()
        return true
    }
}
