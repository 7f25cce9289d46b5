public import SyncPersistence

/// Runs a scenario on a store that fails, once for each place at which it can fail.
///
/// The places are before and after each commit, and at each row that is written.
///
/// Each run has a new store. After the failure, the store must hold exactly what it held before the failed commit, or
/// after it if that was stored: records, links, journal, tombstones, metadata and the sequence number.
///
/// ```swift
/// try await forEveryFailure(of: { InMemoryAdapter(schema: schema) }) { store in
///     try await store.commit(first)
///     try await store.commit(second)
/// } afterwards: { store, failure in
///     // What the scenario promises whatever happens.
/// }
/// ```
///
/// - Parameters:
///   - makeStore: Makes an empty store.
///   - prepare: Prepares the store, without failures.
///   - scenario: The scenario. It must do the same in each run up to the failure. It may throw the
///     `SimulatedFailure` or continue.
///   - afterwards: Checks the store, which fails no more, at the end of the scenario. The failure is nil for
///     runs without one.
/// - Returns: The number of runs with a failure.
/// - Throws: ``ContractError`` if the store holds something else after a failure; and the errors of the scenario and of
///   `afterwards`.
/// - Complexity: O(*k*) runs of a scenario that writes *k* rows, each with a dump of the store for every commit
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
    // The states after each commit, when nothing fails.
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
    @discardableResult
    func run(_ failure: FailingAdapter.Failure?) async throws -> Bool {
        let base = try await makeStore()
        try await prepare(base)
        let watch = StateWatch(base)
        try await watch.note()
        let store = FailingAdapter(base, at: failure) { try await watch.note(isAfterFailure: $0) }
        do {
            try await scenario(store)
        } catch is SimulatedFailure {}
        if let failure, store.hasFailed {
            let name = "after the failure \(failure)"
            report.checks.append(name)
            let trial = Trial(name) { _ in base }
            let (found, commits) = await (watch.afterFailure, watch.commitsBeforeFailure)
            // The commit that failed is not among those that were noted, though it may have been stored.
            let isStored = if case .afterCommit = failure { true } else { false }
            let number = commits + (isStored ? 1 : 0)
            if let found, states.indices.contains(number) {
                trial.expect("what differs in the store", found.differences(from: states[number]), is: [])
            } else {
                trial.note("the scenario", expected: "the same commits each time", found: "more of them")
            }
            report.violations += trial.violations
        } else {
            states = await watch.states
        }
        try await afterwards(base, store.hasFailed ? failure : nil)
        return store.hasFailed
    }
}

/// Notes what a store holds, as it goes.
private actor StateWatch {
    private let store: any PersistenceAdapter
    private(set) var states: [StoreDump] = []
    private(set) var afterFailure: StoreDump?
    private(set) var commitsBeforeFailure = 0

    init(_ store: any PersistenceAdapter) { self.store = store }

    func note(isAfterFailure: Bool = false) async throws {
        let dump = try await StoreDump(of: store)
        if isAfterFailure {
            afterFailure = dump
            commitsBeforeFailure = states.count - 1
        } else {
            states.append(dump)
        }
    }
}
