import SyncPersistence

/// The statements of a payload's objects about their records, to find contradictions.
struct PayloadStatements {
    /// The members by which an object states something about its record, and the slot of the owner in whose object it
    /// is nested.
    struct Statement {
        /// The members of the object.
        let plan: Plan
        /// The slot of the owner; nil if the object is not nested in one.
        let ownerSlot: String?
    }

    /// The statements in the order of the payload.
    private var statements: [Statement] = []
    /// The number of the last statement about each changed record, by the index of its change; -1 for none.
    private var ofChanges: [Int32] = []
    /// The number of the last statement about each other record, by its token.
    private var ofOthers = TokenTable()

    /// Returns the last statement about a record; nil for none.
    ///
    /// - Parameters:
    ///   - token: The token of the record.
    ///   - index: The index of the record's change; nil for an unchanged record.
    func latest(of token: UInt64, changedAt index: Int?) -> Statement? {
        if let index, index < ofChanges.count, ofChanges[index] >= 0 { return statements[Int(ofChanges[index])] }
        return ofOthers[token].map { statements[$0] }
    }

    /// Adds an object's statement about a record.
    ///
    /// - Parameters:
    ///   - token: The token of the record.
    ///   - index: The index of the record's change; nil for an unchanged record.
    mutating func add(_ plan: Plan, ownerSlot: String?, of token: UInt64, changedAt index: Int?) {
        var number = plan.statement
        if number < 0 || statements[number].ownerSlot != ownerSlot {
            number = statements.count
            plan.statement = number
            statements.append(Statement(plan: plan, ownerSlot: ownerSlot))
        }
        guard let index else {
            ofOthers[token] = number
            return
        }
        while ofChanges.count <= index { ofChanges.append(-1) }
        ofChanges[index] = Int32(clamping: number)
    }
}
