import SyncPersistence

/// The steps of a cycle that changes to another scope.
///
/// The service accepts changes of a record only in a scope that has it. And only in the former scope the device learns
/// that the service was restored from a backup, and has lost records. So the device first finishes the former scope:
///
/// 1. It introduces itself with the former scope, and sends the changes that it has made there.
/// 2. It introduces itself with the new scope, and compares all records.
/// 3. If a record that the new scope lacks was changed meanwhile, it goes back to step 1.
extension StoreCycle {
    /// Returns the handshake in another scope.
    ///
    /// It is the former one if that still has changes to send, and the new one if the former one is that of another
    /// account. A cycle that has gone back too often ends.
    ///
    /// - Returns: Nil to go on in the present scope.
    mutating func changeScope(after response: HandshakeResponse, _ turn: CycleTurn) throws -> Step? {
        let state = turn.state
        if currentScope != scope, try turn.transaction.foreignAccount(than: response.account) != nil {
            currentScope = scope
            return greeting(turn)
        }
        guard currentScope != state.scope, refusedScope != DeviceState.FormerScope(name: state.scope),
            state.former != DeviceState.FormerScope(name: currentScope), let remote
        else { return nil }
        let unsent = try pushes.plan(turn, remote.limits).ids
        outcome.unready = pushes.unready
        // A change that the former scope blocks in each round may be possible in the new one.
        if unsent.isEmpty || returns == maximumRounds && unsent.allSatisfy(pushes.blocked.contains) { return nil }
        return try goBack(to: state.scope, turn)
    }

    /// Whether records that the new scope lacks were changed while its pages arrived.
    ///
    /// - Complexity: O(number of local changes) after a change of scope; else O(1)
    func mustGoBack(_ turn: CycleTurn) throws -> Bool {
        guard turn.state.former != nil, turn.state.former != refusedScope, let remote else { return false }
        return try pushes.hasChangeOutsideScope(besides: outcome.pending, turn, remote.limits)
    }

    /// Returns the handshake in a former scope.
    ///
    /// If the cycle has gone back too often, it ends instead with a failure, and the next cycle continues.
    mutating func goBack(to scope: String?, _ turn: CycleTurn) throws -> Step {
        if returns == maximumRounds {
            outcome.failure = .later()
            return try finish(turn)
        }
        (currentScope, returns) = (scope, returns + 1)
        return greeting(turn)
    }

    /// Continues in the cycle's own scope after the former one.
    ///
    /// If the remote has postponed a change of the former scope, the cycle ends instead. The next cycle sends the
    /// change there.
    ///
    /// - Returns: The handshake in the new scope; nil if the cycle ends.
    mutating func leaveFormerScope(_ turn: CycleTurn) -> Step? {
        let isInterrupted = outcome.failure != nil || outcome.retryAfter != nil
        if isInterrupted || pushes.hasUnblockedPostponed || currentScope == scope { return nil }
        currentScope = scope
        (rounds, isCurrent, hasCompared) = (0, false, false)
        pushes.leaveScope()
        return greeting(turn)
    }
}
