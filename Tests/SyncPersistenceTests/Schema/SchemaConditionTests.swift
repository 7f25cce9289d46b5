import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct SchemaConditionTests {
    private func conditions(
        _ old: [Entity], _ new: [Entity], ofJournal isOfJournal: Bool = false
    ) throws -> [String] {
        try SchemaChanges(from: Schema(old), to: Schema(new)).conditions.compactMap {
            if $0.shape.name.hasPrefix("sync.journal.") != isOfJournal { return nil }
            return "\($0.shape.name)\($0.slot.map { " without \($0)" } ?? ""): \($0.message)"
        }
    }

    @Test func newMandatoryPropertyRequiresADefaultOrNoRecords() throws {
        #expect(
            try conditions(
                [Entity("A", isAbstract: true), Entity("B", parent: "A"), Entity("C", parent: "B")],
                [
                    Entity(
                        "Z", isAbstract: true,
                        attributes: [
                            Attribute("x", .bool, isOptional: false),
                            Attribute("y", .bool, isOptional: false, default: false), Attribute("z", .bool),
                        ], renamedFrom: "A"),
                    Entity("B", parent: "Z"),
                    Entity(
                        "C", parent: "B", attributes: [Attribute("x", .bool)],
                        relationships: [
                            Relationship("one", to: "C", isOptional: false),
                            Relationship("two", to: "D", inverse: "c", isOptional: false),
                        ]),
                    Entity("D", relationships: [Relationship("c", to: "C", inverse: "two", isOptional: false)]),
                ])
                == [
                    "B: B.x: it is new and mandatory, and there are records that lack it: give it a default value, make "
                        + #"it optional, or pass '.fill("B", "x", with: …)'"#,
                    "C: C.one: it is new and mandatory, and there are records that lack it: give it a default value, or "
                        + "make it optional",
                    "C: C.two: it is new and mandatory, and there are records that lack it: give it a default value, or "
                        + "make it optional",
                ])
    }

    @Test func propertyMadeMandatoryRequiresValuesAndAbstractEntityNoRecords() throws {
        #expect(
            try conditions(
                [
                    Entity("A", attributes: [Attribute("x", .bool)], relationships: [Relationship("a", to: "A")]),
                    Entity("B", parent: "A"), Entity("C"),
                ],
                [
                    Entity(
                        "A", attributes: [Attribute("y", .bool, isOptional: false, renamedFrom: "x")],
                        relationships: [Relationship("a", to: "A", isOptional: false)]),
                    Entity("B", parent: "A", attributes: [Attribute("y", .bool)]), Entity("C", isAbstract: true),
                ])
                == [
                    "A without x: A.y: it is mandatory in the schema, and there are records without it: give it to them "
                        + #"first, keep it optional, or pass '.fill("A", "y", with: …)'"#,
                    "A without a: A.a: it is mandatory in the schema, and there are records without it: give it to them "
                        + "first, or keep it optional",
                    "B without a: B.a: it is mandatory in the schema, and there are records without it: give it to them "
                        + "first, or keep it optional",
                    "C: C: it is abstract in the schema, and there are records of it: delete them first, or keep it as "
                        + "it is",
                ])
        #expect(
            try conditions(
                [Entity("A", isAbstract: true, attributes: [Attribute("x", .bool, isOptional: false)])],
                [Entity("A", attributes: [Attribute("x", .bool)])]) == [])
    }

    @Test func theShadowIsAskedForValuesToo() throws {
        #expect(
            try conditions(
                [Entity("A", attributes: [Attribute("x", .bool)]), Entity("B"), Entity("C")],
                [
                    Entity("A", attributes: [Attribute("x", .bool, isOptional: false)]),
                    Entity("B", attributes: [Attribute("new", .bool, isOptional: false)]),
                    Entity("C", isAbstract: true),
                ], ofJournal: true)
                == [
                    "sync.journal.A without x: A.x: it is mandatory in the schema, and the shadow has records without it: "
                        + #"synchronize first, keep it optional, or pass '.fill("A", "x", with: …)'"#,
                    "sync.journal.B: B.new: it is new and mandatory, and the shadow has records that lack it: "
                        + #"synchronize first, make it optional, or pass '.fill("B", "new", with: …)'"#,
                    "sync.journal.C: C: it is abstract in the schema, and the shadow has records of it: synchronize first, "
                        + "or keep it as it is",
                ])
    }

    @Test func conditionsAreCheckedOnlyOnTheRecordsTheyConcern() throws {
        let old = try Schema([
            Entity("A", attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("x", .bool)]),
            Entity("B", parent: "A"), Entity("C"),
        ])
        let changes = try SchemaChanges(
            from: old,
            to: Schema([
                Entity(
                    "A",
                    attributes: [
                        Attribute("id", .integer, isPrimaryKey: true), Attribute("x", .bool, isOptional: false),
                    ]),
                Entity("B", parent: "A", attributes: [Attribute("x", .bool)]),
                Entity("C", attributes: [Attribute("new", .url, isOptional: false)]),
            ]))
        let storage = TestStorage(old)
        try changes.check(storage)
        storage.records += [
            Record(try #require(old["A"]), ["id": 1, "x": true]), Record(try #require(old["B"]), ["id": 2]),
        ]
        try changes.check(storage)
        storage.records += [Record(try #require(old["A"]), ["id": 3]), Record(try #require(old["C"]), ["sync.id": 3])]
        let error = #expect(throws: PersistenceError.self) { try changes.check(storage) }
        #expect(error?.code == .schemaChange)
        #expect(
            error?.message == """
                the store cannot be opened with this schema:
                  A.x: it is mandatory in the schema, and there are records without it: give it to them first, keep \
                it optional, or pass '.fill("A", "x", with: …)'
                  C.new: it is new and mandatory, and there are records that lack it: give it a default value, make \
                it optional, or pass '.fill("C", "new", with: …)'
                """)
    }

    @Test func convertedRecordKeepsItsValuesAndReceivesDefaults() throws {
        let old = try Schema([
            Entity(
                "A", attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("x", .string)],
                relationships: [Relationship("a", to: "A")])
        ])
        let new = try Schema([
            Entity(
                "B",
                attributes: [
                    Attribute("new", .string, default: "n"), Attribute("y", .string, renamedFrom: "x"),
                    Attribute("id", .integer, isPrimaryKey: true),
                ], relationships: [Relationship("a", to: "B")], renamedFrom: "A")
        ])
        let changes = try SchemaChanges(from: old, to: new)
        let record = Record(try #require(old["A"]), ["id": 1, "x": "text", "a": 2])
        #expect(
            changes.converted(record)
                == Record(try #require(new["B"]), ["id": 1, "y": "text", "a": 2, "new": "n"]))
        let entry = Record(
            try #require(old["sync.journal.A"]),
            ["id": 1, "x": "text", "sync.isInShadow": true, "sync.isUnsettled": false])
        #expect(
            changes.converted(entry)
                == Record(
                    try #require(new["sync.journal.B"]),
                    ["id": 1, "y": "text", "new": "n", "sync.isInShadow": true, "sync.isUnsettled": false]))
        #expect(try SchemaChanges(from: old, to: old).converted(record) == record)
    }
}

extension SchemaConditionTests {
    @Test func metadataAboutRecordsIsConvertedToo() throws {
        let old = try Schema([
            Entity("A", attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("x", .string)]),
            Entity("B", parent: "A", relationships: [Relationship("a", to: "A"), Relationship("all", toMany: "C")]),
            Entity("C"),
        ])
        let new = try Schema([
            Entity("A", attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("x", .string)]),
            Entity(
                "Z", parent: "A", attributes: [Attribute("new", .bool, default: true)],
                relationships: [Relationship("a", to: "A"), Relationship("all", toMany: "C", isOrdered: true)],
                renamedFrom: "B"),
            Entity("C"),
        ])
        let changes = try SchemaChanges(from: old, to: new)
        let storage = TestStorage(new)
        func remote(_ id: Int64, _ shape: String, _ values: [String: Value]) throws {
            let record = Record(try #require(old[shape]), values)
            storage.records.append(
                Record(
                    try #require(new["sync.journal.A"]),
                    [
                        "id": .integer(id), "sync.isInShadow": false, "sync.isUnsettled": true,
                        "sync.remote": .string(record.journalText),
                    ]))
        }
        try remote(1, "A", ["id": 1, "x": "one"])
        try remote(2, "B", ["id": 2, "x": "two", "a": 1])
        storage.records.append(
            Record(
                try #require(new["sync.journal.A"]), ["id": 3, "sync.isInShadow": false, "sync.isUnsettled": false]))
        try changes.convertInternalRecords(storage)
        let remotes = try storage.records.filter { $0.shape.name == "sync.journal.A" }.sorted {
            "\($0.key)" < "\($1.key)"
        }
        .map { record -> Record? in
            guard case .string(let text) = record["sync.remote"] else { return nil }
            return try Record(journalText: text, schema: new)
        }
        #expect(
            remotes == [
                Record(try #require(new["A"]), ["id": 1, "x": "one"]),
                Record(try #require(new["Z"]), ["id": 2, "x": "two", "a": 1, "new": true]), nil,
            ])
    }
}

/// Records in an array: enough of a store to check conditions and to convert notes.
final class TestStorage: RecordStorage {
    let schema: Schema
    var records: [Record] = []

    init(_ schema: Schema) { self.schema = schema }

    func record(_ key: Value, in hierarchy: Shape) -> Record? {
        records.first { $0.shape.root == hierarchy.root && $0.key == key }
    }

    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        for record in records where record.shape.inherits(query.entity) {
            let isMatch =
                switch query.filter {
                case nil: true
                case .isNull(let path): record[path].isNull
                case .not(.isNull(let path)): !record[path].isNull
                default: preconditionFailure("this filter is not known here")
                }
            if isMatch, try !body(record) { return }
        }
    }

    func count(_ query: Query) throws -> Int {
        var count = 0
        try forEach(query) { _ in
            count += 1
            return true
        }
        return count
    }

    func forEachDigest(_ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void) {}

    func digest(of record: Record) -> UInt64 { 0 }

    func put(_ record: Record) -> Record? {
        let old = remove(record.key, in: record.shape)
        records.append(record)
        return old
    }

    func insert(_ record: Record) { records.append(record) }

    func remove(_ key: Value, in hierarchy: Shape) -> Record? {
        let position = records.firstIndex { $0.shape.root == hierarchy.root && $0.key == key }
        return position.map { records.remove(at: $0) }
    }
}
