import SyncPersistence
import Testing

struct RelationshipStorageTests {
    private func schema(_ entities: Entity...) throws -> Schema { try Schema(entities) }

    private func storage(_ schema: Schema, _ entity: String, _ name: String) throws -> ShapeRelationship.Storage {
        try #require(schema[entity]?.relationship(named: name)).storage
    }

    @Test func toOneWithoutAnInverseIsStoredInTheRecord() throws {
        let schema = try schema(
            Entity("A", relationships: [Relationship("b", to: "B")]), Entity("B"), Entity("C", parent: "B"))
        #expect(try storage(schema, "A", "b") == .reference(slot: "b", isExclusive: false, isSymmetric: false))
        #expect(schema["B"]?.incoming == [IncomingReference(shape: "A", slot: "b")])
        #expect(schema["C"]?.incoming == [IncomingReference(shape: "A", slot: "b")])
        #expect(schema["A"]?.incoming == [])
    }

    @Test func toManyWithoutAnInverseIsStoredInLinks() throws {
        let schema = try schema(
            Entity("A", relationships: [Relationship("bs", toMany: "B")]),
            Entity(
                "B",
                attributes: [Attribute("one", .uuid, isPrimaryKey: true), Attribute("two", .url, isPrimaryKey: true)]))
        #expect(try storage(schema, "A", "bs") == .links("sync.links.A.bs", .source))
        let links = try #require(schema["sync.links.A.bs"])
        #expect(links.role == .links)
        #expect(links.slots.map(\.name) == ["source", "target"])
        #expect(links.slots.map(\.columnTypes) == [[.integer], [.uuid, .url]])
        #expect(links.slots.map(\.isIndexed) == [false, true])
        #expect(links.keySlots == [0, 1])
        #expect(schema["A"]?.incoming == [IncomingReference(shape: "sync.links.A.bs", slot: "source")])
        #expect(schema["B"]?.incoming == [IncomingReference(shape: "sync.links.A.bs", slot: "target")])
    }

    @Test func oneToManyIsStoredInTheRecordsOfTheManyEnd() throws {
        for isOrdered in [false, true] {
            let schema = try schema(
                Entity("A", relationships: [Relationship("bs", toMany: "B", isOrdered: isOrdered, inverse: "a")]),
                Entity("B", relationships: [Relationship("a", to: "A", inverse: "bs")]), Entity("C", parent: "B"))
            #expect(
                try storage(schema, "A", "bs")
                    == .inverse(slot: "a", position: isOrdered ? "sync.position.A.bs" : nil))
            #expect(try storage(schema, "B", "a") == .reference(slot: "a", isExclusive: false, isSymmetric: false))
            #expect(try storage(schema, "C", "a") == .reference(slot: "a", isExclusive: false, isSymmetric: false))
            #expect(schema["A"]?.incoming == [])
            #expect(schema["A"]?.slots.count == 1)
            #expect(schema["C"]?.slots.map(\.name) == ["sync.id", "a"] + (isOrdered ? ["sync.position.A.bs"] : []))
        }
    }

    @Test func oneToOneIsStoredAtTheMandatoryEndElseAtTheFirstByName() throws {
        for (isAOptional, isBOptional, isKeptInA) in [
            (true, true, true), (false, true, true), (true, false, false), (false, false, true),
        ] {
            let schema = try schema(
                Entity("B", relationships: [Relationship("a", to: "A", inverse: "b", isOptional: isBOptional)]),
                Entity("A", relationships: [Relationship("b", to: "B", inverse: "a", isOptional: isAOptional)]))
            let (here, there) = isKeptInA ? (("A", "b"), ("B", "a")) : (("B", "a"), ("A", "b"))
            #expect(
                try storage(schema, here.0, here.1) == .reference(slot: here.1, isExclusive: true, isSymmetric: false))
            #expect(try storage(schema, there.0, there.1) == .inverse(slot: here.1, position: nil))
            #expect(schema.shapes.map(\.incoming) == [[], []])
        }
    }

    @Test func symmetricRelationshipIsStoredInBothRecordsOrInLinksOfBothEnds() throws {
        let schema = try schema(
            Entity(
                "A",
                relationships: [
                    Relationship("spouse", to: "A", inverse: "spouse"),
                    Relationship("friends", toMany: "A", inverse: "friends"),
                    Relationship("ranking", toMany: "A", isOrdered: true, inverse: "ranking"),
                ]), Entity("B", parent: "A"))
        for entity in ["A", "B"] {
            #expect(
                try storage(schema, entity, "spouse")
                    == .reference(slot: "spouse", isExclusive: true, isSymmetric: true))
            #expect(try storage(schema, entity, "friends") == .links("sync.links.A.friends", .both))
            #expect(try storage(schema, entity, "ranking") == .links("sync.links.A.ranking", .both))
        }
        #expect(schema["sync.links.A.friends"]?.slots.map(\.name) == ["source", "target"])
        #expect(schema["sync.links.A.ranking"]?.slots.map(\.name) == ["source", "target", "position"])
    }

    @Test func manyToManyIsStoredInLinksOfTheFirstEndByName() throws {
        for (isAOrdered, isBOrdered) in [(false, false), (true, false), (false, true), (true, true)] {
            let schema = try schema(
                Entity("B", relationships: [Relationship("as", toMany: "A", isOrdered: isBOrdered, inverse: "bs")]),
                Entity("A", relationships: [Relationship("bs", toMany: "B", isOrdered: isAOrdered, inverse: "as")]))
            #expect(try storage(schema, "A", "bs") == .links("sync.links.A.bs", .source))
            #expect(try storage(schema, "B", "as") == .links("sync.links.A.bs", .target))
            #expect(
                schema["sync.links.A.bs"]?.slots.map(\.name)
                    == ["source", "target"] + (isAOrdered ? ["position"] : [])
                    + (isBOrdered ? ["inversePosition"] : []))
            #expect(schema.internalShapes.filter { $0.role == .links }.count == 1)
        }
    }

    @Test func renamedRelationshipKeepsItsStorage() throws {
        let old = try schema(
            Entity(
                "A",
                relationships: [
                    Relationship("bs", toMany: "B", inverse: "as"), Relationship("b", to: "B", inverse: "a"),
                ]),
            Entity(
                "B",
                relationships: [
                    Relationship("as", toMany: "A", inverse: "bs"), Relationship("a", to: "A", inverse: "b"),
                ]))
        #expect(try storage(old, "B", "as") == .links("sync.links.A.bs", .target))
        #expect(try storage(old, "B", "a") == .inverse(slot: "b", position: nil))
        let new = try schema(
            Entity(
                "Z",
                relationships: [
                    Relationship("bs", toMany: "B", inverse: "as"), Relationship("b", to: "B", inverse: "a"),
                ],
                renamedFrom: "A"),
            Entity(
                "B",
                relationships: [
                    Relationship("as", toMany: "Z", inverse: "bs"), Relationship("a", to: "Z", inverse: "b"),
                ]))
        #expect(try storage(new, "Z", "bs") == .links("sync.links.Z.bs", .source))
        #expect(try storage(new, "B", "as") == .links("sync.links.Z.bs", .target))
        #expect(try storage(new, "B", "a") == .inverse(slot: "b", position: nil))
    }

    @Test func severalRelationshipsBetweenTheSameEntitiesAreKeptApart() throws {
        let schema = try schema(
            Entity(
                "A",
                relationships: [
                    Relationship("parent", to: "A", inverse: "children"),
                    Relationship("children", toMany: "A", isOrdered: true, inverse: "parent"),
                    Relationship("up", toMany: "A", inverse: "down"), Relationship("down", toMany: "A", inverse: "up"),
                    Relationship("next", to: "A", inverse: "previous"),
                    Relationship("previous", to: "A", inverse: "next"), Relationship("other", to: "A"),
                ]))
        #expect(
            try storage(schema, "A", "parent") == .reference(slot: "parent", isExclusive: false, isSymmetric: false))
        #expect(try storage(schema, "A", "children") == .inverse(slot: "parent", position: "sync.position.A.children"))
        #expect(try storage(schema, "A", "up") == .links("sync.links.A.down", .target))
        #expect(try storage(schema, "A", "down") == .links("sync.links.A.down", .source))
        #expect(try storage(schema, "A", "next") == .reference(slot: "next", isExclusive: true, isSymmetric: false))
        #expect(try storage(schema, "A", "previous") == .inverse(slot: "next", position: nil))
        #expect(
            schema["A"]?.incoming == [
                IncomingReference(shape: "A", slot: "other"),
                IncomingReference(shape: "sync.links.A.down", slot: "source"),
                IncomingReference(shape: "sync.links.A.down", slot: "target"),
            ])
    }

    @Test func relationshipToASubentityCanHaveAnInheritedInverse() throws {
        let schema = try schema(
            Entity("A", relationships: [Relationship("items", toMany: "Special", isOrdered: true, inverse: "owner")]),
            Entity("Item", relationships: [Relationship("owner", to: "A", inverse: "items")]),
            Entity("Special", parent: "Item"))
        #expect(
            try storage(schema, "A", "items") == .inverse(slot: "owner", position: "sync.position.A.items"))
        #expect(schema["Item"]?.slot(named: "sync.position.A.items") == nil)
        #expect(schema["Special"]?.slot(named: "sync.position.A.items") == 2)
        #expect(schema["A"]?.incoming == [IncomingReference(shape: "Item", slot: "owner")])
    }

    @Test func danglingReferencesAreAllowedIfAnyInverseTakesNoAction() throws {
        let schema = try schema(
            Entity(
                "A",
                relationships: [
                    Relationship("x", toMany: "C", inverse: "ax"), Relationship("y", toMany: "C", inverse: "ay"),
                    Relationship("z", toMany: "C", inverse: "az", deleteRule: .noAction),
                    Relationship("spouse", to: "A", inverse: "spouse", deleteRule: .noAction),
                ]),
            Entity(
                "B", parent: "A",
                relationships: [Relationship("y", toMany: "C", inverse: "ay", deleteRule: .noAction)]),
            Entity(
                "C",
                relationships: [
                    Relationship("ax", to: "A", inverse: "x", deleteRule: .noAction),
                    Relationship("ay", to: "A", inverse: "y"),
                    Relationship("az", toMany: "A", inverse: "z"),
                ]))
        let isEnforced = schema["C"]?.slots.dropFirst().map(\.content) ?? []
        #expect(
            isEnforced == [
                .reference(to: "A", [.integer], isEnforced: true), .reference(to: "A", [.integer], isEnforced: false),
            ])
        #expect(schema["A"]?.slots.last?.content == .reference(to: "A", [.integer], isEnforced: false))
        #expect(
            schema["sync.links.A.z"]?.slots.map(\.content) == [
                .reference(to: "A", [.integer], isEnforced: false), .reference(to: "C", [.integer], isEnforced: true),
            ])
    }
}
