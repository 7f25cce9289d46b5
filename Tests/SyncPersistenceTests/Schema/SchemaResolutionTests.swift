import SyncPersistence
import TestSupport
import Testing

struct SchemaResolutionTests {
    @Test func inheritedAttributesComeFirstThenOwnThenReferencesThenPositions() throws {
        let schema = try Schema([
            Entity(
                "B", parent: "A", attributes: [Attribute("own", .json, default: [1], isIndexed: true)],
                relationships: [Relationship("b", to: "A", isOptional: false)]),
            Entity(
                "A",
                attributes: [
                    Attribute("name", .string, isOptional: false, default: "x"),
                    Attribute("id", .uuid, isPrimaryKey: true),
                ],
                relationships: [Relationship("list", to: "L", inverse: "items")]),
            Entity("L", relationships: [Relationship("items", toMany: "A", isOrdered: true, inverse: "list")]),
        ])
        let shape = try #require(schema["B"])
        #expect(shape.slots.map(\.name) == ["name", "id", "own", "list", "b", "sync.position.L.items"])
        #expect(shape.slots.map(\.declaredBy) == ["A", "A", "B", "A", "B", "A"])
        #expect(shape.slots.map(\.isOptional) == [false, false, true, true, false, true])
        #expect(shape.slots.map(\.isIndexed) == [false, false, true, true, true, false])
        #expect(shape.slots.map(\.isInternal) == [false, false, false, false, false, true])
        #expect(shape.slots.map(\.defaultValue) == ["x", nil, [1], nil, nil, nil])
        #expect(shape.slots[3].content == .reference(to: "L", [.integer], isEnforced: true))
        #expect(shape.slots[4].content == .reference(to: "A", [.uuid], isEnforced: true))
        #expect(shape.keySlots == [1])
        #expect(shape.lineage == ["B", "A"])
        #expect(shape.root == "A")
        #expect(shape.inherits("A") && shape.inherits("B") && !shape.inherits("L"))
        #expect(shape.slot(named: "list") == 3)
        #expect(shape.slot(named: "items") == nil)
        #expect(shape.relationship(named: "b")?.declaredBy == "B")
        #expect(shape.relationship(named: "id") == nil)
    }

    @Test func entityWithoutAKeyReceivesAnImplicitOne() throws {
        let schema = try Schema([Entity("A", attributes: [Attribute("x", .bool)]), Entity("B", parent: "A")])
        for name in ["A", "B"] {
            let shape = try #require(schema[name])
            #expect(shape.slots.map(\.name) == [Schema.implicitKey, "x"])
            #expect(shape.keySlots == [0])
            #expect(shape.slots[0].declaredBy == "A")
            #expect(shape.slots[0].content == .attribute(.integer))
            #expect(!shape.slots[0].isOptional && shape.slots[0].isInternal)
        }
    }

    @Test func referenceToACompositeKeyHasASlotForEachPart() throws {
        let schema = try Schema([
            Entity(
                "A",
                attributes: [
                    Attribute("x", .bool), Attribute("one", .string, isPrimaryKey: true),
                    Attribute("two", .bool, isPrimaryKey: true),
                ]),
            // What is declared anew stays a part of the key.
            Entity(
                "B", parent: "A", attributes: [Attribute("two", .bool)], relationships: [Relationship("c", to: "B")]),
        ])
        let shape = try #require(schema["B"])
        #expect(shape.keySlots == [1, 2])
        #expect(shape.slots[2].isOptional == false)
        #expect(shape.slots[3].columnTypes == [.string, .bool])
        #expect(shape.slots[3].admits(nil))
        #expect(shape.slots[3].admits(["a", true]))
        #expect(!shape.slots[3].admits("a"))
        #expect(!shape.slots[3].admits(["a", nil]))
        #expect(!shape.slots[3].admits(["a", true, nil]))
    }

    @Test func redeclaredPropertyKeepsTheParentsStorageUnderItsOwnRules() throws {
        let schema = try Schema([
            Entity(
                "A", attributes: [Attribute("x", .string)],
                relationships: [
                    Relationship("tags", toMany: "T", inverse: "as"), Relationship("one", to: "T"),
                ]),
            Entity(
                "B", parent: "A", attributes: [Attribute("x", .string, isOptional: false, default: "b")],
                relationships: [
                    Relationship("one", to: "T", isOptional: false),
                    Relationship("tags", toMany: "T", inverse: "as", deleteRule: .cascade),
                ]),
            Entity("T", relationships: [Relationship("as", toMany: "A", inverse: "tags")]),
        ])
        let (a, b) = (try #require(schema["A"]), try #require(schema["B"]))
        #expect(b.slots.map(\.name) == a.slots.map(\.name))
        #expect(b.slots.map(\.declaredBy) == ["A", "A", "A"])
        #expect(b.slots.map(\.isOptional) == [false, false, false])
        #expect(a.slots.map(\.isOptional) == [false, true, true])
        #expect(b.relationships.map(\.definition.name) == ["tags", "one"])
        #expect(b.relationships.map(\.definition.deleteRule) == [.cascade, .nullify])
        #expect(b.relationships.map(\.storage) == a.relationships.map(\.storage))
        #expect(b.relationships.map(\.declaredBy) == ["A", "A"])
        #expect(schema.internalShapes.filter { $0.role == .links }.map(\.name) == ["sync.links.A.tags"])
    }

    @Test func namesThatContainDotsAreDistinguished() throws {
        let schema = try Schema([
            Entity("a.b", relationships: [Relationship("c", toMany: "a")]),
            Entity("a", relationships: [Relationship("b.c", toMany: "a"), Relationship("b\\.c", toMany: "a")]),
            Entity("a\\.b", relationships: [Relationship("c", toMany: "a")]),
        ])
        let names = schema.internalShapes.filter { $0.role == .links }.map(\.name)
        #expect(
            names == ["sync.links.a\\.b.c", "sync.links.a.b.c", "sync.links.a.b\\.c", "sync.links.a\\\\\\.b.c"])
    }

    @Test func libraryAddsJournalsMetadataAndHistory() throws {
        let schema = try Schema([
            Entity(
                "A", isAbstract: true,
                attributes: [
                    Attribute("id", .uuid, isPrimaryKey: true), Attribute("x", .string, default: "x", isIndexed: true),
                ]),
            Entity(
                "B", parent: "A",
                relationships: [Relationship("all", toMany: "A"), Relationship("one", to: "B", isOptional: false)]),
        ])
        #expect(
            schema.internalShapes.map(\.name) == [
                "sync.links.B.all", "sync.journal.A", "sync.journal.B", "sync.journal.sync.links.B.all",
                "sync.metadata",
                "sync.history", "sync.payloads", "sync.inFlight",
            ])
        let journal = try #require(schema["sync.journal.B"])
        #expect(journal.role == .journal(of: "B"))
        #expect(journal.lineage == ["sync.journal.B", "sync.journal.A"])
        #expect(journal.slots.map(\.name) == ["id", "x", "one", "sync.isInShadow", "sync.isUnsettled", "sync.remote"])
        #expect(journal.slots.map(\.isOptional) == [false, true, true, false, false, true])
        #expect(journal.slots[2].content == .reference(to: "B", [.uuid], isEnforced: false))
        #expect(journal.slots.allSatisfy { !$0.isIndexed })
        // A journal that is given a new slot has in it what the records have.
        #expect(journal.slots.map(\.defaultValue) == [nil, "x", nil, nil, nil, nil])
        #expect(journal.keySlots == [0])
        #expect(schema["sync.journal.A"]?.isAbstract == true)
        #expect(
            schema.roots.map(\.name) == [
                "A", "sync.links.B.all", "sync.journal.A", "sync.journal.sync.links.B.all", "sync.metadata",
                "sync.history", "sync.payloads", "sync.inFlight",
            ])
    }

    @Test func resolvedSizeGrowsLinearlyWithTheDefinitions() throws {
        let entities = (0..<500).map { number in
            Entity(
                "E\(number)",
                attributes: (0..<40).map { Attribute("a\($0)", .string) },
                relationships: (0..<10).map { place in
                    place % 2 == 0
                        ? Relationship("r\(place)", to: "E\((number + place) % 500)", inverse: "r\(place + 1)")
                        : Relationship(
                            "r\(place)", toMany: "E\((number + 501 - place) % 500)", isOrdered: true,
                            inverse: "r\(place - 1)")
                })
        }
        let schema = try Schema(entities)
        #expect(schema.shapes.allSatisfy { $0.slots.count == 51 && $0.relationships.count == 10 })
        #expect(schema.internalShapes.count == 504)
    }
}
