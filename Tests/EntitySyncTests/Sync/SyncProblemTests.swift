import EntitySync
import SyncPersistence
import Testing

/// Properties of a schema that JSON cannot exchange, found before a sync.
struct SyncProblemTests {
    @Test func propertiesWithTheSameKeyInAnExportAreListed() async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("nick", .string, remoteKey: "name")
                Attribute("name", .string)
                Attribute("city", .string, remoteKey: "address.city")
                Relationship("address", to: "Place")
            }
            Entity("Admin", parent: "User") { Attribute("level", .integer) }
            Entity("Place") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("town", .string, remoteKey: "at.town")
                Attribute("at", .string)
            }
        }
        #expect(schema.syncProblems.map(\.code) == [.keyClash, .keyClash])
        #expect(
            schema.syncProblems.map(\.message) == [
                "'User' cannot be exported: of 'nick' and 'name', both have the key 'name': give one of them another "
                    + "remote key, or leave it out by the export options",
                "'Place' cannot be exported: of 'town' and 'at', the keys 'at.town' and 'at' exclude each other: give one "
                    + "of them another remote key, or leave it out by the export options",
            ])
        // This does not stop a sync.
        let store = try await SyncStore(.inMemory, schema)
        #expect(try await store.sync(#"[{"id": 1, "name": "a"}]"#, into: "User").reports.isEmpty)
    }

    @Test func listsOfSharedObjectsWithoutKeysAreListed() throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("trips", toMany: "Trip", inverse: "users")
                Relationship("hobbies", toMany: "Hobby", inverse: "users")
                Relationship("hours", toMany: "Hours")
                Relationship("lines", toMany: "Line", inverse: "user")
            }
            Entity("Trip") {
                Attribute("name", .string)
                Relationship("users", toMany: "User", inverse: "trips")
            }
            Entity("Hobby") {
                Attribute("name", .string, userInfo: ["sync.isPrimaryKey": "YES"])
                Relationship("users", toMany: "User", inverse: "hobbies")
            }
            Entity("Hours") { Attribute("day", .string) }
            Entity("Line") {
                Attribute("text", .string)
                Relationship("user", to: "User", inverse: "lines")
            }
        }
        #expect(schema.syncProblems.map(\.code) == [.noPrimaryKey])
        #expect(
            schema.syncProblems.map(\.message) == [
                "objects in lists of 'User.trips' are not told apart: 'Trip' has no primary key, and its records may belong "
                    + "to several. Flag an attribute of it by 'sync.isPrimaryKey', or let 'users' lead to one record"
            ])
    }

    @Test func keyThatAnAttributeTakesFromTheParentDoesNotClashWithTheParent() async throws {
        let schema = try SyncSourceTests.orders()
        #expect(schema.syncProblems.isEmpty)
        let store = try await SyncStore(.inMemory, schema)
        try await store.sync(#"[{"id": 7, "items": [{"line": 1}]}]"#, into: "Order")
        var options = ExportOptions()
        options.relationships = .ids
        options.properties["Item"] = ["orderID", "line", "order"]
        let exported = try await store.adapter.export("Item", options: options)
        #expect(exported == [["order_id": 7, "line": 1]])
        #expect(try await store.adapter.sync(exported, into: "Item").isUnchanged)
    }
}
