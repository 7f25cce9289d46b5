import DifferentialSync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct DroppedEntityTests {
    private static let zoo = [
        entity("Animal", [Attribute("name", .string)], [Relationship("keeper", to: "Keeper", inverse: "animals")]),
        entity("Cat", parent: "Animal", [Attribute("lives", .integer)]),
        entity("Dog", parent: "Animal", [Attribute("lives", .integer)]),
        entity(
            "Keeper", [],
            [
                Relationship("animals", toMany: "Animal", inverse: "keeper"),
                Relationship("pet", to: "Animal"), Relationship("loves", toMany: "Animal", isOrdered: true),
            ]),
    ]

    private func zoo(_ medium: Medium, _ entities: [Entity] = zoo) async throws -> MigratedStore {
        let old = try await MigratedStore(medium, Schema(entities))
        try await old.store.commitChanges { $0.keepHistory(true) }
        try await old.store.put("Keeper", ["id": 1], ["id": 2])
        try await old.store.put("Cat", ["id": 1, "name": "Tom", "lives": 9, "keeper": 1], ["id": 2])
        try await old.store.put("Dog", ["id": 3, "name": "Rex", "lives": 1, "keeper": 1])
        var changes = ChangeSet(origin: .agreed)
        changes.update(RecordID("Keeper", 1), ["pet": 1])
        changes.update(RecordID("Keeper", 2), ["pet": 3])
        changes.setLinks(RecordID("Keeper", 1), "loves", to: [2, 3, 1])
        try await old.store.commit(changes)
        return old
    }

    @Test(arguments: Medium.allCases)
    func removesItsRecordsAndWhatIsKnownOfThem(medium: Medium) async throws {
        let tag = Entity("Tag", attributes: [Attribute("text", .string)])
        let old = try await MigratedStore(medium, Schema([tag, entity("Note", [], [Relationship("tag", to: "Tag")])]))
        try await old.store.commitChanges { $0.keepHistory(true) }
        try await old.store.put("Tag", ["text": "a"], ["text": "b"], origin: .local)
        try await old.store.put("Note", ["id": 1, "tag": 1])
        try await old.store.commitChanges { $0.delete(RecordID("Tag", 2)) }
        let tags = try await old.store.recordCollection(of: "Tag")
        await #expect(throws: Unreachable.self) {
            try await tags.synchronize(with: Deaf(), pushID: "push 1", policy: .localWins)
        }
        let new = try await old.reopened(
            Schema([entity("Note")]), .dropEntity("Tag", losingUnsentChanges: true))
        #expect(try await new.keys("Note") == [1])
        try await new.add([tag])
        #expect(try await new.keys("Tag") == [])
        #expect(try await new.read { try $0.journal(of: "Tag") } == [])
        #expect(try await new.read { try $0.history(after: 0, limit: 10) }.map(\.id) == [RecordID("Note", 1)])
        #expect(try await new.read { try $0.fingerprint() } == new.read { try StoreFingerprint(ofAllIn: $0) })
        #expect(try await new.recordCollection(of: "Tag").pendingPush == nil)
        try await new.put("Tag", ["text": "c"])
        #expect(try await new.keys("Tag") == [1], "its keys are counted from the start")
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func leavesNoReferenceToTheRecordsOfAnHeir(medium: Medium) async throws {
        let old = try await zoo(medium)
        let new = try await old.reopened(Schema(Self.zoo.filter { $0.name != "Cat" }), .dropEntity("Cat"))
        #expect(try await new.keys("Animal") == [3])
        #expect(try await new.value("Keeper", 1, "pet") == .null)
        #expect(try await new.value("Keeper", 2, "pet") == 3)
        #expect(try await new.read { try $0.related(RecordID("Keeper", 1), "loves") } == [3])
        for name in ["Animal", "Keeper", "sync.links.Keeper.loves"] {
            #expect(try await new.localDiff(name) == nil, "\(name): the remote is told nothing")
        }
        try await new.put("Dog", ["id": 1, "name": "Max"], origin: .local)
        #expect(try await new.read { try $0.journal(of: "Animal") }.map(\.id.key) == [1])
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func removesTheRecordsOfAnHeirAndTheirLinksFromTheHistory(medium: Medium) async throws {
        let old = try await zoo(medium)
        try await old.store.commitChanges { changes in
            changes.put(Record(old.store.schema["Dog"]!, ["id": 4]))
        }
        try await old.store.commitChanges { $0.delete(RecordID("Dog", 4)) }
        let new = try await old.reopened(Schema(Self.zoo.filter { $0.name != "Cat" }), .dropEntity("Cat"))
        let history = try await new.read { try $0.history(after: 0, limit: 100) }.map(\.id)
        #expect(history.filter { $0.entity == "Animal" }.map(\.key) == [3, 4], "the deletion of 4 stays")
        #expect(history.filter { $0.entity == "sync.links.Keeper.loves" }.map(\.key) == [[1, 3]])
        #expect(history.filter { $0.entity == "Keeper" }.count == 2)
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func leavesAHierarchyOfOneEntityThatCanBeWritten(medium: Medium) async throws {
        let old = try await zoo(medium)
        let newer = Self.zoo.filter { $0.name != "Cat" && $0.name != "Dog" }
        let new = try await old.reopened(Schema(newer), .dropEntity("Cat"), .dropEntity("Dog"))
        #expect(try await new.keys("Animal") == [])
        try await new.put("Animal", ["id": 7, "name": "Ox", "keeper": 1], origin: .local)
        try await new.edit("Animal", 7, ["name": "Bull"])
        #expect(try await new.value("Animal", 7, "name") == "Bull")
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func forgetsOlderImagesOfItsRecords(medium: Medium) async throws {
        let old = try await zoo(medium)
        try await old.store.commitChanges { changes in
            changes.delete(RecordID("Cat", 2))
            changes.update(RecordID("Keeper", 1), ["pet": 3])
        }
        let cat = Record(try #require(old.store.schema["Cat"]), ["id": 3])
        try await old.store.commitChanges { $0.add(.setShadow(JournalEntry(id: RecordID("Dog", 3), base: cat))) }
        let new = try await old.reopened(
            Schema(Self.zoo.filter { $0.name != "Cat" }), .dropEntity("Cat", losingUnsentChanges: true))
        let animals = try await new.read { try $0.journal(of: "Animal") }
        #expect(animals.map(\.id.key) == [3])
        #expect(animals.first?.base == nil)
        #expect(try await new.shadow("Keeper", 1, "pet") == .null)
        #expect(try await new.localDiff("Keeper")?.replacements.map { $0.new["pet"] } == [3])
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func isRefusedWhereARecordMustNameOneOfItsRecords(medium: Medium) async throws {
        var entities = Self.zoo
        entities.append(entity("Collar", [], [Relationship("wearer", to: "Animal", isOptional: false)]))
        let old = try await zoo(medium, entities)
        try await old.store.put("Collar", ["id": 5, "wearer": 2])
        let error = try await old.refusal(Schema(entities.filter { $0.name != "Cat" }), .dropEntity("Cat"))
        #expect(error?.code == .schemaChange)
        #expect(error?.id == RecordID("Collar", 5))
        #expect(
            error?.message
                == #"it names 2, which '.dropEntity("Cat")' deletes, and must name a record: drop it too, or make it "#
                + "optional first")
    }

    @Test(arguments: Medium.allCases)
    func isRefusedWhereAnHeirIsLeft(medium: Medium) async throws {
        let old = try await zoo(medium)
        let newer = try Schema([
            entity("Cat", [Attribute("lives", .integer)]), entity("Dog", [Attribute("lives", .integer)]),
            entity("Keeper"),
        ])
        let error = try await old.refusal(newer, .dropEntity("Animal"), .dropEntity("Cat"))
        #expect(
            error?.message == "the store cannot be opened with this schema:\n  "
                + #"Dog: it inherits 'Animal', which '.dropEntity("Animal")' drops: pass '.dropEntity("Dog")' too"#)
    }

    @Test(arguments: Medium.allCases)
    func makesRoomForAnotherKey(medium: Medium) async throws {
        let old = try await zoo(medium)
        let newer = try Schema([
            Entity("Animal", attributes: [Attribute("name", .string, isPrimaryKey: true)]),
            entity("Keeper", [], [Relationship("pet", to: "Animal")]),
        ])
        let new = try await old.reopened(
            newer, .dropEntity("Animal"), .dropEntity("Cat"), .dropEntity("Dog"), .drop("Keeper", "animals"),
            .drop("Keeper", "loves"))
        #expect(try await new.keys("Animal") == [])
        #expect(try await new.value("Keeper", 2, "pet") == .null)
        try await new.put("Animal", ["name": "Tom"])
        try await new.put("Keeper", ["id": 2, "pet": "Tom"])
        #expect(try await new.value("Keeper", 2, "pet") == "Tom")
        await new.close()
    }
}
