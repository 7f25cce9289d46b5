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
}
