/// Prepared statements by their SQL, those that were used last.
struct StatementCache {
    private let capacity: Int
    private var statements: [String: Statement] = [:]
    private var uses = 0

    /// A cache that holds at most so many statements.
    init(capacity: Int) { self.capacity = capacity }

    /// How many statements there are.
    var count: Int { statements.count }

    /// The statement of the SQL, marked as in use; nil if there is none or it is in use already.
    mutating func take(_ sql: String) -> Statement? {
        guard let statement = statements[sql], !statement.isInUse else { return nil }
        markAsUsed(statement)
        return statement
    }

    /// Keeps a new statement, marked as in use, unless there is one of the same SQL.
    ///
    /// One that is not kept is finalised when it is put back. O(`count`) where another one has to go.
    mutating func add(_ statement: Statement) {
        markAsUsed(statement)
        guard capacity > 0, statements[statement.sql] == nil else { return }
        if statements.count >= capacity, !removeLeastRecent() { return }
        statements[statement.sql] = statement
        statement.isCached = true
    }

    /// Makes the statement ready for its next use, or finalises it if it is not one of the cache.
    func putBack(_ statement: Statement) {
        if statement.isCached { statement.reset() } else { statement.finalize() }
        statement.isInUse = false
    }

    /// Finalises all statements. O(`count`)
    mutating func removeAll() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
    }

    private mutating func markAsUsed(_ statement: Statement) {
        uses += 1
        statement.lastUse = uses
        statement.isInUse = true
    }

    /// Whether there was one that is not in use.
    private mutating func removeLeastRecent() -> Bool {
        let idle = statements.values.lazy.filter { !$0.isInUse }
        guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return false }
        statements[oldest.sql] = nil
        oldest.finalize()
        return true
    }
}
