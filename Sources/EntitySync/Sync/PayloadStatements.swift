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

    /// The records that others belong to, and which of them each other one, by a token of its own.
    private var owners: [Value] = []
    private var claims = TokenTable()

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

    /// Adds that a record belongs to an owner alone; returns another owner that an earlier object has given it.
    mutating func claim(_ token: UInt64, for owner: Value) -> Value? {
        let earlier = claims[token].map { owners[$0] }
        if owners.last != owner { owners.append(owner) }
        claims[token] = owners.count - 1
        return earlier == owner ? nil : earlier
    }
}
