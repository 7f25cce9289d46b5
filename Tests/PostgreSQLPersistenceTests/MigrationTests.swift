import DifferentialSyncTesting
import Dispatch
import PersistenceAdapterTesting
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import TestSupport
import Testing

@Suite(.needsPostgreSQL) struct MigrationTests {
    @Test(arguments: 0..<12)
    func grownAndRenamedSchemaHasTheSameRecordsAsInMemory(number: Int) async throws {
        let seed = SeededGenerator.testSeed(UInt64(number))
        let cluster = try TestCluster.shared
        var random = RandomSchema(seed: seed)
        let old = try random.schema
        let store = try await cluster.store(old)
        var records = RandomRecords(of: old, seed: seed)
        var changes = ChangeSet()
        for record in records.records(20) { changes.put(record) }
        try await store.commit(changes)
        random.evolve()
        let new = try random.schema
        let expected = try await StoreDump(of: InMemoryAdapter.copy(of: store, schema: new))
        await store.close()
        let migrated = try await cluster.store(new, in: store.namespaceName)
        #expect(try await StoreDump(of: migrated).differences(from: expected) == [], "seed \(seed)")
        try await expectConsistentDigests(migrated)
        await migrated.close()
        let again = try await cluster.store(new, in: store.namespaceName)
        #expect(try await StoreDump(of: again).differences(from: expected) == [], "seed \(seed)")
        await again.close()
    }

    /// Stored digests are those of the records.
    private func expectConsistentDigests(_ store: some PersistenceAdapter) async throws {
        let differences = try await store.read { transaction in
            try transaction.schema.shapes.compactMap { shape in
                try transaction.diff(wins: transaction.records(Query(shape.name)), loses: shape.name)
            }.count
        }
        #expect(differences == 0)
    }

    /// An entity with an attribute of each type, and one that inherits it.
    private static func samples(_ types: [AttributeType]) throws -> Schema {
        try Schema {
            Entity(
                "Sample",
                attributes: [Attribute("id", .string, isPrimaryKey: true)]
                    + types.map { Attribute("of \($0.rawValue)", $0, isIndexed: $0 != .json) },
                relationships: [Relationship("next", to: "Sample"), Relationship("others", toMany: "Sample")])
            Entity("Special", parent: "Sample") { Attribute("note", .json) }
        }
    }

    private func filled(_ store: some PersistenceAdapter, _ seed: UInt64) async throws {
        var values = RandomValues(seed: seed)
        for origin in [ChangeSet.Origin.agreed, .local] {
            var changes = ChangeSet(origin: origin)
            for number in 0..<12 {
                let shape = try #require(store.schema[number % 3 == 0 ? "Special" : "Sample"])
                var record = Record(shape, ["id": .string("s\(number)")])
                for slot in shape.slots where slot.name != "id" {
                    if case .attribute(let type) = slot.content { record[slot.name] = values.value(of: type) }
                }
                if number > 0 { record["next"] = .string("s\(number - 1)") }
                changes.put(record)
            }
            changes.setLinks(RecordID("Sample", "s1"), "others", to: ["s2", "s3"])
            try await store.commit(changes)
        }
    }

    @Test(arguments: AttributeType.allCases)
    func attributeOfAnyTypeIsConvertedToAnyOther(type: AttributeType) async throws {
        let cluster = try TestCluster.shared
        let pool = try PostgreSQLPool(cluster.connection)
        let schema = try Self.samples([type])
        let store = try await PostgreSQLAdapter.open(
            on: pool, namespace: "convert \(type.rawValue)", schema: schema)
        try await filled(store, 1)
        var latest: any PersistenceAdapter = store
        var values = RandomValues(seed: 2)
        for (position, other) in AttributeType.allCases.enumerated() where other != type {
            let value = values.value(of: other)
            var entities = schema.entities
            for index in entities[0].attributes.indices
            where entities[0].attributes[index].name == "of \(type.rawValue)" {
                entities[0].attributes[index].type = other
            }
            let new = try Schema(entities)
            let name = "of \(type.rawValue)"
            // All connections of the pool have statements for the columns as they were.
            let step = MigrationStep.convert("Sample", name, losingUnsentChanges: true) { _ in value }
            let copy = try await InMemoryAdapter.copy(of: latest, schema: new, migration: [step])
            let expected = try await StoreDump(of: copy)
            await latest.close()
            let migrated = try await PostgreSQLAdapter.open(
                on: pool, namespace: store.namespaceName, schema: new, migration: [step])
            #expect(try await StoreDump(of: migrated).differences(from: expected) == [], "\(type) to \(other)")
            try await expectConsistentDigests(migrated)
            // Back again, for the next type.
            let original = values.value(of: type)
            let back = MigrationStep.convert("Sample", name, losingUnsentChanges: true) { _ in original }
            await migrated.close()
            latest = try await PostgreSQLAdapter.open(
                on: pool, namespace: store.namespaceName, schema: schema, migration: [back])
            if position % 3 == 0 { try await filled(latest, UInt64(position)) }
        }
        await latest.close()
        await pool.close()
    }

    @Test func droppedPropertiesAndEntitiesLeaveTheOthersAsTheyWere() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Self.samples([.date, .string]))
        try await filled(store, 3)
        let new = try Schema {
            Entity("Sample") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("of string", .string, isIndexed: true)
                Relationship("next", to: "Sample")
            }
        }
        let steps: [MigrationStep] = [
            .drop("Sample", "of date", losingUnsentChanges: true), .drop("Sample", "others", losingUnsentChanges: true),
            .dropEntity("Special", losingUnsentChanges: true),
        ]
        let expected = try await StoreDump(of: InMemoryAdapter.copy(of: store, schema: new, migration: steps))
        await store.close()
        let migrated = try await PostgreSQLAdapter.open(
            connection: cluster.connection, namespace: store.namespaceName, schema: new, migration: steps)
        #expect(try await StoreDump(of: migrated).differences(from: expected) == [])
        #expect(try await migrated.read { try $0.count(Query("Sample")) } == 8)
        let columns = try cluster.sql(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = '\(store.namespaceName)' "
                + "AND table_name = 'Sample' ORDER BY 1")
        #expect(columns == ["id", "next", "of string", "sync.digest", "sync.row"])
        await migrated.close()
    }

    @Test func relationshipThatBecomesAnAttributeLeavesNoIndex() async throws {
        let cluster = try TestCluster.shared
        let id = Attribute("id", .integer, isPrimaryKey: true)
        let shelf = Entity("Shelf", attributes: [Attribute("code", .string, isPrimaryKey: true)])
        let book = Entity("Book", attributes: [id], relationships: [Relationship("shelf", to: "Shelf")])
        let store = try await cluster.store(Schema([shelf, book]))
        var changes = ChangeSet(origin: .agreed)
        changes.put(Record(try #require(store.schema["Shelf"]), ["code": "A"]))
        changes.put(Record(try #require(store.schema["Book"]), ["id": 1, "shelf": "A"]))
        try await store.commit(changes)
        await store.close()
        let name = store.namespaceName
        for isIndexed in [false, true] {
            let attributes = [id, Attribute("shelf", .string, isIndexed: isIndexed)]
            let migrated = try await cluster.store(
                Schema([shelf, Entity("Book", attributes: attributes)]), in: name,
                migration: [.drop("Book", "shelf"), .fill("Book", "shelf") { $0["shelf"] }])
            #expect(try await migrated.read { try $0.keys(of: "Book", where: Field("shelf") == "A") } == [1])
            let indexes = try cluster.sql(
                "SELECT indexname FROM pg_indexes WHERE schemaname = '\(name)' AND indexname LIKE '%.Book.slot.shelf'")
            #expect(indexes.count == (isIndexed ? 1 : 0))
            await migrated.close()
            // Earlier versions of the library left this index behind.
            if !isIndexed {
                _ = try cluster.sql("CREATE INDEX \"sync.index.Book.slot.shelf\" ON \"\(name)\".\"Book\" (id)")
            }
        }
        let migrated = try await cluster.store(
            Schema([shelf, Entity("Book", attributes: [id])]), in: name, migration: [.drop("Book", "shelf")])
        #expect(try await migrated.read { try $0.keys(of: "Book") } == [1])
        await migrated.close()
    }

    @Test func refusedMigrationLeavesTheStoreAsItWas() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Self.samples([.string]))
        try await filled(store, 4)
        let before = try await StoreDump(of: store)
        let new = try Self.samples([.string, .date])
        var entities = new.entities
        entities[0].attributes.removeAll { $0.name == "of string" }
        let smaller = try Schema(entities)
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await cluster.store(smaller, in: store.namespaceName)
        }
        #expect(error?.code == .schemaChange)
        struct Stop: Error {}
        let failing = MigrationStep.convert("Sample", "of string", losingUnsentChanges: true) { _ in throw Stop() }
        entities = try Self.samples([.string]).entities
        entities[0].attributes[1].type = .integer
        let integers = try Schema(entities)
        await #expect(throws: PersistenceError.self) {
            _ = try await PostgreSQLAdapter.open(
                connection: cluster.connection, namespace: store.namespaceName, schema: integers, migration: [failing])
        }
        #expect(try await StoreDump(of: store).differences(from: before) == [])
        await store.close()
    }

    @Test func readerSeesOneStateWhileAnotherProcessChangesTheSchema() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Self.samples([.string]))
        try await filled(store, 5)
        let name = store.namespaceName
        let (begun, gate) = (Signal(), DispatchSemaphore(value: 0))
        let reader = Task {
            try await store.read { transaction in
                begun.send()
                gate.wait()
                return try transaction.records(Query("Sample")).count
            }
        }
        await begun.wait()
        // The readable column of the date rewrites the table.
        let isMigrated = Locked(false)
        let newer = Task {
            defer { isMigrated.exchange(with: true) }
            return try await cluster.store(Self.samples([.string, .date]), in: name)
        }
        let waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '\"\(name)\".\"sync.layout\"'::regclass"
        let column =
            "SELECT 1 FROM information_schema.columns WHERE table_schema = '\(name)' AND column_name = 'of date'"
        while try !isMigrated.current && cluster.sql("\(waiting) UNION ALL \(column)").isEmpty { await Task.yield() }
        gate.signal()
        #expect(try await reader.value == 12)
        let migrated = try await newer.value
        #expect(try await migrated.read { try $0.count(Query("Sample")) } == 12)
        await migrated.close()
        await store.close()
    }

    @Test func readerThatBeginsDuringAChangeOfTheSchemaSeesItsResult() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Authorship.schema)
        try await store.commit(Authorship.tag(1))
        #expect(try await store.read { try $0.count(Query("Tag")) } == 1)
        let name = store.namespaceName
        let (begun, gate) = (Signal(), DispatchSemaphore(value: 0))
        let newer = Task {
            var entities = Authorship.schema.entities
            entities[1].attributes.append(Attribute("date", .date))
            entities[2].attributes.append(Attribute("fill", .integer, isOptional: false))
            let fill = MigrationStep.fill("Tag", "fill") { _ in
                begun.send()
                // It opens for all later calls too.
                gate.wait()
                gate.signal()
                return 7
            }
            return try await cluster.store(Schema(entities), in: name, migration: [fill])
        }
        await begun.wait()
        let hasRead = Locked(false)
        let reader = Task {
            defer { hasRead.exchange(with: true) }
            return try await store.read { try $0.keys(of: "Tag") }
        }
        let waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '\"\(name)\".\"sync.layout\"'::regclass"
        while try !hasRead.current && cluster.sql(waiting).isEmpty { await Task.yield() }
        gate.signal()
        let migrated = try await newer.value
        // The reader's program does not know the new definitions, and says so.
        let error = await #expect(throws: PersistenceError.self) { try await reader.value }
        #expect(error?.description.contains("in which 'Post', 'Tag' is another") == true)
        #expect(try await migrated.read { try $0.record(RecordID("Tag", 1))?["fill"] } == 7)
        await migrated.close()
        await store.close()
    }

    @Test func processesThatOpenANewStoreAtTheSameTimeAgreeOnItsTables() async throws {
        let cluster = try TestCluster.shared
        let stores = try await withThrowingTaskGroup(of: PostgreSQLAdapter.self) { group in
            for _ in 0..<6 {
                group.addTask { try await cluster.store(Authorship.schema, in: "opened at the same time") }
            }
            var stores: [PostgreSQLAdapter] = []
            for try await store in group { stores.append(store) }
            return stores
        }
        for (number, store) in stores.enumerated() { try await store.commit(Authorship.tag(Int64(number))) }
        for store in stores {
            #expect(try await store.read { try $0.count(Query("Tag")) } == 6)
            await store.close()
        }
    }

    @Test func storeNoticesEntitiesOfAnotherProcessAndRefusesAnotherDefinition() async throws {
        let cluster = try TestCluster.shared
        let store = try await cluster.store(Authorship.schema)
        let other = try await cluster.store(Authorship.schema, in: store.namespaceName)
        try await other.add([Entity("Place", attributes: [Attribute("id", .integer, isPrimaryKey: true)])])
        try await store.commit(Authorship.tag(1))
        #expect(store.schema["Place"] != nil)
        await other.close()
        // Another version of the program drops an entity that this one has.
        let smaller = try Schema { Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) } }
        let newer = try await PostgreSQLAdapter.open(
            connection: cluster.connection, namespace: store.namespaceName, schema: smaller,
            migration: [.dropEntity("User"), .dropEntity("Post")])
        await newer.close()
        for _ in 0..<2 {
            let error = await #expect(throws: PersistenceError.self) { try await store.commit(Authorship.tag(2)) }
            #expect(error?.code == .schemaChange)
            await #expect(throws: PersistenceError.self) { try await store.read { try $0.count(Query("Tag")) } }
        }
        let error = await #expect(throws: PersistenceError.self) { try await store.add([Entity("Shelf")]) }
        #expect(error?.code == .schemaChange)
        #expect(store.schema["User"] != nil)
        await store.close()
    }
}
