import SyncPersistence

/// Which objects of a payload specify the same record, by which contradictions are found.
struct PayloadStatements {
    /// What an object specifies of its record: by its members, and by the owner in whose object it is nested.
    struct Statement {
        let plan: Plan
        let ownerSlot: String?
    }

    private var statements: [Statement] = []
    /// The last statement about each record, by its token.
    private var latest = TokenTable()

    /// Adds an object's statement about a record; returns that of an earlier object.
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
