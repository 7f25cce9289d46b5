import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

struct SchemaTests {
    @Test func builderAcceptsConditionsAndLoops() throws {
        func schema(isOrdered: Bool) throws -> Schema {
            try Schema {
                Entity("List") {
                    Attribute("id", .uuid, isPrimaryKey: true)
                    for number in 1...2 { Attribute("note\(number)", .string) }
                    if isOrdered { Attribute("rank", .integer) }
                    if isOrdered {
                        Relationship("items", toMany: "Item", isOrdered: true, inverse: "list")
                    } else {
                        Relationship("items", toMany: "Item", inverse: "list")
                    }
                }
                Entity("Item") { Relationship("list", to: "List", inverse: "items") }
                for name in ["A", "B"] { Entity(name) }
                if isOrdered { Entity("C") }
                [Entity("D")]
            }
        }
        let (plain, ordered) = (try schema(isOrdered: false), try schema(isOrdered: true))
        #expect(plain.entities.map(\.name) == ["List", "Item", "A", "B", "D"])
        #expect(ordered.entities.map(\.name) == ["List", "Item", "A", "B", "C", "D"])
        #expect(plain.entities[0].attributes.map(\.name) == ["id", "note1", "note2"])
        #expect(ordered.entities[0].attributes.map(\.name) == ["id", "note1", "note2", "rank"])
        #expect(plain.entities[0].relationships.map(\.isOrdered) == [false])
        #expect(ordered.entities[0].relationships.map(\.isOrdered) == [true])
        #expect(try Schema {} == Schema([]))
    }

    @Test func schemasAreEqualIfTheirDefinitionsAre() throws {
        #expect(try Schema([Entity("A"), Entity("B")]) == Schema([Entity("A"), Entity("B")]))
        #expect(try Schema([Entity("A")]) != Schema([Entity("A", isAbstract: true)]))
        #expect(try Schema([Entity("A")]).hashValue == Schema([Entity("A")]).hashValue)
    }

    @Test func existingEntityCanBeAddedAgain() throws {
        let schema = try Schema([Entity("A"), Entity("B")])
        let more = try schema.adding([Entity("C", parent: "A"), Entity("B"), Entity("C", parent: "A")])
        #expect(more.entities == [Entity("A"), Entity("B"), Entity("C", parent: "A")])
        #expect(try schema.adding([Entity("A")]) == schema)
    }

    @Test func addingEntitiesKeepsExistingShapesUnchanged() throws {
        let schema = Staff.schema
        let more = try schema.adding([
            Entity("Clerk", parent: "Person") {
                Attribute("grade", .integer)
                Relationship("desks", toMany: "Desk", isOrdered: true, inverse: "clerk")
                Relationship("sites", toMany: "Site", isOrdered: true)
            },
            Entity("Desk") { Relationship("clerk", to: "Clerk", inverse: "desks") },
        ])
        #expect(more.shapes.count == schema.shapes.count + 2)
        #expect((schema.shapes + schema.internalShapes).allSatisfy { more[$0.name] == $0 })
    }

    @Test func addingRefusesChangedAndInvalidEntities() throws {
        let schema = try Schema([Entity("A"), Entity("B")])
        let error = #expect(throws: PersistenceError.self) {
            try schema.adding([Entity("C"), Entity("B", isAbstract: true), Entity("A", parent: "B")])
        }
        #expect(error?.code == .schemaChange)
        #expect(error?.message == "the store has 'B', 'A' with another definition: only new entities can be added")
        let fault = #expect(throws: SchemaError.self) { try schema.adding([Entity("C", parent: "D")]) }
        #expect(
            fault?.faults.map(\.description) == [
                "C: it inherits 'D', which is not in the schema: add that entity, or correct the parent"
            ])
    }

    @Test func referencesThatMustLeadToARecordOrderTheHierarchies() throws {
        let schema = try Schema {
            Entity("B") { Relationship("a", to: "A", inverse: "bs") }
            Entity("A") {
                Relationship("b", to: "B")
                Relationship("bs", toMany: "B", inverse: "a", deleteRule: .noAction)
            }
            Entity("C") { Relationship("d", to: "D") }
            Entity("D") { Relationship("c", to: "C") }
            Entity("Node") {
                Relationship("parent", to: "Node")
                Relationship("cs", toMany: "C")
            }
        }
        #expect(schema.referenceOrder.roots.map(\.name) == ["B", "A", "D", "C", "Node", "sync.links.Node.cs"])
        #expect(schema.referenceOrder.selfReferring == ["Node"])
    }

    @Test func historyBeginsWithTheRecordsToWhichOthersMustRefer() async throws {
        let schema = try Schema {
            Entity("B") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("a", to: "A", inverse: "bs")
            }
            Entity("A") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("b", to: "B")
                Relationship("bs", toMany: "B", inverse: "a", deleteRule: .noAction)
            }
        }
        let store = InMemoryAdapter(schema: schema)
        var changes = ChangeSet()
        try changes.put(Record("A", in: schema, ["id": 1, "b": 2]))
        try changes.put(Record("B", in: schema, ["id": 2, "a": 1]))
        try await store.commit(changes)
        var keeping = ChangeSet()
        keeping.keepHistory(true)
        try await store.commit(keeping)
        let history = try await store.read { try $0.history(after: 0, limit: .max) }
        #expect(history.map(\.id) == [RecordID("B", 2), RecordID("A", 1)])
    }

    /// The small stack is that of a thread on Apple platforms.
    @Test func hierarchiesOfALongChainOfReferencesAreOrdered() async {
        let count = isFullScale ? 20_000 : 2_000
        let entities = (0..<count).map { number in
            Entity(
                "E\(number)", relationships: number + 1 < count ? [Relationship("next", to: "E\(number + 1)")] : [])
        }
        let roots: [String] = await withCheckedContinuation { continuation in
            let thread = Thread {
                let schema = try? Schema(entities)
                continuation.resume(returning: schema?.referenceOrder.roots.map(\.name) ?? [])
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(roots == Array(entities.map(\.name).reversed()))
    }
}

struct SchemaCodingTests {
    private func json(_ schema: Schema) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(schema), as: UTF8.self)
    }

    private func schema(_ json: String) throws -> Schema {
        try JSONDecoder().decode(Schema.self, from: Data(json.utf8))
    }

    @Test func encodingOmitsDefaults() throws {
        let schema = try Schema([
            Entity(
                "A",
                attributes: [Attribute("id", .uuid, isPrimaryKey: true), Attribute("x", .bool, isOptional: false)],
                relationships: [Relationship("as", toMany: "A"), Relationship("a", to: "A")])
        ])
        let text =
            #"[{"attributes":[{"isPrimaryKey":true,"name":"id","type":"uuid"},"#
            + #"{"isOptional":false,"name":"x","type":"bool"}],"name":"A","#
            + #""relationships":[{"destination":"A","isToMany":true,"name":"as"},{"destination":"A","name":"a"}]}]"#
        #expect(try json(schema) == text)
        #expect(try self.schema(text) == schema)
    }

    @Test func encodingIncludesExchangeOptions() throws {
        let schema = try Schema([
            Entity(
                "A",
                attributes: [Attribute("x", .json, remoteKey: "a.x", isExportable: false, transformer: "Trim")],
                relationships: [
                    Relationship("as", toMany: "A", remoteKey: "all", isExportable: false),
                    Relationship("a", to: "A", isExportable: false),
                ])
        ])
        let text =
            #"[{"attributes":[{"isExportable":false,"name":"x","remoteKey":"a.x","transformer":"Trim","type":"json"}],"#
            + #""name":"A","relationships":[{"destination":"A","isExportable":false,"isToMany":true,"name":"as","#
            + #""remoteKey":"all"},{"destination":"A","isExportable":false,"name":"a"}]}]"#
        #expect(try json(schema) == text)
        #expect(try self.schema(text) == schema)
    }

    @Test(arguments: 0..<50)
    func schemasDecodeAsTheyWereEncoded(seed: UInt64) throws {
        let schema = try RandomSchema(seed: SeededGenerator.testSeed(seed)).schema
        #expect(try self.schema(json(schema)) == schema)
    }

    @Test func unknownFieldsAreIgnored() throws {
        #expect(
            try schema(
                #"[{"name": "A", "future": [1], "attributes": [{"name": "x", "type": "bool", "future": {"a": null}}]}]"#
            )
                == Schema([Entity("A", attributes: [Attribute("x", .bool)])]))
    }

    @Test(arguments: [
        (
            #"[{"name": "A", "parent": "B"}]"#,
            "A: it inherits 'B', which is not in the schema: add that entity, or correct the parent"
        ),
        (
            #"[{"name": "A", "attributes": [{"name": "x", "type": "bool", "isPrimaryKey": true, "isOptional": true}]}]"#,
            "A.x: a part of the primary key is never null: make it mandatory"
        ),
        (
            #"[{"name": "A", "relationships": [{"name": "x", "destination": "A", "isOrdered": true}]}]"#,
            "A.x: it is ordered, but leads to one record: let it lead to many, or take the order away"
        ),
    ])
    func decodedSchemaIsValidated(json: String, fault: String) {
        let error = #expect(throws: SchemaError.self) { try schema(json) }
        #expect(error?.faults.map(\.description) == [fault])
    }

    @Test func unknownTypeOrRuleIsAnError() {
        #expect(throws: DecodingError.self) {
            try schema(#"[{"name": "A", "attributes": [{"name": "x", "type": "complex"}]}]"#)
        }
        #expect(throws: DecodingError.self) {
            try schema(
                #"[{"name": "A", "relationships": [{"name": "x", "destination": "A", "deleteRule": "explode"}]}]"#)
        }
    }
}
