import DifferentialSync
import Foundation
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
        #expect(link.id.source == 7 && link.id.target == 1)
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

    private static let schema: Schema = {
        do {
            return try Schema {
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("list", to: "List", userInfo: ["icon": "tray"])
                }
                Entity("List") { Attribute("id", .integer, isPrimaryKey: true) }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private func note(_ id: Int64, _ text: String) -> Record {
        Record(Self.schema["Note"]!, ["id": .integer(id), "text": .string(text)])
    }

    @Test func relationshipKeepsItsAdditionalInformation() throws {
        let coded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(Self.schema))
        #expect(coded.entities[0].relationships[0].userInfo == ["icon": "tray"])
    }

    @Test func faultOfASchemaNamesItsPlaceAndARemedy() {
        let error = #expect(throws: SchemaError.self) {
            try Schema { Entity("Note") { Relationship("list", to: "List") } }
        }
        let fault = error?.faults.first
        #expect(error?.faults.count == 1)
        #expect(fault?.entity == "Note")
        #expect(fault?.property == "list")
        #expect(
            fault?.message
                == "it leads to 'List', which is not in the schema: add that entity, or correct the destination")
    }

    private func exactChanges(of diff: Diff<Record>?) -> ChangeSet {
        var changes = ChangeSet()
        changes.apply(diff)
        return changes
    }

    @Test func changesOfADiffAreMadeOnlyToRecordsAsItExpectsThem() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        var changes = ChangeSet()
        #expect(changes.isEmpty)
        #expect(exactChanges(of: nil).isEmpty)
        changes.put(note(1, "milk"))
        changes.put(note(2, "bread"))
        #expect(!changes.isEmpty)
        try await store.commit(changes)
        let diff = Diff<Record>([
            .replace(old: note(1, "milk"), new: note(1, "oat milk")), .delete(note(2, "bread")), .add(note(3, "salt")),
        ])
        let exact = exactChanges(of: diff)
        let commit = try await store.commit(exact)
        #expect(commit.inserted == [RecordID("Note", 3)])
        #expect(commit.updated == [RecordID("Note", 1)])
        #expect(commit.deleted == [RecordID("Note", 2)])
        for change in commit.changes { #expect(change.changedNames == (change.id?.key == 1 ? ["text"] : [])) }
        let stale = exactChanges(of: Diff([.replace(old: note(1, "milk"), new: note(1, "butter"))]))
        await #expect(throws: PersistenceError.self) { try await store.commit(stale) }
        #expect(try await store.read { try $0.record(RecordID("Note", 1)) } == note(1, "oat milk"))
        #expect(try await store.read { try $0.keys(of: "Note") } == [1, 3])
    }
}
