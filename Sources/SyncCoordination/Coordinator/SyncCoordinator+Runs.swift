import StoreSync
import SyncPersistence

extension SyncCoordinator {
    /// Runs a cycle.
    func runCycle(_ run: Int) async -> RunResult {
        let (steps, continuation) = AsyncStream<StoreProgress>.makeStream()
        let observer = Task {
            for await step in steps {
                let count = step.pulledCount + step.remainingCount
                let fraction = step.remainingCount > 0 ? Double(step.pulledCount) / Double(count) : nil
                self.handle(.progressed(lane: 0, run: run, fraction: fraction, commit: step.commit))
            }
        }
        let work = processors.compactMap(\.processor.work).filter(\.precedesSync)
        // A choice is for one mismatch: the next one is asked about again.
        let used = Locked<Set<RemoteMismatch>>([])
        defer { for mismatch in used.current { choices[mismatch] = nil } }
        let result: RunResult
        do {
            let outcome = try await store.synchronize(
                with: remote, policies: policies, scope: scope,
                choose: { [choices] mismatch in
                    used.withLock { _ = $0.insert(mismatch) }
                    return choices[mismatch] ?? .keepApart
                },
                isReady: { record, transaction in try !work.contains { try $0.matches(record, in: transaction) } },
                progress: { continuation.yield($0) }, makeName: makeName)
            result = Task.isCancelled && outcome.failure != nil ? .cancelled : .cycle(outcome)
            if outcome.failure == nil { choices = [:] }
        } catch {
            // Others can be cancelled too, such as an upload that a remote waits for.
            result = Task.isCancelled ? .cancelled : .failed(RunFailure(error))
        }
        continuation.finish()
        // The commits of the cycle must be known before its end is handled.
        await observer.value
        return result
    }

    /// Lets the processor of a lane process its records.
    func runProcessor(_ lane: Int, _ run: Int, _ isRetry: Bool) async -> RunResult {
        do {
            let report = try await processors[lane - 1].run(isRetry: isRetry) { event in
                await self.progress(lane, run, event)
            }
            return .processor(report)
        } catch {
            return Task.isCancelled ? .cancelled : .failed(RunFailure(error))
        }
    }

    private func progress(_ lane: Int, _ run: Int, _ event: SyncEvent) {
        report(event)
        handle(.progressed(lane: lane, run: run, fraction: nil, commit: nil))
    }
}
