public import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension PersistenceAdapter {
    /// Synchronizes all records of the store with a remote, in both directions.
    ///
    /// ```swift
    /// let outcome = try await store.synchronize(with: service)
    /// if !outcome.isSynced { show(outcome) }
    /// ```
    ///
    /// Each response is stored in one transaction. If the process ends, or the task is cancelled, the next call
    /// continues. A store has one cycle at a time. While pages are stored, the next ones are fetched; those that have
    /// arrived meanwhile are stored together.
    ///
    /// A record that is not finished can wait, for example a draft:
    ///
    /// ```swift
    /// try await store.synchronize(with: service, isReady: { record, _ in record["isDraft"] != true })
    /// ```
    ///
    /// - Parameters:
    ///   - remote: The other end.
    ///   - policies: Resolve conflicts of both sides; by default these stay open, and nothing is lost.
    ///   - scope: The name of the part of the account's records to synchronize; nil for all. Records that are not in it
    ///     leave this store, unless they have local changes. Those of entities that it does not have at all stay, and are
    ///     not synchronized.
    ///   - choose: Returns the reaction to a mismatch of both ends. If it throws, nothing is sent or stored.
    ///   - isReady: Whether a new or changed record may be sent now. Otherwise it stays a local change, as do new records
    ///     that refer to it.
    ///   - progress: Called after each stored step.
    ///   - makeName: Returns another name with each call, for the device and for pushes.
    /// - Returns: What was done, and what is left. A remote that does not answer is no error, but
    ///   ``StoreOutcome/failure``.
    /// - Throws: ``KeptApartError`` if that is the choice for a mismatch; `PersistenceError` if another cycle has
    ///   continued meanwhile, or if the store cannot be read or written; ``RemoteError/incompatible(_:)`` for a response
    ///   that cannot be; the errors of `choose` and of the policies; `CancellationError`.
    /// - Complexity: O(number of changes on both sides); the first cycle and comparisons O(*n*), with the memory of
    ///   a few pages
    @discardableResult
    public func synchronize(
        with remote: some Remote, policies: SyncPolicies = SyncPolicies(), scope: String? = nil,
        choose: @escaping @Sendable (RemoteMismatch) throws -> RemoteMismatch.Choice = { $0.defaultChoice },
        isReady: @escaping @Sendable (Record, ReadTransaction) throws -> Bool = { _, _ in true },
        progress: (@Sendable (StoreProgress) -> Void)? = nil,
        makeName: @escaping @Sendable () -> String = { UUID().uuidString }
    ) async throws -> StoreOutcome {
        var cycle = StoreCycle(
            policies: policies, scope: scope, choose: choose, isReady: isReady, makeName: makeName)
        var (step, _, commit) = try await perform(&cycle) { cycle, transaction in
            (try cycle.begin(in: transaction), pages: 0)
        }
        progress?(StoreProgress(of: cycle, remaining: 0, commit))
        var fetched: [FetchedPage] = []
        while true {
            let event: Event
            do {
                switch step {
                case .handshake(let request): event = .greeted(try await remote.handshake(request))
                case .pull(let request):
                    if fetched.first?.request != request { fetched = [await FetchedPage(request, from: remote)] }
                    _ = try fetched.first?.page.get()
                    event = .pulled(fetched)
                case .push(let request): event = .pushed(try await remote.push(request))
                case .finished(let outcome): return outcome
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                event = .failed(error as? RemoteError ?? .later())
            }
            if case .pulled = event {} else { fetched = [] }
            let (ahead, pages) = (PagesAhead(), fetched)
            async let next = ahead.pages(after: pages, from: remote)
            let storedCount: Int
            (step, storedCount, commit) = try await perform(&cycle) { cycle, transaction in
                try event.report(to: &cycle, in: transaction)
            }
            await ahead.stop()
            let remaining = try? pages.prefix(storedCount).last?.page.get().remaining
            progress?(StoreProgress(of: cycle, remaining: remaining ?? 0, commit))
            fetched.removeFirst(storedCount)
            fetched += await next
        }
    }

    /// Makes a step of a cycle in one transaction; if it fails, the cycle is as before.
    private func perform(
        _ cycle: inout StoreCycle,
        _ step: @escaping @Sendable (inout StoreCycle, WriteTransaction) throws -> (StoreCycle.Step, pages: Int)
    ) async throws -> (StoreCycle.Step, pages: Int, commit: Int64?) {
        let before = cycle
        let written = try await write { transaction in
            var cycle = before
            let next = try step(&cycle, transaction)
            return (cycle, next)
        }
        cycle = written.result.0
        let (next, pages) = written.result.1
        return (next, pages, written.commit.isEmpty ? nil : written.commit.sequence)
    }
}

/// What a cycle's request has led to.
private enum Event: Sendable {
    case greeted(HandshakeResponse)
    /// The answer to the request, and then the pages that were fetched ahead, in their order.
    case pulled([FetchedPage])
    case pushed(PushResponse)
    case failed(RemoteError)

    /// Reports the event to a cycle; returns the next step and the number of reported pages.
    func report(
        to cycle: inout StoreCycle, in transaction: WriteTransaction
    ) throws -> (StoreCycle.Step, pages: Int) {
        switch self {
        case .greeted(let response): (try cycle.received(response, in: transaction), 0)
        case .pulled(let pages): try pages.report(to: &cycle, in: transaction)
        case .pushed(let response): (try cycle.received(response, in: transaction), 0)
        case .failed(let error): (try cycle.failed(error, in: transaction), 0)
        }
    }
}

/// How far a cycle of a whole store is.
public struct StoreProgress: Hashable, Sendable {
    /// How many changes of others were stored so far.
    public let pulledCount: Int

    /// How many changes the remote has accepted so far.
    public let pushedCount: Int

    /// About how many changes of others follow; at most 2⁵³, whatever the remote says.
    public let remainingCount: Int

    /// About how many changes of this store follow the push that is sent next.
    public let unsentCount: Int

    /// The number of the step's commit; nil if the step has changed nothing.
    package let commit: Int64?

    init(of cycle: StoreCycle, remaining: Int, _ commit: Int64?) {
        (pulledCount, remainingCount) = (cycle.outcome.pulledCount, min(max(remaining, 0), 1 << 53))
        (pushedCount, unsentCount) = (cycle.outcome.pushedCount, cycle.pushes.unsentCount)
        self.commit = commit
    }
}
