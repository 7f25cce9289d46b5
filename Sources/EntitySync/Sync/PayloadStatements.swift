import SyncPersistence

/// The statements of a payload's objects about their records, to find contradictions.
struct PayloadStatements {
    /// The members by which an object states something about its record, and the slot of the owner in whose object it
    /// is nested.
    struct Statement {
        let plan: Plan
        let ownerSlot: String?
    }

    private var statements: [Statement] = []
    /// The last statement about each record, by its token.
    private var latest = TokenTable()

    /// Adds an object's statement about a record; returns the previous statement about the same record.
    mutating func add(_ plan: Plan, ownerSlot: String?, of token: UInt64) -> Statement? {
        var number = plan.statement
        if number < 0 || statements[number].ownerSlot != ownerSlot {
            number = statements.count
            plan.statement = number
            statements.append(Statement(plan: plan, ownerSlot: ownerSlot))
        }
        guard let earlier = latest.number(of: token, orInsert: number) else { return nil }
        if earlier != number { latest[token] = number }
        return statements[earlier]
    }
}
