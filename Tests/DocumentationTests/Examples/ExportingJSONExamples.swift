import EntitySync
import Foundation
import Testing

struct ExportingJSONExamples {
    private let schema: Schema

    init() throws { schema = try SyncingJSONExamples.schema() }

    private func store() async throws -> InMemoryAdapter {
        let store = InMemoryAdapter(schema: schema)
        let json =
            #"[{"id": 7, "first_name": "Ada", "birth_date": "1815-12-10", "notes": [{"id": 1, "text": "milk"}]}]"#
        try await store.sync(json, into: "User")
        return store
    }

    @Test func formsOfOneThing() async throws {
        let store = try await store()
        let all = try await store.exportJSON("User", format: [.indented, .sortedNames])
        let some = try await store.export("User", where: Field("firstName") == "Ada", sort: [Query.SortKey("id")])
        let one = try await store.export(RecordID("User", 7))
        #expect(try Value(json: all) == some)
        #expect(try some == .array([#require(one)]))
    }

    @Test func styles() async throws {
        let store = try await store()
        let values = try await awaitedResults {
            var options = ExportOptions(relationships: .ids, names: .camelCase)
            options.properties["User"] = ["id", "firstName", "notes"]
            let users = try await store.export("User", where: Field("id") == 7, options: options)
            users  // [{"id": 7, "firstName": "Ada", "notesIds": [1]}]
        }
        #expect(values.last as? Value == [["id": 7, "firstName": "Ada", "notesIds": [1]]])
    }

    @Test func theWayBack() async throws {
        let store = try await store()
        let values = try await awaitedResults {
            let json = try await store.exportJSON("User")
            let copy = InMemoryAdapter(schema: schema)
            let result = try await copy.sync(json, into: "User")
            result.reports  // none
            try await copy.exportJSON("User") == json  // true
        }
        #expect((values[0] as? [SyncReport])?.isEmpty == true)
        #expect(values[1] as? Bool == true)
    }

    @Test func typesOfYourOwn() async throws {
        let store = try await store()
        struct Person: Decodable {
            var id: Int
            var firstName: String
            var birthDate: Date?
        }
        let people = try await store.export("User", as: Person.self, options: ExportOptions(names: .camelCase))
        #expect(people.map(\.firstName) == ["Ada"])
        #expect(people.first?.birthDate != nil)
    }
}
