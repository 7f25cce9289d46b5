import SyncPersistence
import Testing

struct SchemaChangesTests {
    /// The steps between two schemas, in words.
    private func steps(from old: [Entity], to new: [Entity]) throws -> [String] {
        try SchemaChanges(from: Schema(old), to: Schema(new)).steps.map { SchemaChangesTests.text($0) }
    }

    private let a = Entity(
        "A", attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("x", .string)],
        relationships: [Relationship("bs", toMany: "B", inverse: "as"), Relationship("b", to: "B")])
    private let b = Entity("B", relationships: [Relationship("as", toMany: "A", inverse: "bs")])

    @Test func equalSchemasNeedNoSteps() throws {
        #expect(try SchemaChanges(from: Schema([a, b]), to: Schema([a, b])).isEmpty)
        // Order is none of a store's business.
        #expect(try SchemaChanges(from: Schema([a, b]), to: Schema([b, a])).isEmpty)
        var other = a
        other.attributes[1].defaultValue = "x"
        other.attributes[1].remoteKey = "y"
        other.attributes[1].isExportable = false
        other.attributes[1].transformer = "z"
        other.relationships[0].isExportable = false
        other.relationships[0].deleteRule = .deny
        other.relationships[1].deleteRule = .noAction
        other.userInfo = ["a": "b"]
        other.renamedFrom = "0"
        #expect(try SchemaChanges(from: Schema([a, b]), to: Schema([other, b])).isEmpty)
    }

    @Test func newEntitiesAddTheirHierarchiesLinksAndJournals() throws {
        #expect(
            try steps(from: [], to: [a, b]) == [
                "add hierarchy A", "add hierarchy B", "add hierarchy sync.links.A.bs", "add hierarchy sync.journal.A",
                "add hierarchy sync.journal.B", "add hierarchy sync.journal.sync.links.A.bs",
            ])
    }

    @Test func newPropertiesAddSlotsToRecordsAndJournals() throws {
        var other = a
        other.attributes.append(Attribute("y", .date, isIndexed: true))
        other.relationships.append(Relationship("c", to: "A", inverse: "cs"))
        other.relationships.append(Relationship("cs", toMany: "A", isOrdered: true, inverse: "c"))
        other.relationships.append(Relationship("ds", toMany: "A"))
        #expect(
            try steps(from: [a, b], to: [other, b]) == [
                "add slot y to A", "add index y to A", "add slot c to A", "add index c to A",
                "add slot sync.position.A.cs to A", "add hierarchy sync.links.A.ds", "add slot y to sync.journal.A",
                "add slot c to sync.journal.A", "add slot sync.position.A.cs to sync.journal.A",
                "add hierarchy sync.journal.sync.links.A.ds",
            ])
    }

    @Test func newSubentitiesAddShapesAndTheirSlots() throws {
        let heir = Entity("C", parent: "A", attributes: [Attribute("x", .string), Attribute("z", .json)])
        #expect(
            try steps(from: [a, b], to: [a, b, heir]) == [
                "add shape C", "add slot C.z to A", "add shape sync.journal.C",
                "add slot sync.journal.C.z to sync.journal.A",
            ])
    }

    @Test func indexesAreAddedAndDropped() throws {
        var indexed = a
        indexed.attributes[1].isIndexed = true
        #expect(try steps(from: [a, b], to: [indexed, b]) == ["add index x to A"])
        #expect(try steps(from: [indexed, b], to: [a, b]) == ["drop index x from A"])
        // One that an heir asks for stays.
        let heir = Entity("C", parent: "A", attributes: [Attribute("x", .string, isIndexed: true)])
        #expect(try steps(from: [indexed, b, heir], to: [a, b, heir]) == [])
        #expect(try steps(from: [a, b, heir], to: [a, b, Entity("C", parent: "A")]) == ["drop index x from A"])
    }

    @Test func newOrdersAndInversesAddPositions() throws {
        var (ordered, other) = (a, b)
        ordered.relationships[0].isOrdered = true
        other.relationships[0].isOrdered = true
        #expect(
            try steps(from: [a, b], to: [ordered, other]) == [
                "add slot position to sync.links.A.bs", "add slot inversePosition to sync.links.A.bs",
                "add slot position to sync.journal.sync.links.A.bs",
                "add slot inversePosition to sync.journal.sync.links.A.bs",
            ])
        (ordered, other) = (a, b)
        ordered.relationships[1].inverse = "a"
        other.relationships.append(Relationship("a", toMany: "A", isOrdered: true, inverse: "b"))
        #expect(
            try steps(from: [a, b], to: [ordered, other]) == [
                "add slot sync.position.B.a to A", "add slot sync.position.B.a to sync.journal.A",
            ])
    }

    @Test func renamedPropertiesRenameTheirLinksAndPositions() throws {
        let old = [
            Entity(
                "A", attributes: [Attribute("id", .uuid, isPrimaryKey: true), Attribute("x", .string)],
                relationships: [
                    Relationship("bs", toMany: "B", inverse: "as"), Relationship("b", to: "B", inverse: "list"),
                ]),
            Entity(
                "B",
                relationships: [
                    Relationship("as", toMany: "A", inverse: "bs"),
                    Relationship("list", toMany: "A", isOrdered: true, inverse: "b"),
                ]),
        ]
        let new = [
            Entity(
                "A",
                attributes: [
                    Attribute("key", .uuid, isPrimaryKey: true, renamedFrom: "id"),
                    Attribute("y", .string, renamedFrom: "x"), Attribute("new", .bool),
                ],
                relationships: [
                    Relationship("zs", toMany: "B", inverse: "as", renamedFrom: "bs"),
                    Relationship("z", to: "B", inverse: "items", renamedFrom: "b"),
                ]),
            Entity(
                "B",
                relationships: [
                    Relationship("as", toMany: "A", inverse: "zs"),
                    Relationship("items", toMany: "A", isOrdered: true, inverse: "z", renamedFrom: "list"),
                ]),
        ]
        #expect(
            try steps(from: old, to: new) == [
                "rename slot id to key in A", "rename slot x to y in A", "rename slot b to z in A",
                "rename slot sync.position.B.list to sync.position.B.items in A",
                "rename hierarchy sync.links.A.bs to sync.links.A.zs",
                "rename shape sync.links.A.bs to sync.links.A.zs",
                "rename slot sync.links.A.bs.source to source in sync.links.A.zs",
                "rename slot sync.links.A.bs.target to target in sync.links.A.zs",
                "rename slot id to key in sync.journal.A", "rename slot x to y in sync.journal.A",
                "rename slot b to z in sync.journal.A",
                "rename slot sync.position.B.list to sync.position.B.items in sync.journal.A",
                "rename hierarchy sync.journal.sync.links.A.bs to sync.journal.sync.links.A.zs",
                "rename shape sync.journal.sync.links.A.bs to sync.journal.sync.links.A.zs",
                "rename slot sync.journal.sync.links.A.bs.source to source in sync.journal.sync.links.A.zs",
                "rename slot sync.journal.sync.links.A.bs.target to target in sync.journal.sync.links.A.zs",
                "rename slot sync.journal.sync.links.A.bs.sync.isInShadow to sync.isInShadow in "
                    + "sync.journal.sync.links.A.zs",
                "rename slot sync.journal.sync.links.A.bs.sync.isUnsettled to sync.isUnsettled in "
                    + "sync.journal.sync.links.A.zs",
                "rename slot sync.journal.sync.links.A.bs.sync.remote to sync.remote in sync.journal.sync.links.A.zs",
                "add slot new to A", "add slot new to sync.journal.A",
            ])
        // The hints may stay.
        #expect(try steps(from: new, to: new) == [])
        // They may go, unless they say which end is first.
        var without = new
        for index in without[0].attributes.indices { without[0].attributes[index].renamedFrom = nil }
        #expect(try steps(from: new, to: without) == [])
    }

    @Test func renamedEntitiesRenameEverythingNamedAfterThem() throws {
        let heir = Entity("C", parent: "A", attributes: [Attribute("z", .bool)])
        var (root, other) = (a, b)
        root.name = "Root"
        root.renamedFrom = "A"
        other.relationships[0].destination = "Root"
        let newHeir = Entity("Heir", parent: "Root", attributes: [Attribute("z", .bool)], renamedFrom: "C")
        let steps = try steps(from: [a, heir, b], to: [root, newHeir, other])
        #expect(
            steps.filter { !$0.hasPrefix("rename slot") } == [
                "rename hierarchy A to Root", "rename shape A to Root", "rename shape C to Heir",
                "rename hierarchy sync.links.A.bs to sync.links.Root.bs",
                "rename shape sync.links.A.bs to sync.links.Root.bs",
                "rename hierarchy sync.journal.A to sync.journal.Root",
                "rename shape sync.journal.A to sync.journal.Root", "rename shape sync.journal.C to sync.journal.Heir",
                "rename hierarchy sync.journal.sync.links.A.bs to sync.journal.sync.links.Root.bs",
                "rename shape sync.journal.sync.links.A.bs to sync.journal.sync.links.Root.bs",
            ])
        #expect(
            steps.filter { $0.hasPrefix("rename slot") && $0.hasSuffix(" in Root") } == [
                "rename slot A.id to id in Root", "rename slot A.x to x in Root", "rename slot A.b to b in Root",
                "rename slot C.z to Heir.z in Root",
            ])
    }

    @Test func redeclaredPropertyIsRenamedWithTheInheritedOne() throws {
        let heir = Entity("C", parent: "A", attributes: [Attribute("x", .string, isOptional: false)])
        var root = a
        root.attributes[1] = Attribute("y", .string, renamedFrom: "x")
        let newHeir = Entity("C", parent: "A", attributes: [Attribute("y", .string, isOptional: false)])
        #expect(
            try steps(from: [a, b, heir], to: [root, b, newHeir]) == [
                "rename slot x to y in A", "rename slot x to y in sync.journal.A",
            ])
        // Of two siblings each has its own.
        let old = [
            Entity("R"), Entity("S", parent: "R", attributes: [Attribute("x", .bool)]),
            Entity("T", parent: "R", attributes: [Attribute("x", .bool)]),
        ]
        var new = old
        new[2].attributes = [Attribute("y", .bool, renamedFrom: "x")]
        #expect(
            try steps(from: old, to: new) == [
                "rename slot T.x to T.y in R", "rename slot sync.journal.T.x to sync.journal.T.y in sync.journal.R",
            ])
    }

    @Test func renamingHintsApplyOnlyFromMissingToNewNames() throws {
        func entity(_ name: String, _ hint: String? = nil, attribute: String = "x", _ old: String? = nil) -> Entity {
            Entity(name, attributes: [Attribute(attribute, .bool, renamedFrom: old)], renamedFrom: hint)
        }
        // What is there already is itself; what it is said to have been is another thing.
        #expect(try steps(from: [entity("A")], to: [entity("A", "B")]) == [])
        #expect(try steps(from: [entity("A")], to: [entity("A", attribute: "x", "y")]) == [])
        #expect(throws: PersistenceError.self) { try steps(from: [entity("A"), entity("B")], to: [entity("A", "B")]) }
        // The first name leads to the third.
        #expect(
            try steps(from: [entity("B", "A", attribute: "y", "x")], to: [entity("C", "A", attribute: "z", "x")])
                .filter { $0.hasSuffix(" C") } == [
                    "rename hierarchy B to C", "rename shape B to C", "rename slot B.sync.id to sync.id in C",
                    "rename slot B.y to z in C",
                ])
        // Of two that could be it, the one that names it is.
        #expect(
            try steps(from: [entity("B", "A")], to: [entity("D", "A"), entity("C", "B")])
                .filter { $0.hasSuffix(" C") || $0.hasSuffix(" D") } == [
                    "rename hierarchy B to C", "rename shape B to C", "rename slot B.sync.id to sync.id in C",
                    "rename slot B.x to x in C", "add hierarchy D",
                ])
        // So does the second.
        #expect(
            try steps(from: [entity("B", "A")], to: [entity("C", "B")]).prefix(1) == ["rename hierarchy B to C"])
    }
}

extension SchemaChangesTests {
    /// A step in words; a slot that the root declares without the name of that.
    static func text(_ step: SchemaChanges.Step) -> String {
        func text(_ slot: HierarchySlot, _ root: Shape) -> String {
            slot.id.declaredBy == root.name ? slot.slot.name : "\(slot.id.declaredBy).\(slot.slot.name)"
        }
        return switch step {
        case .renameHierarchy(let old, let new): "rename hierarchy \(old.name) to \(new.name)"
        case .renameShape(let old, let new): "rename shape \(old.name) to \(new.name)"
        case .renameSlot(let old, let new, let root):
            "rename slot \(text(old, root)) to \(text(new, root)) in \(root.name)"
        case .addHierarchy(let root): "add hierarchy \(root.name)"
        case .addShape(let shape): "add shape \(shape.name)"
        case .addSlot(let slot, let root): "add slot \(text(slot, root)) to \(root.name)"
        case .addIndex(let slot, let root): "add index \(text(slot, root)) to \(root.name)"
        case .dropIndex(let slot, let root): "drop index \(text(slot, root)) from \(root.name)"
        }
    }
}
