import DifferentialSync
import SyncPersistence

/// One named check of the contract of stores.
///
/// A check makes stores, changes them, and compares what it reads with what it expects:
///
/// ```
/// static func count(_ trial: Trial) async throws {
///     let store = try await trial.store { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
///     try await store.put("Note", ["id": 1], ["id": 2])
///     trial.expect("the count", try await store.read { try $0.count(Query("Note")) }, is: 2)
/// }
/// ```
///
/// A violation does not end the check, so that a report has all of them. An error that the check throws is a violation
/// too.
struct ContractCheck: Sendable {
    /// The topic and the name, such as `deleting.cascade`.
    let name: String
    /// Whether the check closes its stores, so that nothing can be read from them afterwards.
    let closesStores: Bool
    /// Runs the check, and records violations in the trial.
    let run: @Sendable (Trial) async throws -> Void

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - name: The topic and the name, which reports contain.
    ///   - closesStores: Whether the check closes its stores. Otherwise they are checked for consistency and opened
    ///     again after the check.
    ///   - run: Runs the check.
    init(
        _ name: String, closesStores: Bool = false, _ run: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.name = name
        self.closesStores = closesStores
        self.run = run
    }
}

/// The context of one run of a check.
///
/// It makes the stores and collects the violations.
final class Trial {
    /// The name of the check.
    let name: String
    /// Calls the closure of the adapter's author, which makes a new empty store.
    private let makeStore: @Sendable (Schema) async throws -> any PersistenceAdapter
    /// The violations that the check has found so far.
    private(set) var violations: [ContractViolation] = []
    /// The stores that the check has made.
    private(set) var stores: [TestStore] = []

    /// Creates the trial of a check that has made no store yet.
    init(_ name: String, makeStore: @escaping @Sendable (Schema) async throws -> any PersistenceAdapter) {
        self.name = name
        self.makeStore = makeStore
    }

    /// Makes an empty store for a schema.
    ///
    /// Throws `MissingEntity` if the adapter does not have all its entities.
    func store(_ schema: Schema) async throws -> TestStore {
        let store = TestStore(adapter: try await makeStore(schema), schema: schema)
        try store.requireEntities(of: schema)
        stores.append(store)
        return store
    }

    /// Makes an empty store for the listed entities.
    ///
    /// A check may make several. Each is independent of the others, and is checked for consistency at the end.
    func store(@EntityBuilder _ entities: () -> [Entity]) async throws -> TestStore {
        try await store(Schema(entities()))
    }
}

extension Trial {
    /// Records a violation if the two values differ.
    ///
    /// The subject completes the sentence "… must be", for example `the count`.
    func expect<Subject: Equatable>(_ subject: String, _ found: Subject, is expected: Subject) {
        if found != expected { report(subject, expected: "\(expected)", found: "\(found)") }
    }

    /// Records a violation if the keys of the records differ from the expected ones, or are in another order.
    ///
    /// Keys alone make a shorter report than records.
    func expect(_ subject: String, _ found: [Record], hasKeys expected: [Value]) {
        expect(subject, found.map(\.key), is: expected)
    }

    /// Records a violation.
    ///
    /// Texts of more than 600 characters are shortened.
    func report(_ subject: String, expected: String, found: String) {
        violations.append(
            ContractViolation(
                check: name, subject: subject, expected: Trial.shortened(expected), found: Trial.shortened(found)))
    }

    /// Records a violation unless the body throws a `PersistenceError` with the code.
    ///
    /// An adapter may add its own text and path to the error, but must keep the code, by which apps react.
    func expectError(
        _ code: PersistenceError.Code, _ subject: String, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            report(subject, expected: "the error \(code)", found: "none")
        } catch let error as PersistenceError {
            if error.code != code { report(subject, expected: "the error \(code)", found: "\(error.code): \(error)") }
        } catch {
            report(subject, expected: "the error \(code)", found: "\(type(of: error)): \(error)")
        }
    }

    /// Records a violation unless the commit throws an error with the code and leaves the store unchanged.
    ///
    /// The whole store is compared, with journal, history and metadata. A refused change that has used up a sequence
    /// number is a violation too.
    func expectRefusal(
        _ code: PersistenceError.Code, _ subject: String, by store: TestStore, _ build: (inout ChangeSet) -> Void
    ) async throws {
        let before = try await store.dump()
        await expectError(code, subject) { try await store.change(build) }
        expect("what a refused change leaves (\(subject))", try await store.dump().differences(from: before), is: [])
    }

    /// Returns the text with its middle omitted if it has more than 600 characters.
    private static func shortened(_ text: String) -> String {
        text.count <= 600 ? text : text.prefix(400) + " … " + text.suffix(200)
    }
}
