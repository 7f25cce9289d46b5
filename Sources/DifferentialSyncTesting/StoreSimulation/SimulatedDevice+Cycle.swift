import DifferentialSync
import StoreSync
import SyncPersistence

extension SimulatedDevice {
    /// Begins a cycle, which has made no step yet.
    ///
    /// If the device belongs to an account and is signed in to another one, it must not accept the answers.
    mutating func begin(in environment: SimulationEnvironment) {
        cycle = environment.makeCycle(scope: scope)
        isCycleElsewhere = isElsewhere && disk.content.hasAccount
    }

    /// Adds a push that the device sends, and returns the number of the push before under the same identifier; nil if
    /// there was none.
    mutating func addPush(_ push: PushRequest) -> Int64? {
        lastPush.updateValue(push.name.number, forKey: push.device)
    }

    /// Ends the wait for an answer, which arrives.
    mutating func receive(_ answer: SimulatedMessage.Answer) {
        awaited = nil
        var hasher = Hasher()
        hasher.combine(cycleDigest)
        hasher.combine(answer)
        cycleDigest = hasher.finalize()
    }

    /// Makes a step of the cycle in one transaction.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the names that the device makes.
    ///   - environment: The source of names, and the policies.
    ///   - body: The step.
    /// - Returns: The result of the step, and the decisions of policies that are stored by it; nil if no cycle is in
    ///   progress.
    mutating func step(
        names prefix: String, in environment: SimulationEnvironment,
        _ body: @escaping @Sendable (inout StoreCycle, WriteTransaction) throws -> StoreCycle.Step
    ) async -> (result: Result<StoreCycle.Step, any Error>, decisions: [DecidedConflict])? {
        guard let running = cycle.map(Locked.init) else { return nil }
        _ = environment.takeDecisions()
        environment.setNames(prefix, count: nameCount)
        defer { nameCount = environment.nameCount }
        do {
            let step = try await disk.withStore(through: environment.deviceStorage) { store in
                try await store.write { transaction in try running.withLock { try body(&$0, transaction) } }.result
            }.result
            cycle = running.current
            return (.success(step), environment.takeDecisions())
        } catch {
            self.error = error
            let decisions = environment.takeDecisions()
            if case .afterCommit = (error as? SimulatedFailure)?.failure { return (.failure(error), decisions) }
            return (.failure(error), [])
        }
    }
}

extension StoreCycle {
    /// Continues the cycle with an answer.
    mutating func received(_ answer: SimulatedMessage.Answer, in transaction: WriteTransaction) throws -> Step {
        switch answer {
        case .handshake(let response): try received(response, in: transaction)
        case .pull(let response): try received(response, in: transaction)
        case .push(let response): try received(response, in: transaction)
        case .failed(let error): try failed(error, in: transaction)
        }
    }
}
