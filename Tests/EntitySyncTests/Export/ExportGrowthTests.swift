import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// The size and depth of documents for densely connected records.
struct ExportGrowthTests {
    static let graph = try! Schema {
        Entity("Node") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("next", to: "Node")
            Relationship("left", toMany: "Node", inverse: "right")
            Relationship("right", toMany: "Node", inverse: "left")
        }
    }

    /// Returns the number of objects in a value.
    private func objects(_ value: Value) -> Int {
        switch value {
        case .array(let elements): elements.reduce(0) { $0 + objects($1) }
        case .object(let object): object.members.reduce(1) { $0 + objects($1.value) }
        default: 0
        }
    }

    @Test(arguments: [4, 8, 16, 32])
    func recordsLinkedToAllOthersAreWrittenAtMostTwiceEach(count: Int) async throws {
        let keys = (0..<Int64(count)).map { Value.integer($0) }
        try await withStores(
            of: Self.graph,
            { changes in
                for key in keys { changes.put("Node", in: Self.graph, ["id": key]) }
                for key in keys { changes.setLinks(RecordID("Node", key), "left", to: keys) }
            }
        ) { store in
            let links = 2 * count * count
            let all = try await store.export("Node")
            #expect(objects(all) == count + links)
            let one = try await store.export(RecordID("Node", 0))
            // Each record but the first is written completely in place of one of the links.
            #expect(one.map(objects) == 1 + links)
        }
    }

    /// Returns a row of records, each of which leads to the next.
    private func withChain(_ count: Int64, _ body: (any PersistenceAdapter) async throws -> Void) async throws {
        try await withStores(
            of: Self.graph,
            { changes in
                for id in (0..<count).reversed() {
                    let next: Value = id + 1 < count ? .integer(id + 1) : .null
                    changes.put("Node", in: Self.graph, ["id": .integer(id), "next": next])
                }
            }, body)
    }

    @Test func whatIsAsDeepAsJSONCanBeIsWritten() async throws {
        try await withChain(511) { store in
            let json = try #require(try await store.exportJSON(RecordID("Node", 0)))
            #expect(try objects(Value(json: json)) == 511)
        }
    }

    @Test func whatWouldBeDeeperIsRefused() async throws {
        try await withChain(2_000) { store in
            let error = await #expect(throws: PersistenceError.self) { try await store.export(RecordID("Node", 0)) }
            #expect(
                error?.description
                    == "Node 512: it would stand in more than 512 objects and arrays, which could not be read back: export "
                    + "the entity as a whole, so that its records stand side by side, or set a depth limit")
            #expect(error?.code == .tooDeep)
            // Records next to each other are not deep, in any order.
            let all = try await store.export("Node")
            #expect(objects(all) == 3_999)
            var options = ExportOptions()
            options.depthLimit = 10
            let some = try await store.export(RecordID("Node", 0), options: options)
            #expect(some.map(objects) == 11)
        }
    }

    @Test func oneQueryReadsTheRelationshipsOf200Records() async throws {
        let owners = 1_200 as Int64
        try await withStores(
            of: Self.graph,
            { changes in
                for id in 0..<owners {
                    changes.put("Node", in: Self.graph, ["id": .integer(id), "next": .integer((id + 1) % owners)])
                }
            }
        ) { base in
            let counts = Locked(StorageCounts())
            let store = base.counted(by: counts)
            let all = try await store.export("Node")
            #expect(all.elements.count == 1_200)
            // One query for the records, and six for the destinations of each of three relationships.
            #expect(counts.current.queries + counts.current.lookups == 1 + 3 * 6)
        }
    }

    @Test func recordsAreWholeOnceAmongThousands() async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("company", to: "Company")
            }
            Entity("Company") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("partner", to: "Company")
            }
        }
        try await withStores(
            of: schema,
            { changes in
                changes.put("Company", in: schema, ["id": 1, "name": "one", "partner": 1])
                changes.put("Company", in: schema, ["id": 2, "name": "two", "partner": 1])
                for id in 0..<2_000 as Range<Int64> {
                    changes.put("User", in: schema, ["id": .integer(id), "company": id < 1_000 ? 1 : 2])
                }
            }
        ) { store in
            let users = try await store.export("User").elements
            let partners = users.indices.filter { users[$0]["company"].names.contains("partner") }
            #expect(partners == [0, 1_000])
            #expect(users[0]["company"]["partner"] == ["id": 1])
            #expect(users[1_000]["company"]["partner"] == ["id": 1, "name": "one"])
            #expect(users[1_999]["company"] == ["id": 2, "name": "two"])
        }
    }

    @Test func aRecordThatLeadsToItselfEnds() async throws {
        try await withStores(
            of: Self.graph,
            { changes in
                changes.put("Node", in: Self.graph, ["id": 1, "next": 1])
                changes.setLinks(RecordID("Node", 1), "left", to: [1])
            }
        ) { store in
            let node = try await store.export(RecordID("Node", 1))
            #expect(node == ["id": 1, "next": ["id": 1], "left": [["id": 1]], "right": [["id": 1]]])
        }
    }

    @Test func recordsWithoutAKeyAreNotReportedAsMissing() async throws {
        let schema = try Schema {
            Entity("Number") {
                Attribute("value", .integer)
                Relationship("parent", to: "Collection", inverse: "numbers")
            }
            Entity("Collection") {
                Attribute("name", .string)
                Relationship("numbers", toMany: "Number", inverse: "parent")
            }
        }
        try await withStores(
            of: schema,
            { changes in
                changes.put("Collection", in: schema, ["sync.id": 1, "name": "c"])
                for id in 1...2 as ClosedRange<Int64> {
                    changes.put("Number", in: schema, ["sync.id": .integer(id), "value": .integer(id), "parent": 1])
                }
            }
        ) { store in
            let number = try await store.export(RecordID("Number", 1))
            // The number itself cannot be identified in the collection; the other can be written.
            #expect(number == ["value": 1, "parent": ["name": "c", "numbers": [["value": 2]]]])
            let ids = try await store.export("Number", options: ExportOptions(relationships: .ids))
            #expect(ids == [["value": 1], ["value": 2]])
            var changes = ChangeSet()
            changes.delete(RecordID("Number", 2))
            try await store.commit(changes)
            let alone = try await store.export(RecordID("Number", 1))
            #expect(alone == ["value": 1, "parent": ["name": "c"]])
        }
    }
}
