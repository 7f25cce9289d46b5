import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct SchemaChangesLawTests {
    static let seeds = (0..<(isFullScale ? 500 : 40)).map { SeededGenerator.testSeed(UInt64($0)) }

    @Test(arguments: seeds)
    func stepsTurnTheOlderCatalogIntoTheNewerOne(seed: UInt64) throws {
        var random = RandomSchema(seed: seed)
        var versions = [try random.schema]
        for _ in 0..<3 {
            random.evolve()
            versions.append(try random.schema)
        }
        for (number, old) in versions.enumerated() {
            for new in versions[number...] {
                let changes = try SchemaChanges(from: old, to: new)
                var catalog = Catalog(old)
                for step in changes.steps { catalog.take(step, to: new) }
                #expect(catalog == Catalog(new))
                #expect(changes.conditions == [])
                #expect(try SchemaChanges(from: new, to: new).isEmpty)
            }
        }
    }

    @Test(arguments: seeds)
    func recordsOfTheOlderSchemaConvertToTheNewerOne(seed: UInt64) throws {
        var random = RandomSchema(seed: seed)
        let old = try random.schema
        random.evolve()
        let new = try random.schema
        let changes = try SchemaChanges(from: old, to: new)
        var records = RandomRecords(of: old, seed: seed)
        for record in records.records(10) {
            let converted = changes.converted(record)
            #expect(converted.shape == new[converted.entity])
            #expect(converted.key == record.key)
            #expect(converted.shape.firstInvalidSlot(converted.values) == nil)
            #expect(converted.shape.relationships.count >= record.shape.relationships.count)
            for value in record.values { #expect(converted.values.contains(value)) }
        }
    }

    @Test func changeToAnOlderSchemaIsRefusedIfItLosesAnything() throws {
        var refused = 0
        for seed in Self.seeds {
            var random = RandomSchema(seed: seed)
            let old = try random.schema
            random.evolve()
            let new = try random.schema
            do {
                let changes = try SchemaChanges(from: new, to: old)
                var catalog = Catalog(new)
                for step in changes.steps { catalog.take(step, to: old) }
                #expect(catalog == Catalog(old))
            } catch {
                #expect(error.code == .schemaChange)
                refused += 1
            }
        }
        #expect(refused > Self.seeds.count / 2)
    }
}

/// What places a store has for which records.
private struct Catalog: Equatable {
    struct Place: Equatable {
        var shapes: Set<String>
        var types: [SlotID: [AttributeType]]
        var indexed: Set<SlotID>
    }

    private(set) var places: [String: Place] = [:]

    init(_ schema: Schema) {
        for root in schema.roots { places[root.name] = Catalog.place(of: schema, root) }
    }

    private static func place(of schema: Schema, _ root: Shape) -> Place {
        let columns = schema.columns(of: root)
        return Place(
            shapes: Set(schema.hierarchy(of: root).map(\.name)),
            types: Dictionary(uniqueKeysWithValues: columns.map { ($0.id, $0.slot.columnTypes) }),
            indexed: Set(columns.filter(\.slot.isIndexed).map(\.id)))
    }

    mutating func take(_ step: SchemaChanges.Step, to schema: Schema) {
        switch step {
        case .renameHierarchy(let old, let new):
            #expect(places[new.name] == nil)
            places[new.name] = places.removeValue(forKey: old.name)
        case .renameShape(let old, let new):
            #expect(places[new.root]?.shapes.remove(old.name) != nil)
            #expect(places[new.root]?.shapes.insert(new.name).inserted == true)
        case .renameSlot(let old, let new, let root):
            let types = places[root.name]?.types.removeValue(forKey: old.id)
            #expect(types == new.slot.columnTypes)
            #expect(places[root.name]?.types.updateValue(types ?? [], forKey: new.id) == nil)
            if places[root.name]?.indexed.remove(old.id) != nil { places[root.name]?.indexed.insert(new.id) }
        case .addHierarchy(let root):
            #expect(places.updateValue(Catalog.place(of: schema, root), forKey: root.name) == nil)
        case .addShape(let shape):
            #expect(places[shape.root]?.shapes.insert(shape.name).inserted == true)
        case .addSlot(let slot, let root):
            #expect(places[root.name]?.types.updateValue(slot.slot.columnTypes, forKey: slot.id) == nil)
        case .addIndex(let slot, let root):
            #expect(places[root.name]?.types[slot.id] != nil)
            #expect(places[root.name]?.indexed.insert(slot.id).inserted == true)
        case .dropIndex(let slot, let root):
            #expect(places[root.name]?.indexed.remove(slot.id) != nil)
        }
    }
}
