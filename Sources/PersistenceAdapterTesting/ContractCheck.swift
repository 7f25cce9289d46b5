import DifferentialSync
import SyncPersistence

/// One named check of the contract of stores.
struct ContractCheck: Sendable {
    /// Topic and name.
    let name: String
    /// Whether it closes its stores, so that nothing can be read of them afterwards.
    let closesStores: Bool
    let run: @Sendable (Trial) async throws -> Void

    init(
        _ name: String, closesStores: Bool = false, _ run: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.name = name
        self.closesStores = closesStores
        self.run = run
    }
}

/// What a check works with: it makes stores, and notes what is not as expected.
final class Trial {
    let name: String
    private let makeStore: @Sendable (Schema) async throws -> any PersistenceAdapter
    private(set) var violations: [ContractViolation] = []
    private(set) var stores: [TestStore] = []

    init(_ name: String, makeStore: @escaping @Sendable (Schema) async throws -> any PersistenceAdapter) {
        self.name = name
        self.makeStore = makeStore
    }

    /// A fresh, empty store.
    func store(_ schema: Schema) async throws -> TestStore {
        let store = TestStore(adapter: try await makeStore(schema), schema: schema)
        try store.requireEntities(of: schema)
        stores.append(store)
        return store
    }

    /// A fresh, empty store for the entities that are listed.
    func store(@EntityBuilder _ entities: () -> [Entity]) async throws -> TestStore {
        try await store(Schema(entities()))
    }
}

extension Trial {
    /// Notes a violation if the two differ.
    func expect<Subject: Equatable>(_ subject: String, _ found: Subject, is expected: Subject) {
        if found != expected { note(subject, expected: "\(expected)", found: "\(found)") }
    }

    /// Notes a violation if the records' keys are others.
    func expect(_ subject: String, _ found: [Record], hasKeys expected: [Value]) {
        expect(subject, found.map(\.key), is: expected)
    }

    /// Notes a violation.
    func note(_ subject: String, expected: String, found: String) {
        violations.append(
            ContractViolation(
                check: name, subject: subject, expected: Trial.shortened(expected), found: Trial.shortened(found)))
    }

    /// Notes a violation unless the body throws an error of the kind.
    func expectError(
        _ code: PersistenceError.Code, _ subject: String, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            note(subject, expected: "the error \(code)", found: "none")
        } catch let error as PersistenceError {
            if error.code != code { note(subject, expected: "the error \(code)", found: "\(error.code): \(error)") }
        } catch {
            note(subject, expected: "the error \(code)", found: "\(type(of: error)): \(error)")
        }
    }

    /// Notes a violation unless the changes are refused for a reason, and leave nothing behind.
    func expectRefusal(
        _ code: PersistenceError.Code, _ subject: String, by store: TestStore, _ build: (inout ChangeSet) -> Void
    ) async throws {
        let before = try await store.dump()
        await expectError(code, subject) { try await store.change(build) }
        expect("what a refused change leaves (\(subject))", try await store.dump().differences(from: before), is: [])
    }

    private static func shortened(_ text: String) -> String {
        text.count <= 600 ? text : text.prefix(400) + " … " + text.suffix(200)
    }
}
