import SyncPersistence
import Testing

/// A record is made by the names of its entity and its properties.
struct RecordInitializerTests {
    private let schema: Schema

    init() throws {
        schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string, default: "nobody")
                Relationship("company", to: "Company", inverse: "users")
            }
            Entity("Company") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("users", toMany: "User", inverse: "company")
            }
        }
    }

    @Test func valuesThatAreNotGivenAreDefaults() throws {
        let user = try Record("User", in: schema, ["id": 7, "company": 1])
        #expect(user.id == RecordID("User", 7))
        #expect(user["name"] == "nobody")
        #expect(user["company"] == 1)
        #expect(try Record("User", in: schema)["id"] == .null)
    }

    @Test func anUnknownEntityIsAnError() {
        let error = #expect(throws: PersistenceError.self) { try Record("Usr", in: schema, ["id": 7]) }
        #expect(error?.code == .unknownName)
        #expect(error?.description == "the schema has no entity 'Usr': it has User, Company")
    }

    @Test func aNameThatTheRecordsDoNotStoreIsAnError() {
        let error = #expect(throws: PersistenceError.self) { try Record("User", in: schema, ["id": 7, "nam": "Ada"]) }
        #expect(error?.code == .unknownName)
        #expect(error?.description == "nam: the records of 'User' do not store 'nam': they store id, name, company")
        #expect(throws: PersistenceError.self) { try Record("Company", in: schema, ["users": [7]]) }
    }
}
