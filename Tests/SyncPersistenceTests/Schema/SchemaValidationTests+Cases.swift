import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SchemaValidationTests {
    static let entityCases = [
        Case("no name", ": entity number 2 has no name: give it one", entities: [Entity("A"), Entity("")]),
        Case(
            "two of one name", "A: another entity has this name: rename one of them",
            entities: [Entity("A"), Entity("B"), Entity("A", attributes: [Attribute("x", .bool)])]),
        Case(
            "reserved name", "sync.links.A: names that begin with 'sync.' are the library's own: choose another",
            entities: [Entity("sync.links.A")]),
        Case(
            "unknown parent",
            "A: it inherits 'B', which is not in the schema: add that entity, or correct the parent",
            entities: [Entity("A", parent: "B")]),
        Case("parent of itself", "A: it inherits itself: take the parent away", entities: [Entity("A", parent: "A")]),
        Case(
            "circle, with heirs", "B: it inherits itself (B > C > B): take the parent away from one of these",
            entities: [Entity("A", parent: "C"), Entity("B", parent: "C"), Entity("C", parent: "B")]),
        Case(
            "two circles", "A: it inherits itself (A > B > A): take the parent away from one of these",
            "C: it inherits itself (C > D > C): take the parent away from one of these",
            entities: [
                Entity("A", parent: "B"), Entity("B", parent: "A"), Entity("C", parent: "D"), Entity("D", parent: "C"),
            ]),
        Case(
            "the old name is there",
            "B: it is renamed from 'A', which is in the schema still: take one of the two away",
            entities: [Entity("A"), Entity("B", renamedFrom: "A")]),
        Case(
            "two from one", "B: 'A' is renamed from 'Old' too: take one of the two hints away",
            entities: [Entity("A", renamedFrom: "Old"), Entity("B", renamedFrom: "Old")]),
    ]

    static let attributeCases = [
        Case(
            "no name", "A.: attribute number 2 has no name: give it one",
            "A.: relationship number 1 has no name: give it one",
            "A.: another property of the entity has this name: rename one of them",
            entities: [
                Entity(
                    "A", attributes: [Attribute("x", .bool), Attribute("", .bool)],
                    relationships: [Relationship("", to: "A")])
            ]),
        Case(
            "two of one name", "A.x: another property of the entity has this name: rename one of them",
            entities: [Entity("A", attributes: [Attribute("x", .bool), Attribute("x", .bool)])]),
        Case(
            "attribute and relationship of one name",
            "A.x: another property of the entity has this name: rename one of them",
            entities: [Entity("A", attributes: [Attribute("x", .bool)], relationships: [Relationship("x", to: "A")])]),
        Case(
            "reserved name", "A.sync.id: names that begin with 'sync.' are the library's own: choose another",
            entities: [Entity("A", attributes: [Attribute("sync.id", .integer)])]),
        Case(
            "declared anew with another type",
            "C.x: 'A' has it as an attribute of type string, and here it is an attribute of type bool: make both alike, "
                + "or rename one",
            entities: [
                Entity("A", attributes: [Attribute("x", .string)]), Entity("B", parent: "A"),
                Entity("C", parent: "B", attributes: [Attribute("x", .bool)]),
            ]),
        Case(
            "declared anew as a relationship",
            "B.x: 'A' has it as an attribute of type string, and here it is a relationship to one 'A' with no inverse: "
                + "make both alike, or rename one",
            entities: [
                Entity("A", attributes: [Attribute("x", .string)]),
                Entity("B", parent: "A", relationships: [Relationship("x", to: "A")]),
            ]),
        Case(
            "key below the root",
            "B.id: the primary key is declared by the topmost entity, 'A': make it part of the key there",
            entities: [
                Entity("A"), Entity("B", parent: "A", attributes: [Attribute("id", .integer, isPrimaryKey: true)]),
            ]),
        Case(
            "another key below the root",
            "C.name: the primary key is declared by the topmost entity, 'A': make it part of the key there",
            entities: [
                Entity("A", attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("name", .string)]),
                Entity("B", parent: "A"),
                Entity(
                    "C", parent: "B",
                    attributes: [
                        Attribute("id", .integer, isPrimaryKey: true), Attribute("name", .string, isPrimaryKey: true),
                    ]),
            ]),
        Case(
            "JSON key", "A.id: a value of type json cannot be a primary key: choose another type",
            entities: [Entity("A", attributes: [Attribute("id", .json, isPrimaryKey: true)])]),
        Case(
            "optional key", "A.id: a part of the primary key is never null: make it mandatory",
            entities: [Entity("A", attributes: [optionalKey])]),
        Case(
            "default of another type",
            "A.i: its default value is not of type integer: correct the default or the type",
            "A.d: its default value is not of type double: correct the default or the type",
            "A.j: its default value is not of type json: correct the default or the type",
            entities: [
                Entity(
                    "A",
                    attributes: [
                        Attribute("i", .integer, default: 1.5), Attribute("d", .double, default: .double(.nan)),
                        Attribute("j", .json, default: .array([.double(.infinity)])),
                        Attribute("s", .string, isOptional: false, default: ""),
                    ])
            ]),
        Case(
            "the old name is there",
            "A.y: it is renamed from 'x', which the entity has still: take one of the two away",
            "A.z: it is renamed from 'x', which the entity has still: take one of the two away",
            "A.z: 'y' is renamed from 'x' too: take one of the two hints away",
            entities: [
                Entity(
                    "A", attributes: [Attribute("x", .bool), Attribute("y", .bool, renamedFrom: "x")],
                    relationships: [Relationship("z", to: "A", renamedFrom: "x")])
            ]),
        Case(
            "two from one", "A.y: 'x' is renamed from 'old' too: take one of the two hints away",
            entities: [
                Entity(
                    "A",
                    attributes: [Attribute("x", .bool, renamedFrom: "old"), Attribute("y", .bool, renamedFrom: "old")])
            ]),
    ]

    static let relationshipCases = [
        Case(
            "unknown destination",
            "A.x: it leads to 'B', which is not in the schema: add that entity, or correct the destination",
            entities: [Entity("A", relationships: [Relationship("x", to: "B", inverse: "y")])]),
        Case(
            "unknown inverse",
            "A.x: its inverse 'y' is not a relationship of 'B': add it there, or correct the inverse",
            entities: [Entity("A", relationships: [Relationship("x", to: "B", inverse: "y")]), Entity("B")]),
        Case(
            "an attribute as inverse",
            "A.x: its inverse 'y' is not a relationship of 'B': add it there, or correct the inverse",
            entities: [
                Entity("A", relationships: [Relationship("x", to: "B", inverse: "y")]),
                Entity("B", attributes: [Attribute("y", .string)]),
            ]),
        Case(
            "an inverse that is an heir's",
            "A.x: its inverse 'y' is not a relationship of 'B': add it there, or correct the inverse",
            entities: [
                Entity("A", relationships: [Relationship("x", to: "B", inverse: "y")]), Entity("B"),
                Entity("C", parent: "B", relationships: [Relationship("y", to: "A", inverse: "x")]),
            ]),
        Case(
            "an inverse without one", "A.x: its inverse 'B.y' has none itself: name 'x' there",
            entities: [
                Entity("A", relationships: [Relationship("x", to: "B", inverse: "y")]),
                Entity("B", relationships: [Relationship("y", to: "A")]),
            ]),
        Case(
            "an inverse of another",
            "A.z: its inverse 'B.y' has 'A.x' as its own: two relationships are each other's inverses, or none",
            entities: [
                Entity(
                    "A",
                    relationships: [Relationship("x", to: "B", inverse: "y"), Relationship("z", to: "B", inverse: "y")]),
                Entity("B", relationships: [Relationship("y", to: "A", inverse: "x")]),
            ]),
        Case(
            "an inverse of a sibling's relationship",
            "C.x: its inverse 'D.y' has 'B.x' as its own: two relationships are each other's inverses, or none",
            entities: [
                Entity("A"), Entity("B", parent: "A", relationships: [Relationship("x", toMany: "D", inverse: "y")]),
                Entity("C", parent: "A", relationships: [Relationship("x", toMany: "D", inverse: "y")]),
                Entity("D", relationships: [Relationship("y", to: "B", inverse: "x")]),
            ]),
        Case(
            "its own inverse, to an heir",
            "A.x: it is its own inverse, but leads from 'A' to 'B': let it lead to 'A'",
            entities: [
                Entity("A", relationships: [Relationship("x", to: "B", inverse: "x")]), Entity("B", parent: "A"),
            ]),
        Case(
            "ordered, to one",
            "A.x: it is ordered, but leads to one record: let it lead to many, or take the order away",
            entities: [Entity("A", relationships: [orderedToOne])]),
        Case(
            "declared anew with another destination",
            "B.x: 'A' has it as an ordered relationship to many 'A' with no inverse, and here it is a relationship to "
                + "many 'B' with the inverse 'x': make both alike, or rename one",
            entities: [
                Entity("A", relationships: [Relationship("x", toMany: "A", isOrdered: true)]),
                Entity("B", parent: "A", relationships: [Relationship("x", toMany: "B", inverse: "x")]),
            ]),
    ]

    static let soundCases = [
        Case("nothing", entities: []),
        Case(
            "hostile names",
            entities: [
                Entity("\"; DROP TABLE x; --", attributes: [Attribute("select", .string), Attribute("a\0b", .string)]),
                Entity(
                    "🚀\n", attributes: [Attribute(String(repeating: "x", count: 100_000), .bool), Attribute(" ", .url)]),
                Entity("sync", attributes: [Attribute("sync", .bool), Attribute("Sync.", .bool)]),
                Entity("synced"), Entity("SELECT"), Entity("select"),
            ]),
        Case("abstract, without heirs", entities: [Entity("A", isAbstract: true)]),
        Case(
            "siblings with one name for different things",
            entities: [
                Entity("A"), Entity("B", parent: "A", attributes: [Attribute("x", .bool)]),
                Entity("C", parent: "A", attributes: [Attribute("x", .string)]),
                Entity("D", parent: "A", relationships: [Relationship("x", to: "A")]),
            ]),
        Case(
            "declared anew",
            entities: [
                Entity(
                    "A", attributes: [Attribute("id", .uuid, isPrimaryKey: true), Attribute("x", .string)],
                    relationships: [Relationship("all", toMany: "D", inverse: "one")]),
                Entity(
                    "B", parent: "A",
                    attributes: [Attribute("id", .uuid), Attribute("x", .string, isOptional: false, default: "")],
                    relationships: [Relationship("all", toMany: "D", inverse: "one", deleteRule: .cascade)]),
                Entity("C", parent: "B", attributes: [Attribute("id", .uuid, isPrimaryKey: true)]),
                Entity("D", relationships: [Relationship("one", to: "A", inverse: "all")]),
            ]),
        Case(
            "an inverse of a parent's, and one that leads to some heirs",
            entities: [
                Entity("A", relationships: [Relationship("x", toMany: "D", inverse: "y")]), Entity("B", parent: "A"),
                Entity("C", relationships: [Relationship("y", to: "B", inverse: "x")]), Entity("D", parent: "C"),
            ]),
        Case(
            "its own inverse",
            entities: [
                Entity(
                    "A",
                    relationships: [
                        Relationship("x", toMany: "A", inverse: "x"), Relationship("y", to: "A", inverse: "y"),
                    ])
            ]),
        Case(
            "keys of all types",
            entities: AttributeType.allCases.filter { $0 != .json }.map { type in
                Entity(
                    type.rawValue,
                    attributes: [
                        Attribute("id", type, default: type == .bool ? true : .null, isPrimaryKey: true),
                        Attribute("part", .string, isPrimaryKey: true),
                    ])
            }),
        Case(
            "mandatory circles, and rules of all kinds",
            entities: [
                Entity(
                    "A",
                    relationships: DeleteRule.allCases.map { rule in
                        Relationship(rule.rawValue, to: "B", deleteRule: rule, isOptional: false)
                    }),
                Entity("B", relationships: [Relationship("a", to: "A", deleteRule: .cascade, isOptional: false)]),
            ]),
        Case(
            "hints at nothing, and at the name itself",
            entities: [
                Entity(
                    "A",
                    attributes: [Attribute("x", .bool, renamedFrom: "x"), Attribute("y", .bool, renamedFrom: "z")],
                    renamedFrom: "A"),
                Entity("B", attributes: [Attribute("x", .bool, renamedFrom: "y")], renamedFrom: "C"),
            ]),
    ]

    private static var optionalKey: Attribute {
        var key = Attribute("id", .integer, isPrimaryKey: true)
        key.isOptional = true
        return key
    }

    private static var orderedToOne: Relationship {
        var relationship = Relationship("x", to: "A")
        relationship.isOrdered = true
        return relationship
    }
}
