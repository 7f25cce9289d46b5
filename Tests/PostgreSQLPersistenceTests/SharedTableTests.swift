import DifferentialSyncTesting
import Dispatch
import PersistenceAdapterTesting
import PostgreSQLTestSupport
import StoreSync
import SyncPersistence
import TestSupport
import Testing

@testable import PostgreSQLPersistence

/// Stores of accounts in shared tables.
@Suite(.needsPostgreSQL) struct SharedTableTests {
    /// A name that means something in SQL.
    private static let ada = "ada's \\ \"$1\" ä"

    /// The connections of all stores.
    private static let pool = Result { try PostgreSQLPool(TestCluster.shared.connection) }

    private func accounts(
        _ schema: Schema, in name: String? = nil, migration: [MigrationStep] = []
    ) async throws -> (PostgreSQLAccounts, PostgreSQLPool, String) {
        let cluster = try TestCluster.shared
        let pool = try Self.pool.get()
        let name = name ?? "shared \(cluster.nextNumber())"
        let accounts = try await PostgreSQLAccounts.open(
            on: pool, namespace: name, schema: schema, migration: migration)
        return (accounts, pool, name)
    }

    @Test(arguments: ContractTests.topics)
    func storeOfAnAccountFulfilsTheContract(topic: String) async throws {
        let cluster = try TestCluster.shared
        let pool = try Self.pool.get()
        try await checkPersistenceAdapter(
            where: { $0.hasPrefix("\(topic).") },
            reopen: { adapter, schema in
                await adapter.close()
                return try await PostgreSQLAccounts.open(on: pool, namespace: adapter.namespaceName, schema: schema)
                    .store(of: Self.ada)
            },
            { schema in
                try await PostgreSQLAccounts.open(
                    on: pool, namespace: "shared contract \(cluster.nextNumber())", schema: schema
                ).store(of: Self.ada)
            })
    }

    private static let schema = try! Schema {
        Entity("Person") {
            Attribute("name", .string, isPrimaryKey: true)
            Attribute("city", .string, isIndexed: true)
            Attribute("age", .integer, isIndexed: true)
            Relationship("friends", toMany: "Person")
            Relationship("mother", to: "Person")
        }
    }

    private static func fill(_ store: PostgreSQLAdapter, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<4 {
            var changes = ChangeSet(origin: round.isMultiple(of: 2) ? .agreed : .local)
            for number in 0..<20 {
                let long = String(repeating: "long", count: number == 17 ? 2_000 : 0)
                changes.put(
                    Record(
                        schema["Person"]!,
                        [
                            "name": .string("\(number)\(long)"),
                            "city": .string("city \(Int.random(in: 0..<4, using: &random))"),
                            "age": .integer(.random(in: 0..<9, using: &random)), "mother": "1",
                        ]))
            }
            changes.setLinks(RecordID("Person", "3"), "friends", to: [.string("\(round + 4)"), "2"])
            if round == 3 { changes.delete(RecordID("Person", "9")) }
            try await store.commit(changes)
        }
    }

    @Test func accountsWithTheSameKeysHaveTheirOwnRecords() async throws {
        let (accounts, pool, name) = try await accounts(Self.schema)
        // A quote that forms one character with its neighbour is a quote too.
        let injected = "x\u{600}'; SET LOCAL differentialsync.account TO 'bob"
        let names = [Self.ada, "bob", "b", "eve", injected, "'\u{301}"]
        var expected: [StoreDump] = []
        for (seed, account) in names.enumerated() {
            let alone = try await TestCluster.shared.store(Self.schema)
            let store = try accounts.store(of: account)
            for each in [alone, store] { try await Self.fill(each, seed: UInt64(seed)) }
            expected.append(try await StoreDump(of: alone))
            for query in [
                Query("Person", where: Field("city") == "city 1"), Query("Person", where: Field("name") == "7"),
                Query("Person", where: Field("city").isOne(of: ["city 1", "city 2"])),
                Query("Person", where: Field("mother.city") == "city 2"),
                Query("Person", where: Field("age") > 3, sort: [Query.SortKey("age")]),
            ] {
                let (left, right) = (
                    try await alone.read { try $0.records(query) }, try await store.read { try $0.records(query) }
                )
                #expect(left == right)
            }
            await alone.close()
        }
        for (position, account) in names.enumerated() {
            let store = try accounts.store(of: account)
            #expect(try await StoreDump(of: store).differences(from: expected[position]) == [], "\(account)")
        }
        #expect(try await accounts.store(of: "nobody").read { try $0.count(Query("Person")) } == 0)
        for faulty in ["", "a\0b", String(repeating: "a", count: 201)] {
            #expect(throws: PersistenceError.self) { try accounts.store(of: faulty) }
        }
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await PostgreSQLAdapter.open(on: pool, namespace: name, schema: Self.schema)
        }
        #expect(error?.code == .foreignNamespace)
        let single = try await TestCluster.shared.store(Self.schema)
        let refusal = await #expect(throws: PersistenceError.self) {
            _ = try await PostgreSQLAccounts.open(on: pool, namespace: single.namespaceName, schema: Self.schema)
        }
        #expect(refusal?.code == .foreignNamespace)
        await single.close()
    }

    @Test(arguments: 0..<6)
    func grownSchemaHasTheSameRecordsOfEachAccountAsInMemory(number: Int) async throws {
        let seed = SeededGenerator.testSeed(UInt64(number))
        var random = RandomSchema(seed: seed)
        let old = try random.schema
        let (accounts, _, name) = try await accounts(old)
        var records = RandomRecords(of: old, seed: seed)
        for account in ["ada", "bob", "eve"] {
            var changes = ChangeSet()
            for record in records.records(12) { changes.put(record) }
            try await accounts.store(of: account).commit(changes)
        }
        random.evolve()
        let new = try random.schema
        var expected: [String: StoreDump] = [:]
        for account in ["ada", "bob", "eve"] {
            let store = try accounts.store(of: account)
            expected[account] = try await StoreDump(of: InMemoryAdapter.copy(of: store, schema: new))
        }
        let (grown, _, _) = try await self.accounts(new, in: name)
        for (account, dump) in expected {
            let store = try grown.store(of: account)
            #expect(try await StoreDump(of: store).differences(from: dump) == [], "\(account), seed \(seed)")
        }
    }

    @Test func migrationStepsConvertTheRecordsOfEachAccount() async throws {
        let (accounts, _, name) = try await accounts(Self.schema)
        for (seed, account) in ["ada", "bob"].enumerated() {
            try await Self.fill(accounts.store(of: account), seed: UInt64(seed))
        }
        var entities = Self.schema.entities
        entities[0].attributes.removeAll { $0.name == "city" }
        entities[0].attributes[1].type = .string
        let new = try Schema(entities)
        let steps: [MigrationStep] = [
            .drop("Person", "city", losingUnsentChanges: true),
            .convert("Person", "age", losingUnsentChanges: true) { .string("\($0) years") },
        ]
        var expected: [String: StoreDump] = [:]
        for account in ["ada", "bob"] {
            expected[account] = try await StoreDump(
                of: InMemoryAdapter.copy(of: accounts.store(of: account), schema: new, migration: steps))
        }
        let (migrated, _, _) = try await self.accounts(new, in: name, migration: steps)
        for (account, dump) in expected {
            #expect(try await StoreDump(of: migrated.store(of: account)).differences(from: dump) == [], "\(account)")
        }
    }

    @Test func commitsAreAnnouncedToTheirAccountAlone() async throws {
        let (accounts, _, name) = try await accounts(Authorship.schema)
        let (others, _, _) = try await self.accounts(Authorship.schema, in: name)
        try await accounts.store(of: Self.ada).commit(Authorship.tag(1))
        var ada = try others.store(of: Self.ada).sequences().makeAsyncIterator()
        var bob = try others.store(of: "bob").sequences().makeAsyncIterator()
        #expect(await ada.next() == 1)
        #expect(await bob.next() == 0)
        try await accounts.store(of: Self.ada).commit(Authorship.tag(2))
        try await accounts.store(of: "bob").commit(Authorship.tag(3))
        #expect(await ada.next() == 2)
        #expect(await bob.next() == 1)
    }

    @Test func layoutThatAnAccountReadsIsThatOfAllAccounts() async throws {
        let (accounts, _, name) = try await accounts(Authorship.schema)
        let (others, _, _) = try await self.accounts(Authorship.schema, in: name)
        let pet = Entity("Pet") { Attribute("name", .string, isPrimaryKey: true) }
        try await others.store(of: "bob").add([pet])
        let account = try await accounts.store(of: Self.ada).read { transaction -> String? in
            guard let storage = transaction.storage as? PostgreSQLStorage, let shape = transaction.schema["Pet"] else {
                return "no such layout"
            }
            return storage.layout.table(of: shape).namespace.account
        }
        #expect(account == nil)
    }

    @Test func writersOfDifferentAccountsDoNotWaitForEachOther() async throws {
        let (accounts, _, _) = try await accounts(Authorship.schema)
        let (ada, bob) = (try accounts.store(of: "ada"), try accounts.store(of: "bob"))
        let (begun, gate) = (Signal(), DispatchSemaphore(value: 0))
        let holder = Task {
            try await ada.write { transaction in
                try transaction.apply(Authorship.tag(1))
                begun.send()
                gate.wait()
            }
        }
        await begun.wait()
        try await bob.commit(Authorship.tag(1))
        gate.signal()
        _ = try await holder.value
        for store in [ada, bob] { #expect(try await store.read { try $0.keys(of: "Tag") } == [1]) }
    }
}
