public import SyncPersistence

/// Checks that a store fulfils the whole contract of `PersistenceAdapter`.
///
/// It is for authors of adapters, and needs no test framework.
///
/// ```swift
/// @Test func contract() async throws {
///     try await checkPersistenceAdapter { schema in InMemoryAdapter(schema: schema) }
/// }
/// ```
///
/// Each check has a name that begins with its topic, such as `deleting.cascade`.
///
/// ``PersistenceContract/checks`` lists
/// them. For a store that persists, each check also opens its stores again, which must hold the same.
///
/// - Parameters:
///   - isIncluded: Which checks to run, by name; all unless given.
///   - reopen: For a store that persists: closes an adapter, and opens what it has stored by another one, with the
///     schema that the store was made with. What was added to the schema since then comes from the store.
///   - makeStore: Makes an empty store for a schema. It is called several times, and each store is independent of the
///     others.
/// - Returns: Which checks were run.
/// - Throws: ``ContractError`` with all violations if there are any.
@discardableResult
public func checkPersistenceAdapter<Adapter: PersistenceAdapter>(
    where isIncluded: (String) -> Bool = { _ in true },
    reopen: (@Sendable (Adapter, Schema) async throws -> Adapter)? = nil,
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
        KeyChangeChecks.all, ReferenceChecks.all, OneToOneChecks.all, ToManyChecks.all, DeletingChecks.all,
        JournalChecks.all,
        OriginChecks.all, IncomingChecks.all, NoteChecks.all, AtomicityChecks.all, IsolationChecks.all, TurnChecks.all,
        ObservingChecks.all, SnapshotChecks.all, HostileChecks.all, GrowthChecks.all, ClosingChecks.all,
    ].flatMap(\.self)

    /// The names of all checks, in the order in which they are run.
    public static var checks: [String] { all.map(\.name) }

    /// Runs checks and returns a report of their results.
    ///
    /// See ``checkPersistenceAdapter(where:reopen:_:)``.
    public static func report<Adapter: PersistenceAdapter>(
        where isIncluded: (String) -> Bool = { _ in true },
        reopen: (@Sendable (Adapter, Schema) async throws -> Adapter)? = nil,
        _ makeStore: @escaping @Sendable (Schema) async throws -> Adapter
    ) async -> ContractReport {
        var report = ContractReport()
        for check in all where isIncluded(check.name) {
            let trial = Trial(check.name, makeStore: makeStore)
            do {
                try await check.run(trial)
                if !check.closesStores { try await expectConsistency(trial, reopening: reopen) }
            } catch {
                trial.note("the check", expected: "no error", found: "\(type(of: error)): \(error)")
            }
            report.checks.append(check.name)
            report.violations += trial.violations
        }
        return report
    }

    /// Checks the stores of a check for consistency, and that they hold the same after they are opened again.
    private static func expectConsistency<Adapter: PersistenceAdapter>(
        _ trial: Trial, reopening reopen: (@Sendable (Adapter, Schema) async throws -> Adapter)?
    ) async throws {
        for store in trial.stores {
            let differences = try await store.read { try Consistency.differences(in: $0) }
            trial.expect("what is found otherwise than among all records", differences, is: [])
            guard let reopen, let adapter = store.adapter as? Adapter else { continue }
            let before = try await store.dump()
            let schema = adapter.schema
            let reopened = try await reopen(adapter, store.schema)
            trial.expect("the schema after opening again", reopened.schema, is: schema)
            let changes = try await StoreDump(of: reopened).differences(from: before)
            trial.expect("what differs after opening again", changes, is: [])
        }
    }
}
