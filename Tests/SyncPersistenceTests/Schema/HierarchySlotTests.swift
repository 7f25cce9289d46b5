import SyncPersistence
import Testing

struct HierarchySlotTests {
    @Test func slotsOfTheRootComeFirstThenThoseOfSubentitiesInDefinitionOrder() throws {
        let schema = try Schema([
            // Defined before what it inherits.
            Entity("Dog", parent: "Animal", attributes: [Attribute("breed", .string), Attribute("weight", .double)]),
            Entity(
                "Animal",
                attributes: [
                    Attribute("id", .integer, isPrimaryKey: true), Attribute("name", .string, isOptional: false),
                ]),
            Entity("Puppy", parent: "Dog", attributes: [Attribute("age", .integer)]),
            Entity("Cat", parent: "Animal", attributes: [Attribute("weight", .integer, isIndexed: true)]),
        ])
        let root = try #require(schema["Animal"])
        #expect(schema.hierarchy(of: root).map(\.name) == ["Animal", "Dog", "Puppy", "Cat"])
        let columns = schema.columns(of: root)
        #expect(
            columns.map { "\($0.id.declaredBy).\($0.slot.name)" } == [
                "Animal.id", "Animal.name", "Dog.breed", "Dog.weight", "Puppy.age", "Cat.weight",
            ])
        #expect(columns.map(\.isShared) == [true, true, false, false, false, false])
        #expect(columns[3].positions == ["Dog": 3, "Puppy": 3])
        #expect(columns[5].positions == ["Cat": 2])
        #expect(columns[1].positions == ["Animal": 1, "Dog": 1, "Puppy": 1, "Cat": 1])
    }

    @Test func redeclaredSlotSharesTheInheritedColumn() throws {
        let schema = try Schema([
            Entity(
                "Animal",
                attributes: [
                    Attribute("id", .integer, isPrimaryKey: true), Attribute("name", .string, isOptional: false),
                ]),
            Entity("Dog", parent: "Animal", attributes: [Attribute("name", .string, isIndexed: true)]),
        ])
        let root = try #require(schema["Animal"])
        let columns = schema.columns(of: root)
        #expect(columns.map(\.slot.name) == ["id", "name"])
        #expect(columns[1].slot.isOptional)
        #expect(columns[1].slot.isIndexed)
        #expect(root.slots[1].isOptional == false)
        #expect(schema["Dog"]?.slots[1].declaredBy == "Animal")
    }

    @Test func journalOfAHierarchyHasTheSameSlotsAndItsOwn() throws {
        let schema = try Schema([
            Entity("Animal", attributes: [Attribute("id", .integer, isPrimaryKey: true)]),
            Entity("Dog", parent: "Animal", attributes: [Attribute("breed", .string)]),
        ])
        let root = try #require(schema["sync.journal.Animal"])
        #expect(schema.roots.contains(root))
        let columns = schema.columns(of: root)
        #expect(
            columns.map { "\($0.id.declaredBy).\($0.slot.name)" } == [
                "sync.journal.Animal.id", "sync.journal.Animal.sync.isInShadow",
                "sync.journal.Animal.sync.isUnsettled", "sync.journal.Animal.sync.remote", "sync.journal.Dog.breed",
            ])
        #expect(columns.map(\.isShared) == [true, true, true, true, false])
    }

    @Test func eachSlotOfARandomSchemaHasOneColumnOfItsType() throws {
        for schema in RandomSchemaTests.schemas {
            for root in schema.roots {
                let columns = schema.columns(of: root)
                let shapes = schema.hierarchy(of: root)
                #expect(shapes.first == root)
                #expect(Set(columns.map(\.id)).count == columns.count)
                for shape in shapes {
                    let own = columns.filter { $0.positions[shape.name] != nil }
                    #expect(Set(own.compactMap { $0.positions[shape.name] }) == Set(shape.slots.indices))
                    for column in own {
                        let slot = shape.slots[column.positions[shape.name] ?? 0]
                        #expect(slot.name == column.slot.name && slot.content == column.slot.content)
                        #expect(column.slot.isOptional || !slot.isOptional)
                    }
                }
            }
        }
    }
}
