import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

struct MigrationLawTests {
    @Test(arguments: 0..<40)
    func isTheSameInAFileAndInMemory(number: Int) async throws {
        let seed = SeededGenerator.testSeed(UInt64(number))
        var generator = SeededGenerator(seed: seed)
        let old = try RandomSchema(seed: seed).schema
        let folder = TemporaryFolder()
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: old)
        var records = RandomRecords(of: old, seed: seed)
        var changes = ChangeSet(origin: .agreed)
        for record in records.records(15) { changes.put(record) }
        try await store.commit(changes)
        var random = RandomChanges(of: old, seed: seed)
        for _ in 0..<15 {
            let image = try await store.read { try StoreImage(of: $0) }
            // Some of them are not allowed.
            _ = try? await store.commit(random.next(for: image))
        }
        let world = RandomMigration(old, seed: generator.next())
        let new = try world.schema
        let steps = world.steps
        let copied = try await attempt { try await InMemoryAdapter.copy(of: store, schema: new, migration: steps) }
        let before = try await StoreDump(of: store)
        await store.close()
        let opened = try await attempt {
            try await SQLiteAdapter.open(at: folder.file(), schema: new, migration: steps)
        }
        switch (copied, opened) {
        case (.success(let copy), .success(let file)):
            let (inMemory, inFile) = (try await StoreDump(of: copy), try await StoreDump(of: file))
            #expect(inFile.differences(from: inMemory) == [], "seed \(seed)")
            expectKept(before, inFile, old, world, seed)
            try await expectIndexes(of: file, seed)
            await file.close()
            let again = try await SQLiteAdapter.open(at: folder.file(), schema: new, migration: steps)
            #expect(try await StoreDump(of: again).differences(from: inFile) == [], "seed \(seed)")
            try await expectUsable(again, seed)
            await again.close()
        case (.failure(let left), .failure(let right)):
            // A record that must name another is the one thing that stands in the way.
            #expect(
                left.message == right.message && left.message.contains("must name a record"), "seed \(seed): \(left)")
            let survivor = try await SQLiteAdapter.open(at: folder.file(), schema: old)
            #expect(try await StoreDump(of: survivor).differences(from: before) == [], "seed \(seed)")
            await survivor.close()
        default:
            Issue.record("seed \(seed): in memory \(copied), in the file \(opened)")
        }
    }

    private func attempt<Store>(
        _ body: () async throws -> Store
    ) async throws -> Result<Store, PersistenceError> {
        do {
            return .success(try await body())
        } catch let error as PersistenceError {
            return .failure(error)
        }
    }

    /// The records that are not dropped are there, in their order, with what is not dropped or converted.
    private func expectKept(
        _ before: StoreDump, _ after: StoreDump, _ old: Schema, _ world: RandomMigration, _ seed: UInt64
    ) {
        for root in old.roots where root.role == nil && !world.dropped.contains(root.name) {
            let kept = (before.records[root.name] ?? []).filter { !world.dropped.contains($0.entity) }
            let found = after.records[root.name] ?? []
            #expect(kept.map(\.id) == found.map(\.id), "seed \(seed)")
            for (was, now) in zip(kept, found) {
                for slot in now.shape.slots {
                    guard case .attribute(let type) = slot.content, !slot.isInternal else { continue }
                    if world.changed.contains("\(slot.declaredBy).\(slot.name)") {
                        #expect(type.admits(now[slot.name]), "seed \(seed)")
                    } else {
                        #expect(was[slot.name] == now[slot.name], "seed \(seed): \(was.id).\(slot.name)")
                    }
                }
            }
        }
    }

    /// The file has the indexes of its layout, and no others.
    private func expectIndexes(of store: SQLiteAdapter, _ seed: UInt64) async throws {
        let differences = try await store.pool.read { connection in
            var expected: Set<String> = []
            if let layout = try StoreFile(connection).storedLayout() {
                for root in layout.schema.roots { expected.formUnion(layout.table(of: root).indexes.map(\.name)) }
            }
            let query = #"SELECT printf('"%w"', name) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"#
            return expected.symmetricDifference(try connection.texts(query)).sorted()
        }
        #expect(differences == [], "seed \(seed)")
    }

    /// Records can be stored, changed and deleted afterwards.
    private func expectUsable(_ store: SQLiteAdapter, _ seed: UInt64) async throws {
        let consistency = try await store.read { transaction in
            try transaction.schema.shapes.compactMap { shape in
                try transaction.diff(wins: transaction.records(Query(shape.name)), loses: shape.name)
            }.count
        }
        #expect(consistency == 0, "seed \(seed)")
        var records = RandomRecords(of: store.schema, seed: seed &+ 1)
        var changes = ChangeSet()
        for record in records.records(10) { changes.put(record) }
        do {
            try await store.commit(changes)
        } catch let error as PersistenceError {
            // A record that is there may have to give up what it names.
            #expect([.missingValue, .danglingReference].contains(error.code), "seed \(seed): \(error)")
        }
        try await store.read { transaction in
            for shape in transaction.schema.shapes { _ = try transaction.journal(of: shape.name) }
        }
    }
}

/// Steps that follow from a seed, and a schema that asks for them.
private struct RandomMigration {
    private(set) var entities: [Entity]
    private(set) var steps: [MigrationStep] = []
    private(set) var dropped: Set<String> = []
    /// The attributes that are converted or filled, by the entity that declares them.
    private(set) var changed: Set<String> = []
    private var generator: SeededGenerator

    var schema: Schema { get throws { try Schema(entities) } }

    init(_ old: Schema, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        entities = old.entities
        dropEntities(old)
        for shape in old.shapes where !dropped.contains(shape.name) {
            for slot in shape.slots where slot.declaredBy == shape.name && !slot.isInternal {
                guard case .attribute(let type) = slot.content,
                    !shape.keySlots.contains(where: { shape.slots[$0].name == slot.name })
                else { continue }
                if generator.happens(0.2) {
                    dropProperty(slot.name, of: shape, in: old)
                } else if generator.happens(0.3) {
                    convert(slot, type, of: shape, in: old)
                }
            }
            for relationship in shape.relationships
            where relationship.declaredBy == shape.name && generator.happens(0.25) {
                dropRelationship(relationship, of: shape, in: old)
                if generator.happens(0.5) { keepKey(of: relationship, of: shape) }
            }
        }
    }

    /// Fills an attribute with the keys of a dropped relationship to one, whose name it has.
    private mutating func keepKey(of relationship: ShapeRelationship, of shape: Shape) {
        let name = relationship.definition.name
        guard let slot = shape.slot(named: name), case .reference(_, let types, _) = shape.slots[slot].content,
            types.count == 1, let position = entities.firstIndex(where: { $0.name == shape.name }),
            changed.insert("\(shape.name).\(name)").inserted
        else { return }
        entities[position].attributes.append(Attribute(name, types[0]))
        steps.append(.fill(shape.name, name, losingUnsentChanges: true) { $0[name] })
    }

    private mutating func dropEntities(_ old: Schema) {
        for shape in old.shapes where generator.happens(0.15) {
            dropped.formUnion(old.shapes.filter { $0.inherits(shape.name) }.map(\.name))
        }
        if dropped.count == old.shapes.count { dropped = [] }
        steps += dropped.sorted().map { .dropEntity($0, losingUnsentChanges: true) }
        entities.removeAll { dropped.contains($0.name) }
        let shapes = old.shapes
        for shape in shapes {
            for relationship in shape.relationships
            where relationship.declaredBy == shape.name && dropped.contains(relationship.definition.destination) {
                dropRelationship(relationship, of: shape, in: old)
            }
        }
    }

    private func heirs(_ shape: Shape, in old: Schema) -> [Int] {
        entities.indices.filter { old[entities[$0].name]?.inherits(shape.name) == true }
    }

    private mutating func dropProperty(_ name: String, of shape: Shape, in old: Schema) {
        for heir in heirs(shape, in: old) {
            entities[heir].attributes.removeAll { $0.name == name }
            entities[heir].relationships.removeAll { $0.name == name }
        }
        steps.append(.drop(shape.name, name, losingUnsentChanges: true))
    }

    /// Drops both ends.
    private mutating func dropRelationship(_ relationship: ShapeRelationship, of shape: Shape, in old: Schema) {
        dropProperty(relationship.definition.name, of: shape, in: old)
        guard let inverse = relationship.definition.inverse,
            let owner = old[relationship.definition.destination]?.relationship(named: inverse)?.declaredBy,
            let other = old[owner]
        else { return }
        dropProperty(inverse, of: other, in: old)
    }

    private mutating func convert(_ slot: Slot, _ type: AttributeType, of shape: Shape, in old: Schema) {
        var values = RandomValues(seed: generator.next())
        guard let newType = AttributeType.allCases.filter({ $0 != type }).randomElement(using: &generator) else {
            return
        }
        let value = values.value(of: newType)
        for heir in heirs(shape, in: old) {
            for position in entities[heir].attributes.indices
            where entities[heir].attributes[position].name == slot.name {
                entities[heir].attributes[position].type = newType
                entities[heir].attributes[position].defaultValue = .null
                entities[heir].attributes[position].isOptional = false
            }
        }
        changed.insert("\(shape.name).\(slot.name)")
        steps.append(.convert(shape.name, slot.name, losingUnsentChanges: true) { _ in value })
        steps.append(.fill(shape.name, slot.name, with: value, losingUnsentChanges: true))
    }
}
