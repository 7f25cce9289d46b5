public import SyncPersistence

/// Runs a scenario on a store that fails: before its first commit, after it, before the second, and so on, and at each
/// row that is written; until it runs through without a failure.
///
/// Each time the store is fresh, and after the failure must hold exactly what it held before the commit, or after it if
/// that was stored: all records, links, journal, tombstones, metadata and the sequence number.
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
///   - prepare: What comes before, and does not fail.
///   - scenario: What to do. It must do the same each time up to the failure; it may throw the ``SimulatedFailure`` that it
///     meets, or go on.
///   - afterwards: What to check when the scenario has ended, on the store that fails no more. The failure is nil for
///     the runs without any.
/// - Returns: How many runs met a failure.
/// - Throws: ``ContractError`` if the store holds something else after a failure; and what the scenario and
///   `afterwards` throw.
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
    // What the store holds after each commit, when nothing fails.
    var states: [StoreDump] = []
    try await run(nil)
    for kind in kinds {
        var place = 1
        while try await run(kind(place)) { place += 1 }
        count += place - 1
    }
    if !report.isPassed { throw ContractError(report: report) }
    return count

    /// Runs the scenario once, and answers whether it met the failure.
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
