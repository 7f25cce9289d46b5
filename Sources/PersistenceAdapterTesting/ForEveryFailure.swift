public import SyncPersistence

/// Runs a scenario once for each place at which its store can fail.
///
/// The store can fail before and after each commit, and at each row that is written. Each run has a new store.
///
/// | failure | what the scenario sees | what is stored |
/// |---|---|---|
/// | before a commit | an error | the state before the commit |
/// | after a commit | an error, as from a lost connection | the state after the commit |
/// | at a row | an error within the transaction | the state before the commit |
///
/// After a failure, the store must be in the state before or after the failed commit, never between. The state includes
/// records, links, journal, history, metadata and the sequence number.
///
/// ```swift
/// try await forEveryFailure(of: { InMemoryAdapter(schema: schema) }) { store in
///     try await store.commit(first)
///     try await store.commit(second)
/// } afterwards: { store, failure in
///     // Check what must hold after every failure.
/// }
/// ```
///
/// - Parameters:
///   - makeStore: Makes an empty store.
///   - prepare: Prepares the store, without failures.
///   - scenario: The scenario. Up to the failure, each run must make the same commits. The scenario may rethrow the
///     `SimulatedFailure` or catch it and continue.
///   - afterwards: Checks the store at the end of a run, when it no longer fails. The failure is nil for a run without
///     one.
/// - Returns: The number of runs with a failure.
/// - Throws: ``ContractError`` if a store is in a wrong state after a failure. Errors of the scenario and of
///   `afterwards` are rethrown.
/// - Complexity: O(*k*) runs for a scenario that writes *k* rows. Each run dumps the store once for every commit.
@discardableResult
public func forEveryFailure(
    of makeStore: () async throws -> any PersistenceAdapter,
    prepare: (any PersistenceAdapter) async throws -> Void = { _ in },
    scenario: (FailingAdapter) async throws -> Void,
    afterwards: (any PersistenceAdapter, FailingAdapter.Failure?) async throws -> Void = { _, _ in }
) async throws -> Int {
    var report = ContractReport()
    var count = 0
    let kinds: [(Int) -> FailingAdapter.Failure] = [
        FailingAdapter.Failure.beforeCommit, FailingAdapter.Failure.afterCommit, FailingAdapter.Failure.row,
    ]
    // The states after each commit of the run without a failure.
    var states: [StoreDump] = []
    try await run(nil)
    for kind in kinds {
        var place = 1
        while try await run(kind(place)) { place += 1 }
        count += place - 1
    }
    if !report.isPassed { throw ContractError(report: report) }
    return count

    /// Runs the scenario once, and returns whether the failure occurred.
    ///
    /// A run without a failure comes first, and stores the states that later runs are compared with. If the failure
    /// did not occur, its place is behind the end of the scenario, and the caller continues with another kind.
    @discardableResult
    func run(_ failure: FailingAdapter.Failure?) async throws -> Bool {
        let base = try await makeStore()
        try await prepare(base)
        let watch = StateWatch(base)
        try await watch.record()
        let store = FailingAdapter(base, at: failure) { try await watch.record(isAfterFailure: $0) }
        do {
            try await scenario(store)
        } catch is SimulatedFailure {}
        if let failure, store.hasFailed {
            let name = "after the failure \(failure)"
            report.checks.append(name)
            let trial = Trial(name) { _ in base }
            let (found, commits) = await (watch.afterFailure, watch.commitsBeforeFailure)
            // The failed commit is not counted, but a failure after the commit leaves it stored.
            let isStored = if case .afterCommit = failure { true } else { false }
            let number = commits + (isStored ? 1 : 0)
            if let found, states.indices.contains(number) {
                trial.expect("what differs in the store", found.differences(from: states[number]), is: [])
            } else {
                trial.report("the scenario", expected: "the same commits each time", found: "more of them")
            }
            report.violations += trial.violations
        } else {
            states = await watch.states
        }
        try await afterwards(base, store.hasFailed ? failure : nil)
        return store.hasFailed
    }
}

/// The states of a store, recorded during a scenario.
///
/// The adapter that fails calls it from within its commits, so it is an actor.
private actor StateWatch {
    private let store: any PersistenceAdapter
    /// The state at the start, and the state after each commit.
    private(set) var states: [StoreDump] = []
    /// The state right after the failure; nil if there was none.
    private(set) var afterFailure: StoreDump?
    /// The number of commits that succeeded before the failure.
    private(set) var commitsBeforeFailure = 0

    init(_ store: any PersistenceAdapter) { self.store = store }

    /// Records the current state of the store.
    ///
    /// - Complexity: O(size of the store)
    func record(isAfterFailure: Bool = false) async throws {
        let dump = try await StoreDump(of: store)
        if isAfterFailure {
            afterFailure = dump
            commitsBeforeFailure = states.count - 1
        } else {
            states.append(dump)
        }
    }
}
