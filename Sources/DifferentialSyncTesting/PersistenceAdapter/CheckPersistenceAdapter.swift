public import SyncPersistence

/// Checks that a store keeps the whole contract of `PersistenceAdapter`.
///
/// For the authors of adapters; it needs no framework for tests.
///
/// ```swift
/// @Test func contract() async throws {
///     try await checkPersistenceAdapter { schema in InMemoryAdapter(schema: schema) }
/// }
/// ```
///
/// Each check has a name that begins with its topic, such as `deleting.cascade`; ``PersistenceContract/checks`` lists
/// them. For a store that persists, each check is followed by opening its stores again: what they hold must be the same.
///
/// - Parameters:
///   - isIncluded: Which checks to run, by name; all unless given.
///   - reopen: For a store that persists: opens what an adapter has stored by another one. The former is not used
///     afterwards.
///   - makeStore: Makes an empty store for a schema. It is called several times, and each store is independent of the
///     others.
/// - Returns: Which checks were run.
/// - Throws: ``ContractError`` with all violations if there are any.
@discardableResult
public func checkPersistenceAdapter<Adapter: PersistenceAdapter>(
    where isIncluded: (String) -> Bool = { _ in true },
    reopen: (@Sendable (Adapter) async throws -> Adapter)? = nil,
    _ makeStore: @escaping @Sendable (Schema) async throws -> Adapter
) async throws -> ContractReport {
    let report = await PersistenceContract.report(where: isIncluded, reopen: reopen, makeStore)
    if !report.isPassed { throw ContractError(report: report) }
    return report
}

/// The contract of stores as a list of checks.
public enum PersistenceContract {
    static let all: [ContractCheck] = [
        ReadingChecks.all, FilterChecks.all, SortingChecks.all, WritingChecks.all, RefusalChecks.all, KeyChecks.all,
        ReferenceChecks.all, OneToOneChecks.all, ToManyChecks.all, DeletingChecks.all, JournalChecks.all,
        OriginChecks.all, IncomingChecks.all, NoteChecks.all, AtomicityChecks.all, IsolationChecks.all,
        ObservingChecks.all,
        SnapshotChecks.all, HostileChecks.all, GrowthChecks.all,
    ].flatMap(\.self)

    /// The names of all checks, in the order in which they are run.
    public static var checks: [String] { all.map(\.name) }

    /// Runs checks and answers what they have found.
    ///
    /// See ``checkPersistenceAdapter(where:reopen:_:)``.
    public static func report<Adapter: PersistenceAdapter>(
        where isIncluded: (String) -> Bool = { _ in true },
        reopen: (@Sendable (Adapter) async throws -> Adapter)? = nil,
        _ makeStore: @escaping @Sendable (Schema) async throws -> Adapter
    ) async -> ContractReport {
        var report = ContractReport()
        for check in all where isIncluded(check.name) {
            let trial = Trial(check.name, makeStore: makeStore)
            do {
                try await check.run(trial)
                if let reopen { try await expectTheSame(trial, after: reopen) }
            } catch {
                trial.note("the check", expected: "no error", found: "\(type(of: error)): \(error)")
            }
            report.checks.append(check.name)
            report.violations += trial.violations
        }
        return report
    }

    /// Opens the stores of a check again: they hold what they held.
    private static func expectTheSame<Adapter: PersistenceAdapter>(
        _ trial: Trial, after reopen: @Sendable (Adapter) async throws -> Adapter
    ) async throws {
        for store in trial.stores {
            guard let adapter = store.adapter as? Adapter else { continue }
            let before = try await store.dump()
            let schema = adapter.schema
            let reopened = try await reopen(adapter)
            trial.expect("the schema after opening again", reopened.schema, is: schema)
            let differences = try await StoreDump(of: reopened).differences(from: before)
            trial.expect("what differs after opening again", differences, is: [])
        }
    }
}
