import DifferentialSync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct DroppingTests {
    private let name = Attribute("name", .string)
    private let age = Attribute("age", .integer, isIndexed: true)

    @Test(arguments: Medium.allCases)
    func removesAnAttributeAndKeepsTheRest(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Schema([entity("User", [age, name])]))
        try await old.store.put("User", ["id": 1, "age": 36, "name": "Ada"], ["id": 2, "name": "Mary"])
        try await old.store.edit("User", 2, ["name": "Mary S."])
        let new = try await old.reopened(Schema([entity("User", [name])]), .drop("User", "age"))
        #expect(new.schema["User"]?.slot(named: "age") == nil)
        #expect(try await new.keys("User") == [1, 2])
        #expect(try await new.value("User", 1, "name") == "Ada")
        #expect(try await new.shadow("User", 2, "name") == "Mary")
        let diff = try await new.localDiff("User")
        #expect(diff?.replacements.map { $0.new["name"] } == ["Mary S."])
        try await new.put("User", ["id": 3, "name": "Jane"])
        let differing = try await new.read { transaction in
            try transaction.diff(wins: transaction.records(Query("User")), loses: "User")
        }
        #expect(differing == nil, "the digests are those of the new records")
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func makesRoomForAPropertyOfTheSameName(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Schema([entity("User", [age, name])]))
        try await old.store.put("User", ["id": 1, "age": 36, "name": "Ada"])
        let newer = try Schema([entity("User", [name], [Relationship("age", toMany: "User")])])
        let new = try await old.reopened(newer, .drop("User", "age"))
        #expect(try await new.read { try $0.related(RecordID("User", 1), "age") } == [])
        try await new.commitChanges { $0.link(RecordID("User", 1), "age", to: 1) }
        #expect(try await new.read { try $0.related(RecordID("User", 1), "age") } == [1])
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func mayStandForGood(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Schema([entity("User", [name]), entity("Note")]))
        try await old.store.put("User", ["id": 1, "name": "Ada"])
        try await old.store.put("Note", ["id": 1])
        // Both came back after they had been dropped.
        let newer = try Schema([entity("User", [name, age]), entity("Note")])
        let new = try await old.reopened(
            newer, .drop("User", "name"), .drop("User", "nothing"), .dropEntity("Note"), .dropEntity("Nothing"),
            .convert("User", "name"), .fill("User", "name", with: "x"), .fill("User", "nothing", with: "x"))
        #expect(try await new.value("User", 1, "name") == "Ada")
        #expect(try await new.keys("Note") == [1])
        await new.close()
    }

    @Test(arguments: Medium.allCases, [false, true])
    func relationshipThatBecomesAnAttributeLeavesNoIndexAndNoReference(
        medium: Medium, isIndexedLater: Bool
    ) async throws {
        let shelf = Entity("Shelf", attributes: [Attribute("code", .string, isPrimaryKey: true)])
        func books(_ attributes: Attribute...) throws -> Schema { try Schema([shelf, entity("Book", attributes)]) }
        let old = try await MigratedStore(
            medium, Schema([shelf, entity("Book", [], [Relationship("shelf", to: "Shelf")])]))
        try await old.store.put("Shelf", ["code": "A"])
        try await old.store.put("Book", ["id": 1, "shelf": "A"])
        #expect(try [nil, ["Shelf"]].contains(old.targets(of: "Book")))
        let steps: [MigrationStep] = [.drop("Book", "shelf"), .fill("Book", "shelf") { $0["shelf"] }]
        let second = try await old.reopened(books(Attribute("shelf", .string)), steps[0], steps[1])
        #expect(try await second.value("Book", 1, "shelf") == "A")
        // Other programs may enforce references, and the table of the shelves may be dropped.
        #expect(try [nil, []].contains(old.targets(of: "Book")))
        let third = try await old.reopened(
            from: second, isIndexedLater ? books(Attribute("shelf", .string, isIndexed: true)) : books(), steps[0],
            steps[1])
        #expect(try await third.value("Book", 1, "id") == 1)
        if isIndexedLater {
            #expect(try await third.read { try $0.keys(of: "Book", where: Field("shelf") == "A") } == [1])
        } else {
            #expect(third.schema["Book"]?.slot(named: "shelf") == nil)
        }
        await third.close()
    }

    @Test(arguments: Medium.allCases)
    func droppedEntityLeavesNoIndexOfAnAttributeThatItInherited(medium: Medium) async throws {
        func items(isIndexed: Bool) -> Entity { entity("Item", [Attribute("color", .string, isIndexed: isIndexed)]) }
        let book = entity("Book", parent: "Item", [Attribute("color", .string, isIndexed: true)])
        let old = try await MigratedStore(medium, Schema([items(isIndexed: false), book]))
        try await old.store.put("Item", ["id": 1, "color": "red"])
        try await old.store.put("Book", ["id": 2, "color": "red"])
        let second = try await old.reopened(Schema([items(isIndexed: false)]), .dropEntity("Book"))
        let third = try await old.reopened(from: second, Schema([items(isIndexed: true)]), .dropEntity("Book"))
        #expect(try await third.read { try $0.keys(of: "Item", where: Field("color") == "red") } == [1])
        await third.close()
    }

    private static let blog = [
        entity(
            "User", [],
            [
                Relationship("posts", toMany: "Post", isOrdered: true, inverse: "author"),
                Relationship("friends", toMany: "User", isOrdered: true, inverse: "admirers"),
                Relationship("admirers", toMany: "User", isOrdered: true, inverse: "friends"),
                Relationship("best", to: "Post", inverse: "fan"),
            ]),
        entity(
            "Post", [],
            [Relationship("author", to: "User", inverse: "posts"), Relationship("fan", to: "User", inverse: "best")]),
    ]

    private func blogs(_ medium: Medium) async throws -> MigratedStore {
        let old = try await MigratedStore(medium, Schema(Self.blog))
        try await old.store.put("User", ["id": 1], ["id": 2], ["id": 3])
        try await old.store.put("Post", ["id": 1, "author": 1], ["id": 2, "author": 1])
        var changes = ChangeSet(origin: .agreed)
        changes.setLinks(RecordID("User", 1), "posts", to: [2, 1])
        changes.setLinks(RecordID("User", 1), "friends", to: [3, 2])
        changes.setLinks(RecordID("User", 1), "best", to: [2])
        try await old.store.commit(changes)
        return old
    }

    @Test(arguments: Medium.allCases)
    func removesRelationshipsOfAnyKind(medium: Medium) async throws {
        let old = try await blogs(medium)
        let new = try await old.reopened(
            Schema([entity("User"), entity("Post")]), .drop("User", "posts"), .drop("User", "friends"),
            .drop("User", "admirers"), .drop("User", "best"), .drop("Post", "author"), .drop("Post", "fan"))
        #expect(new.schema.roots.filter { $0.name.hasPrefix("sync.links") } == [])
        #expect(try await new.keys("User") == [1, 2, 3])
        try await new.commitChanges { $0.delete(RecordID("User", 1)) }
        #expect(try await new.keys("Post") == [1, 2])
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func keepsTheEndOfARelationshipThatHoldsTheKey(medium: Medium) async throws {
        let old = try await blogs(medium)
        let newer = try Schema([
            entity(
                "User", [],
                [Relationship("best", to: "Post"), Relationship("admirers", toMany: "User", isOrdered: true)]),
            entity("Post", [], [Relationship("author", to: "User")]),
        ])
        let holders = old.store.schema["User"]?.relationship(named: "best")?.storage
        guard case .inverse? = holders else {
            Issue.record("the key is kept by the post: \(String(describing: holders))")
            return
        }
        let steps: [MigrationStep] = [.drop("User", "posts"), .drop("User", "friends")]
        let error = try await old.refusal(newer, steps[0], steps[1], .drop("Post", "fan"))
        #expect(
            error?.message
                == """
                the store cannot be opened with this schema:
                  User.best: it is kept with its inverse, which is dropped: pass '.drop("User", "best")' too, or keep \\
                both ends
                """.replacing("\\\n", with: ""))
    }

    @Test(arguments: Medium.allCases)
    func keepsLinksOfTheEndThatIsLeft(medium: Medium) async throws {
        let old = try await blogs(medium)
        let newer = try Schema([
            entity("User", [], [Relationship("admirers", toMany: "User", isOrdered: true)]),
            entity("Post", [], [Relationship("author", to: "User")]),
        ])
        let new = try await old.reopened(
            newer, .drop("User", "posts"), .drop("User", "friends"), .drop("User", "best"), .drop("Post", "fan"))
        #expect(try await new.read { try $0.related(RecordID("User", 3), "admirers") } == [1])
        #expect(try await new.value("Post", 2, "author") == 1)
        await new.close()
    }

    @Test(arguments: Medium.allCases, [false, true])
    func oldStepKeepsARelationshipWhoseInverseIsAddedOrRemoved(medium: Medium, isAdded: Bool) async throws {
        func schema(hasInverse: Bool) throws -> Schema {
            try Schema([
                entity("User", [], [Relationship("company", to: "Company", inverse: hasInverse ? "users" : nil)]),
                entity("Company", [], hasInverse ? [Relationship("users", toMany: "User", inverse: "company")] : []),
            ])
        }
        let old = try await MigratedStore(medium, schema(hasInverse: !isAdded))
        try await old.store.put("Company", ["id": 5])
        try await old.store.put("User", ["id": 1, "company": 5])
        let new = try await old.reopened(
            schema(hasInverse: isAdded), .drop("User", "company"), .drop("Company", "users"))
        #expect(try await new.value("User", 1, "company") == 5)
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func oldStepKeepsARelationshipToOneThatBecomesMandatory(medium: Medium) async throws {
        func schema(isOptional: Bool) throws -> Schema {
            try Schema([
                entity("Owner", [], [Relationship("pet", to: "Pet", inverse: "owner", isOptional: isOptional)]),
                entity("Pet", [], [Relationship("owner", to: "Owner", inverse: "pet")]),
            ])
        }
        let (before, after) = (try schema(isOptional: true), try schema(isOptional: false))
        func storage(_ schema: Schema) -> ShapeRelationship.Storage? {
            schema["Owner"]?.relationship(named: "pet")?.storage
        }
        try #require(storage(before) == storage(after))
        let old = try await MigratedStore(medium, before)
        try await old.store.put("Pet", ["id": 5])
        try await old.store.put("Owner", ["id": 1, "pet": 5])
        let new = try await old.reopened(after, .drop("Owner", "pet"), .drop("Pet", "owner"))
        #expect(try await new.value("Owner", 1, "pet") == 5)
        await new.close()
    }

    /// The older schema under its new names has two attributes of one name, the second of which is dropped.
    @Test(arguments: Medium.allCases)
    func oldStepKeepsARelationshipBesideAnAttributeThatTakesADroppedName(medium: Medium) async throws {
        func schema(isNew: Bool) throws -> Schema {
            try Schema([
                entity("Animal", [isNew ? Attribute("title", .string, renamedFrom: "name") : name]),
                entity("Dog", parent: "Animal", isNew ? [] : [Attribute("title", .integer)]),
                entity("User", [], [Relationship("company", to: "Company")]), entity("Company", []),
            ])
        }
        let old = try await MigratedStore(medium, schema(isNew: false))
        try await old.store.put("Company", ["id": 5])
        try await old.store.put("User", ["id": 1, "company": 5])
        let new = try await old.reopened(schema(isNew: true), .drop("User", "company"), .drop("Dog", "title"))
        #expect(try await new.value("User", 1, "company") == 5)
        await new.close()
    }
}
