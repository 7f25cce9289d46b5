import SyncPersistence

/// The steps of a cycle that changes to another scope; see ``ScopeRoute``.
extension StoreCycle {
    /// Returns the handshake in another scope.
    ///
    /// It is the former one if that still has changes to send, and the new one if the former one is that of another
    /// account. A cycle that has gone back too often ends.
    ///
    /// - Returns: Nil to go on in the present scope.
    mutating func changeScope(after response: HandshakeResponse, _ turn: CycleTurn) throws -> Step? {
        if !route.isAtDestination, try turn.transaction.foreignAccount(than: response.account) != nil {
            route.enterDestination()
            return greeting(turn)
        }
        guard route.leavesScope(of: turn.state), let remote else { return nil }
        let (plan, unready) = try pushes.plan(turn, remote.limits)
        outcome.unready = unready
        // A change that the former scope blocks in each round may be possible in the new one.
        if plan.ids.isEmpty || route.returnsAreUsedUp && plan.ids.allSatisfy(pushes.blocked.contains) { return nil }
        return try goBack(to: turn.state.scope, turn)
    }

    /// Returns the handshake in a former scope.
    ///
    /// If the cycle has gone back too often, it ends instead with a failure, and the next cycle continues.
    mutating func goBack(to scope: String?, _ turn: CycleTurn) throws -> Step {
        if route.goBack(to: scope) { return greeting(turn) }
        outcome.failure = .later()
        return try finish(turn)
    }

    /// Continues in the cycle's own scope after the former one.
    ///
    /// If the remote has postponed a change of the former scope, the cycle ends instead. The next cycle sends the
    /// change there.
    ///
    /// - Returns: The handshake in the new scope; nil if the cycle ends.
    mutating func leaveFormerScope(_ turn: CycleTurn) -> Step? {
        let isInterrupted = outcome.failure != nil || outcome.retryAfter != nil
        if isInterrupted || pushes.hasUnblockedPostponed || route.isAtDestination { return nil }
        route.enterDestination()
        (rounds, isCurrent, hasCompared) = (0, false, false)
        pushes.leaveScope()
        return greeting(turn)
    }
}
