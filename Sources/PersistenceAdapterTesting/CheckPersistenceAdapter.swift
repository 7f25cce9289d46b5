public import SyncPersistence

/// Checks that a store fulfils the whole contract of `PersistenceAdapter`.
///
/// Authors of adapters call it from their tests. It needs no test framework.
///
/// ```swift
/// @Test func contract() async throws {
///     try await checkPersistenceAdapter { schema in InMemoryAdapter(schema: schema) }
/// }
/// ```
///
/// The name of each check begins with its topic, such as `deleting.cascade`. ``PersistenceContract/checks`` lists the
/// names. If `reopen` is given, each check also reopens its stores, which must have the same contents as before.
///
/// - Parameters:
///   - isIncluded: Whether to run the check of a name; by default, all checks run.
///   - reopen: For adapters that persist: closes an adapter and opens its store again. The schema is the one that was
///     passed to `makeStore`; entities that were added later are read from the store.
///   - makeStore: Makes an empty store for a schema. Most checks call it several times and expect independent stores.
/// - Returns: The report, with the names of the checks that ran.
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

/// The checks that make up the contract of `PersistenceAdapter`.
public enum PersistenceContract {
    /// All checks, grouped by topic, in the order in which they run.
    static let all: [ContractCheck] = [
        ReadingChecks.all, FilterChecks.all, SortingChecks.all, WritingChecks.all, RefusalChecks.all, KeyChecks.all,
        KeyChangeChecks.all, ReferenceChecks.all, OneToOneChecks.all, ToManyChecks.all, DeletingChecks.all,
        JournalChecks.all,
        OriginChecks.all, IncomingChecks.all, HistoryChecks.all, MetadataChecks.all, AtomicityChecks.all,
        IsolationChecks.all, TurnChecks.all,
        ObservingChecks.all, SnapshotChecks.all, HostileChecks.all, GrowthChecks.all, ClosingChecks.all,
    ].flatMap(\.self)

    /// The names of all checks, in the order in which they are run.
    public static var checks: [String] { all.map(\.name) }

    /// Runs the checks and returns their report.
    ///
    /// Unlike ``checkPersistenceAdapter(where:reopen:_:)``, it returns violations and throws no error.
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
                trial.report("the check", expected: "no error", found: "\(type(of: error)): \(error)")
            }
            report.checks.append(check.name)
            report.violations += trial.violations
        }
        return report
    }

    /// Checks that each store of a check is consistent, and that reopening changes nothing.
    ///
    /// Stale indexes and lost writes show here, even if the check itself never reads the records in question.
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
