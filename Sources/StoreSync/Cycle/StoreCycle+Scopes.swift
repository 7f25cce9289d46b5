import SyncPersistence

/// The change to another scope: what was changed in the former one is sent there.
extension StoreCycle {
    /// Stays in the former scope, if changes were made since its last push, or were blocked then.
    ///
    /// - Returns: The handshake in the former scope; nil if it has nothing to send.
    mutating func stay(in state: DeviceState, in transaction: WriteTransaction) throws -> Step? {
        guard currentScope != state.scope, state.former?.isNamed(currentScope) != true, let remote,
            returns < maximumRounds, try !plan(remote, in: transaction).mutations.isEmpty
        else { return nil }
        return greeting(in: state.scope, state, transaction)
    }

    /// Goes back to the former scope, if changes were made while the pages of the new one arrived, which lacks them.
    ///
    /// There the record is still known: the new scope does not accept a change of what it lacks.
    ///
    /// - Returns: The handshake in the former scope; nil if it has nothing to send.
    /// - Complexity: O(number of local changes) after a change of scope; else O(1)
    mutating func goBack(_ state: inout DeviceState, in transaction: WriteTransaction) throws -> Step? {
        guard let former = state.former, let remote, returns < maximumRounds else { return nil }
        let (seen, held) = (SeenRecords(in: transaction), Set(outcome.pending))
        var quarantine = try Quarantine(in: transaction)
        var isMissing = false
        for root in shapes(of: transaction).roots where !isMissing {
            try transaction.forEachChange(of: root) { entry, record in
                let id = entry.rootID(root)
                guard entry.base != nil, !entry.isUnsettled, record != entry.base, !held.contains(id),
                    try !seen.contains(id.key, of: root),
                    try !quarantine.contains(id, record, limit: remote.limits.bytes)
                else { return true }
                isMissing = try record.map { try isReady($0, transaction) } ?? true
                return !isMissing
            }
        }
        if !isMissing { return nil }
        try store(&state, in: transaction)
        return greeting(in: former.name, state, transaction)
    }

    private mutating func greeting(
        in scope: String?, _ state: DeviceState, _ transaction: WriteTransaction
    ) -> Step {
        (currentScope, returns) = (scope, returns + 1)
        return greeting(state, transaction.schema)
    }
}
