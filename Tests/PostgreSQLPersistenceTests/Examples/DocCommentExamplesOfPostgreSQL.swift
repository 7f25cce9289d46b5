import Foundation
import PostgreSQLPersistence
import Testing

/// The examples in the comments of `Sources/PostgreSQLPersistence`, which no test runs as they are: they name a server.
struct DocCommentExamplesOfPostgreSQL {
    func aStore(schema: Schema, changes: ChangeSet) async throws {
        let store = try await PostgreSQLAdapter.open(
            connection: "postgres://app@db.example/sync", namespace: "notes", schema: schema)
        try await store.commit(changes)
    }

    func aMigration(database: String, newer: Schema) async throws -> PostgreSQLAdapter {
        let store = try await PostgreSQLAdapter.open(
            connection: database, namespace: "notes", schema: newer,
            migration: [.drop("Book", "shelf"), .convert("Book", "pages")])
        return store
    }

    func sequences(of store: PostgreSQLAdapter) async {
        for await sequence in store.sequences() {
            print("commit \(sequence)")
        }
    }

    func aPool(schema: Schema) async throws -> PostgreSQLAdapter {
        let pool = try PostgreSQLPool("postgres://app@db.example/sync")
        let store = try await PostgreSQLAdapter.open(on: pool, namespace: "account 1", schema: schema)
        return store
    }

    func aRead(store: PostgreSQLAdapter) async throws -> [Record] {
        let overdue = try await store.read { transaction in
            try transaction.records(Query("ToDo", where: Field("due") < .date(.now), limit: 50))
        }
        return overdue
    }

    func aWrite(store: PostgreSQLAdapter) async throws {
        let outcome = try await store.write { transaction in
            var changes = ChangeSet()
            changes.update(RecordID("Counter", 1), ["count": 7])
            try transaction.apply(changes)
        }
        print(outcome.commit.sequence)
    }

    func someOptions(connection: String) throws -> PostgreSQLPool {
        var options = PostgreSQLPool.Options()
        options.readerCount = 16
        options.lockTimeout = .seconds(5)
        let pool = try PostgreSQLPool(connection, options: options)
        return pool
    }

    private enum Status { case ready, serviceUnavailable }

    private func readiness(of pool: PostgreSQLPool) async -> Status {
        do { try await pool.ping(within: .seconds(2)) } catch { return .serviceUnavailable }
        return .ready
    }

    func sharedTables(pool: PostgreSQLPool, schema: Schema, changes: ChangeSet) async throws {
        let accounts = try await PostgreSQLAccounts.open(on: pool, namespace: "sync", schema: schema)
        let store = try accounts.store(of: "ada")
        try await store.commit(changes)
    }
}
