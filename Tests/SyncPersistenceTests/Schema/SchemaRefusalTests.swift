import SyncPersistence
import Testing

struct SchemaRefusalTests {
    /// An older and a newer schema, and what is said of them.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let old: [Entity]
        let new: [Entity]
        let messages: [String]

        init(_ description: String, _ messages: String..., old: [Entity], new: [Entity]) {
            testDescription = description
            self.old = old
            self.new = new
            self.messages = messages
        }
    }

    @Test(arguments: cases)
    func lossyChangeIsRefusedByNameWithAdvice(_ sample: Case) throws {
        let (old, new) = (try Schema(sample.old), try Schema(sample.new))
        let error = #expect(throws: PersistenceError.self) { try SchemaChanges(from: old, to: new) }
        #expect(error?.code == .schemaChange)
        #expect(
            error?.message == "the store cannot be opened with this schema:\n"
                + sample.messages.map { "  \($0)" }.joined(separator: "\n"))
    }

    private static func removal(_ step: String) -> String {
        "it is not in the schema: keep it, name what has become of it by 'renamedFrom', or pass '\(step)'"
    }
    private static let moved =
        "where it is kept depends on its inverse, on which of both ends is mandatory, and on their first names, and that "
        + "has changed: keep both ends as they are in the store, or pass '.drop' for both"

    private static func id(_ name: String = "id", _ type: AttributeType = .integer) -> Attribute {
        Attribute(name, type, isPrimaryKey: true)
    }

    static let cases = [
        Case(
            "entity removed", #"B: \#(removal(#".dropEntity("B")"#))"#, old: [Entity("A"), Entity("B")],
            new: [Entity("A"), Entity("C")]),
        Case(
            "properties removed", #"A.x: \#(removal(#".drop("A", "x")"#))"#, #"A.y: \#(removal(#".drop("A", "y")"#))"#,
            old: [Entity("A", attributes: [Attribute("x", .bool)], relationships: [Relationship("y", to: "A")])],
            new: [Entity("A", attributes: [Attribute("z", .bool)])]),
        Case(
            "type changed",
            "A.x: it is an attribute of type integer in the store, and an attribute of type double in the schema: keep "
                + #"it, and give what is new another name, or pass '.convert("A", "x")' or '.drop("A", "x")'"#,
            old: [Entity("A", attributes: [Attribute("x", .integer)])],
            new: [Entity("A", attributes: [Attribute("x", .double)])]),
        Case(
            "type changed by a renaming",
            "B.y: it is an attribute of type integer in the store, and an attribute of type string in the schema: keep "
                + #"it, and give what is new another name, or pass '.convert("B", "y")' or '.drop("B", "y")'"#,
            old: [Entity("A", attributes: [Attribute("x", .integer)])],
            new: [Entity("B", attributes: [Attribute("y", .string, renamedFrom: "x")], renamedFrom: "A")]),
        Case(
            "attribute to relationship",
            "A.x: it is an attribute of type integer in the store, and a relationship to one 'A' in the schema: keep it, "
                + #"and give what is new another name, or pass '.drop("A", "x")'"#,
            old: [Entity("A", attributes: [Attribute("x", .integer)])],
            new: [Entity("A", relationships: [Relationship("x", to: "A")])]),
        Case(
            "attribute to relationship, by another name", #"A.x: \#(removal(#".drop("A", "x")"#))"#,
            old: [Entity("A", attributes: [Attribute("x", .integer)])],
            new: [Entity("A", relationships: [Relationship("y", to: "A", renamedFrom: "x")])]),
        Case(
            "to one, to many, elsewhere",
            "A.x: it is a relationship to one 'A' in the store, and a relationship to many 'A' in the schema: keep it, "
                + #"and give what is new another name, or pass '.drop("A", "x")'"#,
            "A.y: it is a relationship to many 'A' in the store, and a relationship to one 'A' in the schema: keep it, "
                + #"and give what is new another name, or pass '.drop("A", "y")'"#,
            "A.z: it is a relationship to one 'A' in the store, and a relationship to one 'B' in the schema: keep it, "
                + #"and give what is new another name, or pass '.drop("A", "z")'"#,
            old: [
                Entity(
                    "A",
                    relationships: [
                        Relationship("x", to: "A"), Relationship("y", toMany: "A"), Relationship("z", to: "A"),
                    ]), Entity("B"),
            ],
            new: [
                Entity(
                    "A",
                    relationships: [
                        Relationship("x", toMany: "A"), Relationship("y", to: "A"), Relationship("z", to: "B"),
                    ]), Entity("B"),
            ]),
        Case(
            "other keys",
            #"A: its primary key is 'id' in the store, and 'code' in the schema: keep the key, or pass '.dropEntity("A")'"#,
            #"B: its primary key is counted up by the store in the store, and 'id' in the schema: keep the key, or pass '.dropEntity("B")'"#,
            #"C: its primary key is 'x', 'y' in the store, and 'y', 'x' in the schema: keep the key, or pass '.dropEntity("C")'"#,
            old: [
                Entity("A", attributes: [id(), Attribute("code", .string)]), Entity("B"),
                Entity("C", attributes: [id("x"), id("y")]),
            ],
            new: [
                Entity("A", attributes: [Attribute("id", .integer), id("code", .string)]),
                Entity("B", attributes: [id()]), Entity("C", attributes: [id("y"), id("x")]),
            ]),
        Case(
            "type of a key changed",
            "A.id: it is an attribute of type integer in the store, and an attribute of type string in the schema: keep "
                + #"it, and give what is new another name, or pass '.dropEntity("A")'"#,
            old: [Entity("A", attributes: [id()])], new: [Entity("A", attributes: [id("id", .string)])]),
        Case(
            "parent changed",
            #"B: it inherits 'A' in the store, and nothing in the schema: keep the parent, or pass '.dropEntity("B")'"#,
            #"C: it inherits nothing in the store, and 'A' in the schema: keep the parent, or pass '.dropEntity("C")'"#,
            old: [Entity("A"), Entity("B", parent: "A"), Entity("C")],
            new: [Entity("A"), Entity("B"), Entity("C", parent: "A")]),
        Case(
            "order lost", #"A.x: it has an order in the store: keep the order, or pass '.drop("A", "x")'"#,
            old: [Entity("A", relationships: [Relationship("x", toMany: "A", isOrdered: true)])],
            new: [Entity("A", relationships: [Relationship("x", toMany: "A")])]),
        Case(
            "pulled up",
            "B.x: 'A', which it inherits, has a property of this name in the schema, but not in the store: give that "
                + "another name",
            old: [Entity("A"), Entity("B", parent: "A", attributes: [Attribute("x", .bool)])],
            new: [
                Entity("A", attributes: [Attribute("x", .bool)]),
                Entity("B", parent: "A", attributes: [Attribute("x", .bool)]),
            ]),
        Case(
            "pulled up, and away from the heir",
            "B.x: 'A', which it inherits, has a property of this name in the schema, but not in the store: give that "
                + "another name",
            old: [Entity("A"), Entity("B", parent: "A", attributes: [Attribute("x", .bool)])],
            new: [Entity("A", attributes: [Attribute("x", .bool)]), Entity("B", parent: "A")]),
        Case(
            "pulled up by a renaming",
            "B.y: 'A', which it inherits, has a property of this name in the schema, but not in the store: give that "
                + "another name",
            old: [
                Entity("A", attributes: [Attribute("x", .bool)]),
                Entity("B", parent: "A", attributes: [Attribute("y", .bool)]),
            ],
            new: [
                Entity("A", attributes: [Attribute("y", .bool, renamedFrom: "x")]),
                Entity("B", parent: "A", attributes: [Attribute("y", .bool)]),
            ]),
        Case(
            "moved down", #"A.x: \#(removal(#".drop("A", "x")"#))"#,
            old: [Entity("A", attributes: [Attribute("x", .bool)]), Entity("B", parent: "A")],
            new: [Entity("A"), Entity("B", parent: "A", attributes: [Attribute("x", .bool)])]),
        Case(
            "an inverse to one of what was in links", "A.x: \(moved)",
            old: [Entity("A", relationships: [Relationship("x", toMany: "A")])],
            new: [
                Entity(
                    "A",
                    relationships: [
                        Relationship("x", toMany: "A", inverse: "y"), Relationship("y", to: "A", inverse: "x"),
                    ])
            ]),
        Case(
            "an inverse to one of what led to one from several", "A.x: \(moved)",
            old: [Entity("A", relationships: [Relationship("x", to: "A")])],
            new: [
                Entity(
                    "A",
                    relationships: [Relationship("x", to: "A", inverse: "y"), Relationship("y", to: "A", inverse: "x")])
            ]),
        Case(
            "the key of one to one would be kept at the other end", "A.x: \(moved)", "B.y: \(moved)",
            old: [
                Entity("A", relationships: [Relationship("x", to: "B", inverse: "y")]),
                Entity("B", relationships: [Relationship("y", to: "A", inverse: "x")]),
            ],
            new: [
                Entity("A", relationships: [Relationship("x", to: "B", inverse: "y")]),
                Entity("B", relationships: [Relationship("y", to: "A", inverse: "x", isOptional: false)]),
            ]),
        Case(
            "a hint taken away that says which end is first", "B.as: \(moved)", "C.bs: \(moved)",
            old: [
                Entity("B", relationships: [Relationship("as", toMany: "C", inverse: "bs")]),
                Entity("C", relationships: [Relationship("bs", toMany: "B", inverse: "as")], renamedFrom: "A"),
            ],
            new: [
                Entity("B", relationships: [Relationship("as", toMany: "C", inverse: "bs")]),
                Entity("C", relationships: [Relationship("bs", toMany: "B", inverse: "as")]),
            ]),
    ]
}
