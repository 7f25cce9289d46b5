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
/// While an adapter is written, the checks of one topic can run alone:
///
/// ```swift
/// try await checkPersistenceAdapter(where: { $0.hasPrefix("reading.") }) { schema in
///     InMemoryAdapter(schema: schema)
/// }
/// ```
///
/// Begin with `reading`, `writing` and `keys`. The other topics depend on them, in about this order:
///
/// | topic | what must be so |
/// |---|---|
/// | `reading`, `filtering`, `sorting` | queries select the same records in the same order as in every other store |
/// | `writing`, `refusing` | commits list what has changed, and nothing invalid is stored |
/// | `keys`, `inheriting`, `keyChanges` | keys are compared as values; the entities of a hierarchy share them |
/// | `relating`, `oneToOne`, `toMany`, `deleting` | references, links and delete rules are consistent when a transaction ends |
/// | `journal`, `origins`, `incoming` | local changes are kept with their base, and changes of the remote merge or wait |
/// | `history`, `metadata`, `snapshot` | changes have numbers, and stores can be compared |
/// | `atomicity`, `isolation`, `turns` | a transaction is stored as a whole, sees one state, and runs once and in turn |
/// | `observing`, `growth`, `closing` | streams, new entities and the end of a store |
/// | `hostile`, `values` | names and values of any content are kept exactly |
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
///
/// A check knows nothing of the adapter: it makes stores, and uses them as an app does. The same checks run for the
/// adapters of this library, in memory, over SQLite and over PostgreSQL.
public enum PersistenceContract {
    /// All checks, grouped by topic, in the order in which they run.
    ///
    /// A new topic is an enum with a list of its checks, and a line here.
    static let all: [ContractCheck] = [
        ReadingChecks.all, FilterChecks.all, SortingChecks.all, WritingChecks.all, RefusalChecks.all, KeyChecks.all,
        KeyChangeChecks.all, ReferenceChecks.all, OneToOneChecks.all, ToManyChecks.all, DeletingChecks.all,
        JournalChecks.all,
        OriginChecks.all, IncomingChecks.all, HistoryChecks.all, MetadataChecks.all, AtomicityChecks.all,
        IsolationChecks.all, TurnChecks.all,
        ObservingChecks.all, SnapshotChecks.all, HostileChecks.all, GrowthChecks.all, ClosingChecks.all,
    ].flatMap(\.self)

    /// The names of all checks, in the order in which they are run.
    ///
    /// A name does not change between versions, so that an adapter may leave out a check that it cannot pass yet:
    ///
    /// ```swift
    /// let names = PersistenceContract.checks.filter { !$0.hasPrefix("hostile.") }
    /// ```
    public static var checks: [String] { all.map(\.name) }

    /// Runs the checks and returns their report.
    ///
    /// Unlike ``checkPersistenceAdapter(where:reopen:_:)``, it returns violations and throws no error.
    ///
    /// A tool can show the result of each check:
    ///
    /// ```swift
    /// let report = await PersistenceContract.report(where: { $0.hasPrefix("keys.") }) { schema in
    ///     InMemoryAdapter(schema: schema)
    /// }
    /// for name in report.checks {
    ///     print(report.failedChecks.contains(name) ? "failed" : "passed", name)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isIncluded: Whether to run the check of a name; by default, all checks run.
    ///   - reopen: For adapters that persist: closes an adapter and opens its store again.
    ///   - makeStore: Makes an empty store for a schema.
    /// - Returns: The names of the checks that ran, and what they found.
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
    ///
    /// A store that reopens with other contents has kept some of them in memory only.
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
