import EntitySync
import Foundation
import Testing

/// The examples in the comments of `Sources/EntitySync/Export`.
struct DocCommentExamplesOfExport {
    private func store() async throws -> InMemoryAdapter {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("firstName", .string)
                Attribute("name", .string)
                Attribute("age", .integer)
                Attribute("birthDate", .date)
                Relationship("company", to: "Company", inverse: "users")
            }
            Entity("Company") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("users", toMany: "User", inverse: "company")
            }
        }
        let store = InMemoryAdapter(schema: schema)
        var changes = ChangeSet()
        try changes.put(Record("Company", in: schema, ["id": 1]))
        let ada: [String: Value] = ["id": 7, "firstName": "Ada", "name": "L", "age": 36, "company": 1]
        try changes.put(Record("User", in: schema, ada))
        try await store.commit(changes)
        return store
    }

    @Test func options() async throws {
        let store = try await store()
        var options = ExportOptions(relationships: .ids, names: .camelCase)
        options.properties["User"] = ["id", "firstName", "company"]
        let users = try await store.export("User", options: options)
        #expect(users == [["id": 7, "firstName": "Ada", "companyId": 1]])
    }

    @Test func inATransaction() async throws {
        let store = try await store()
        let users = try await store.read { try $0.export(Query("User", sort: [Query.SortKey("name")], limit: 20)) }
        let value = try await store.export("User", where: Field("age") > 30, sort: [Query.SortKey("name")])
        #expect(users == value)
    }

    @Test func oneRecord() async throws {
        let store = try await store()
        let user = try await store.export(RecordID("User", 7))
        #expect(
            user == [
                "id": 7, "first_name": "Ada", "name": "L", "age": 36, "birth_date": nil,
                "company": ["id": 1, "users": [["id": 7]]],
            ])
    }

    @Test func bytes() async throws {
        let store = try await store()
        let json = try await store.exportJSON("User", format: [.indented, .sortedNames])
        #expect(String(decoding: json, as: UTF8.self).hasPrefix("[\n  {\n    \"age\": 36,\n"))
    }

    @Test func types() async throws {
        let store = try await store()
        struct User: Decodable {
            var id: Int
            var firstName: String
            var birthDate: Date?
        }
        let users = try await store.export("User", as: User.self, options: ExportOptions(names: .camelCase))
        #expect(users.map(\.firstName) == ["Ada"])
    }
}
