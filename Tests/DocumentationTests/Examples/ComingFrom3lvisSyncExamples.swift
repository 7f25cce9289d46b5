import EntitySync
import Foundation
import SyncCoordination
import Testing

/// The examples of *Coming from 3lvis/Sync*.
struct ComingFrom3lvisSyncExamples {
    private func store() async throws -> InMemoryAdapter {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("age", .integer)
                Attribute("birthDate", .date)
                Attribute("isAdmin", .bool)
                Relationship("company", to: "Company")
                Relationship("notes", toMany: "Note", inverse: "user")
            }
            Entity("Company") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
            }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("user", to: "User", inverse: "notes")
            }
        }
        let store = InMemoryAdapter(schema: schema)
        let ada =
            #"{"id": 7, "name": "Ada", "age": 36, "birth_date": "1815-12-10", "is_admin": true, "company": {"id": 5, "name": "Acme"}, "notes": [{"id": 1, "text": "milk"}, {"id": 2, "text": "oat milk"}]}"#
        let grace = #"{"id": 8, "name": "Grace", "age": 20, "is_admin": false, "notes": [{"id": 3, "text": "tea"}]}"#
        try await store.sync("[\(ada), \(grace), {\"id\": 9, \"age\": 17}]", into: "User")
        return store
    }

    @Test func predicates() async throws {
        let store = try await store()
        let rows: [(filter: Filter, keys: [Value])] = [
            (Field("name") == "Ada", [7]),
            (Field("name") != "Ada" || Field("name").isNull, [8, 9]),
            (Field("age") < 36, [8, 9]),
            (Field("age") >= 18 && Field("age") <= 36, [7, 8]),
            (Field("id").isOne(of: [7, 8]), [7, 8]),
            (!Field("id").isOne(of: [7, 8]), [9]),
            (Field("name").hasPrefix("A"), [7]),
            (Field("name").hasSuffix("a"), [7]),
            (Field("name").contains("ra"), [8]),
            (Field("name").contains("AD", ignoringCase: true), [7]),
            (Field("birthDate").isNull, [8, 9]),
            (!Field("birthDate").isNull, [7]),
            (Field("isAdmin") == true, [7]),
            (Field("company.name") == "Acme", [7]),
            (Field("company") == 5, [7]),
            (Field("age") > 20 && (Field("name") == "Ada" || !Field("isAdmin").isNull), [7]),
            (Filter.and([Field("age") > 20, Field("isAdmin") == true]), [7]),
            (Filter.and([]), [7, 8, 9]),
            (Filter.or([]), []),
        ]
        for row in rows {
            let keys = try await store.read { try $0.keys(of: "User", where: row.filter) }
            #expect(keys == row.keys, "\(row.filter)")
        }
    }

    @Test func predicatesOverRelationshipsToMany() async throws {
        let store = try await store()
        let withMilk = try await store.read { transaction in
            let notes = try transaction.records(Query("Note", where: Field("text").contains("milk")))
            let owners = notes.map { $0["user"] }.filter { !$0.isNull }
            return try transaction.records(Query("User", where: Field("id").isOne(of: owners)))
        }
        let busy = try await store.read { transaction in
            try transaction.records(Query("User")).filter { user in
                try transaction.count(Query("Note", where: Field("user") == user.key)) > 1
            }
        }
        #expect(withMilk.map(\.key) == [7])
        #expect(busy.map(\.key) == [7])
    }

    @Test(.timeLimit(.minutes(5))) func observing() async throws {
        let store = try await store()
        let (shown, continuation) = AsyncStream<[Value]>.makeStream()
        @Sendable func show(_ users: StoredElements<Record>, _ changes: Diff<Record>?) {
            continuation.yield(changes.map { $0.add.map(\.key) } ?? users.map(\.key))
        }
        let observer = Task {
            let query = Query("User", where: Field("age") >= 18, sort: [Query.SortKey("name")])
            for try await users in store.results(query) {
                show(users.elements, users.changes)
            }
        }
        var steps = shown.makeAsyncIterator()
        #expect(await steps.next() == [7, 8])
        try await store.update("User", 9, with: ["age": 18])
        #expect(await steps.next() == [9])
        observer.cancel()
    }

    @Test func fetching() async throws {
        let store = try await store()
        let notes = try await store.read { transaction in
            try transaction.relatedRecords(RecordID("User", 7), "notes")
        }
        #expect(notes.map(\.key) == [1, 2])
    }
}
