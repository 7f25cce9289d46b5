import SyncPersistence
import Testing

/// What a user of the module builds and reads of its values.
struct PublicUseTests {
    @Test(arguments: [true, false]) func schemaHasTheEntitiesOfTheTakenBranch(isLarge: Bool) throws {
        let schema = try Schema {
            if isLarge {
                Entity("Large") { Attribute("id", .integer, isPrimaryKey: true) }
            } else {
                Entity("Small") { Attribute("id", .integer, isPrimaryKey: true) }
            }
        }
        #expect(schema.entities.map(\.name) == [isLarge ? "Large" : "Small"])
    }

    @Test(arguments: [true, false]) func entityHasThePropertiesOfTheTakenBranch(isDated: Bool) {
        let entity = Entity("Note") {
            Attribute("id", .integer, isPrimaryKey: true)
            if isDated { Attribute("due", .date) } else { Attribute("stars", .integer) }
        }
        #expect(entity.attributes.map(\.name) == ["id", isDated ? "due" : "stars"])
    }

    @Test func fieldKeepsItsPath() {
        #expect(Field("author.name").path == "author.name")
    }

    @Test func filterOfMoreConditionsThanAllowedIsRefused() async throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let store = InMemoryAdapter(schema: schema)
        let conditions = (0...Filter.maximumConditionCount).map { Field("id") > .integer(Int64($0)) }
        await #expect {
            _ = try await store.read { try $0.records(Query("Note", where: .and(conditions))) }
        } throws: { ($0 as? PersistenceError)?.code == .tooManyConditions }
    }

    @Test func linkIsIdentifiedByTheKeysOfBothEnds() {
        var link = RecordLink(source: 7, target: 1, position: 3)
        #expect(link.id == RecordLink.ID(source: 7, target: 1))
        (link.target, link.position) = (2, nil)
        #expect(link == RecordLink(source: 7, target: 2))
    }

    @Test func lookupHasTheHierarchyAndItsKeys() throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let shape = try #require(schema["Note"])
        let lookup = KeyLookup([1, 2], in: shape)
        #expect(lookup.hierarchy == shape)
        #expect(lookup.keys == [1, 2])
    }
}
